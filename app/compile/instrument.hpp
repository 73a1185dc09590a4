// Inserts calls that log what a kernel does after its accesses and exchanges.
#pragma once

#include "app/compile/compiled.hpp"

#include <string>

namespace warptree::compile {

// Shared variables become parts of one array, at the machine's own offsets. Returns why it cannot; empty:
// done.
std::string instrument(Compiled& compiled, const Program& program);

} // namespace warptree::compile
