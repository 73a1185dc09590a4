// Writes the answer to standard output, completely or not at all.
#pragma once

#include <string_view>

namespace warptree::commands {

// Throws FileError when standard output cannot take it (a full disk); a closed pipe is no error.
void print(std::string_view text);

} // namespace warptree::commands
