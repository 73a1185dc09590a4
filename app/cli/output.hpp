// Writes the answer to standard output, completely or not at all.
#pragma once

#include <string_view>

namespace warptree::commands {

// Control characters but line ends and tabs are escaped: much of the text is of files and of kernels.
// Throws FileError when standard output cannot take it (a full disk); a closed pipe is no error.
void print(std::string_view text);

} // namespace warptree::commands
