// Makes untrusted text safe to print.
#pragma once

#include <string>
#include <string_view>

namespace warptree {

// Escapes control characters and bytes that are no UTF-8, and shortens long text.
std::string printable(std::string_view text);
// Escapes them, but keeps all of it.
std::string printable_path(std::string_view path);
// The same for text of several lines, in which tabs stay; it is not shortened.
std::string printable_lines(std::string_view text);

} // namespace warptree
