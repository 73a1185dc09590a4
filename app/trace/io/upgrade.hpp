// Derives what a trace file of version 2 leaves out, as far as its tables allow.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree {

// Products become separate nodes, which are not combines. In blocks traced in full, combines with an operand that is
// only the identity are marked as padding instead of useful. The counters are corrected for launches whose blocks
// are all traced in full; those of other launches, and the totals of the tree, still count padding as useful. Outputs
// of blocks outside the window are assumed to stand for elements.
void upgrade_from_version_2(Trace& trace);

} // namespace warptree
