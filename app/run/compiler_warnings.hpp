// What the compiler sees in the text and no run does: variables that are read before they have a value (a register holds
// something, and nothing tells that it was never set), and what is hardly ever meant, as if (i = 0). All are risks.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree::runs {

// Adds a finding for each in the kernel and in what it calls.
void tell_warnings(const compile::Program& program, const compile::Kernel& kernel, Launch& launch);

// A warning in a teacher's words; empty: it is none of those that are told.
std::string in_words(const compile::Diagnostic& warning);

} // namespace warptree::runs
