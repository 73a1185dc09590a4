// Checks that a trace from a file is valid: every index and value in range, no node that depends on itself.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree {

// Throws CorruptTrace naming the table, the row and what is wrong.
void check(const Trace& trace);

} // namespace warptree
