// Text that others gave, safe to print.
#pragma once

#include <string>
#include <string_view>

namespace warptree {

// Control characters escaped, cut when long.
std::string printable(std::string_view text);

} // namespace warptree
