// What an array of integers should hold by what the kernel compares its elements with.
#pragma once

#include "app/compile/program/program.hpp"

#include <string_view>

namespace warptree::runs {

// Of an array that is read one of kFills (array_fill.hpp): "flags" where all that the kernel does with an element is to test whether it
// is 0, or 1; "states" where it is to compare it with 0, 1 and 2; "pairs" where it is to compare two elements for equality, as keys
// with their neighbours; "alternating" where it stores an element with the other sign. Elements may go through registers and through
// shared memory on their way. Empty: none of these.
std::string_view tested_contents(const compile::Program& program, const compile::Kernel& kernel,
                                 const compile::Parameter& array);

} // namespace warptree::runs
