// Text that others gave, safe to print.
#pragma once

#include <string>
#include <string_view>

namespace warptree {

// Control characters escaped, cut when long.
std::string printable(std::string_view text);
// Several lines: likewise, but whole.
std::string printable_lines(std::string_view text);

} // namespace warptree
