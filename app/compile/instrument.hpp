// Calls that log what a kernel does, put behind its accesses and exchanges.
#pragma once

#include "app/compile/compiled.hpp"

#include <string>

namespace warptree::compile {

// Shared variables become parts of one array, at the offsets that the machine has them at. Returns why it cannot be; empty:
// it is done.
std::string instrument(Compiled& compiled, const Program& program);

} // namespace warptree::compile
