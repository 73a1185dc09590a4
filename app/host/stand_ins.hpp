// Functions that a program finds here instead of in the system's libraries, or that these have only in a part that is linked
// into each program.
#pragma once

#include <string_view>

namespace warptree::host {

// Where the function of that name begins; null: the libraries' own is taken.
void* stand_in(std::string_view name);

} // namespace warptree::host
