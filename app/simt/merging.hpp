// Whether a program may merge records (trace/record/records.hpp): told from its code, so that others need no search.
#pragma once

#include "app/compile/program/program.hpp"

namespace warptree::simt {

// False only if no operator is applied to values of which one was already used for another, no two are applied side by
// side in one block of the code, and no two values are chosen by one comparison or by several.
bool may_merge_records(const compile::Program& program);

} // namespace warptree::simt
