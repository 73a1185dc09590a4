// Variables of a kernel that are read before they have a value, as the compiler sees them: at run time a register holds
// something, and nothing tells that it was never set.
#pragma once

#include "app/compile/program.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::runs {

// Adds a finding for each that the kernel's code reads.
void tell_unset(const compile::Program& program, const compile::Kernel& kernel, Launch& launch);

} // namespace warptree::runs
