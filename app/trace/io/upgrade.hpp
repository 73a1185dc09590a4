// Derives what a trace file of version 2 leaves out, as far as its tables allow.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree {

// Products become nodes of their own, which are not combines. Combines of the blocks traced in full that have an
// operand which is only the identity are marked as padding and taken from the useful ones, likewise in the counters of
// a launch whose blocks are all traced in full; of other launches, and in the totals of the tree, padding stays among
// the useful. Outputs of blocks beyond the window are assumed to stand for elements.
void upgrade_from_version_2(Trace& trace);

} // namespace warptree
