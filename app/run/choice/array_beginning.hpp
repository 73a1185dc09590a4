// What an array begins with that a kernel changes, by what its code does with it.
#pragma once

#include "app/compile/program/program.hpp"

#include <string_view>

namespace warptree::runs {

// Of an array that is changed by atomic operations alone, or of a table of unsigned numbers, one of kFills (array_fill.hpp): what minima and maxima, tables and the
// beginnings of parts begin with; empty: no such. negative: whether maxima begin with the smallest number.
std::string_view beginning_of(const compile::Program& program, const compile::Kernel& kernel,
                              const compile::Parameter& array, bool negative);

// Whether the kernel reads and writes only elements of it whose numbers are made of what it loads elsewhere, as a histogram's.
bool counts_by_data(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array);

// Whether an atomic operation on it, or on what may be it, is used for what was there before.
bool uses_what_was_there(const compile::Program& program, const compile::Kernel& kernel,
                         const compile::Parameter& array);

} // namespace warptree::runs
