// Standard output carries only the answer, whole or not at all.
#pragma once

#include <string_view>

namespace warptree::commands {

// Throws FileError when standard output cannot take it (a full disk); a reader that has gone is no error.
void print(std::string_view text);

} // namespace warptree::commands
