// Characters of C++ identifiers.
#pragma once

#include <cctype>

namespace warptree {

inline bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

} // namespace warptree
