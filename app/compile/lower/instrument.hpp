// Inserts calls after a kernel's memory accesses and exchanges that log them.
#pragma once

#include "app/compile/lower/compiled.hpp"

#include <string>

namespace warptree::compile {

// Shared variables become parts of one array, at the same offsets as in the machine. Returns the reason if that is
// impossible, else an empty string.
std::string instrument(Compiled& compiled, const Program& program);

} // namespace warptree::compile
