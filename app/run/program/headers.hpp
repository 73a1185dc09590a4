// Where a program's headers lie, as its text says.
#pragma once

#include <string>
#include <string_view>

namespace warptree::runs {

// The further folder of a request (compile::kReachesUp) for a text in `folder` that includes "../common/common.h" or
// "../../common.h"; empty: it does not. No header lies further up.
std::string folder_above(std::string_view text, const std::string& folder);

} // namespace warptree::runs
