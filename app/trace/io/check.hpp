// Checks that a trace from a file is valid: every index in range, every table in the order that trace.hpp states.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree {

// Throws CorruptTrace naming the table, the row and what is wrong.
void check(const Trace& trace);

} // namespace warptree
