// Text that is UTF-8, or claims to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warptree {

// Bytes of the well-formed character at the beginning of the text, 1 to 4; 0: there is none.
std::size_t utf8_length(std::string_view text);

// The text with U+FFFD for each byte that belongs to no character.
std::string valid_utf8(std::string_view text);

} // namespace warptree
