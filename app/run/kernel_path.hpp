// Recognises kernel files by their extension.
#pragma once

#include <string_view>

namespace warptree::runs {

inline bool is_kernel_path(std::string_view path) {
    return path.ends_with(".cu") || path.ends_with(".cuh") || path.ends_with(".cuda");
}

} // namespace warptree::runs
