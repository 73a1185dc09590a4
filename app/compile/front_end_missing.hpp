// Headers that CUDA programs include and warptree does not have.
#pragma once

#include <string>
#include <string_view>

namespace warptree::compile {

// One line, without a place: "curand_kernel.h: random numbers are not part of warptree".
std::string about_missing(std::string_view header, std::string_view refusal);

} // namespace warptree::compile
