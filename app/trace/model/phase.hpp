// The phases of an algorithm that has several, so that steps of equal stride stay apart.
#pragma once

#include <cstdint>

namespace warptree {

// Append only: trace files hold the number.
enum class Phase : std::uint8_t {
    none,
    batch,        // each thread scans its own elements, one after another
    warps,        // A: each warp scans its lanes
    totals,       // C: one warp scans the totals that the warps left in shared memory (B)
    add_totals,   // D: what stands before a warp is added to its lanes
    add_to_batch, // what stands before a thread is added to its elements
    up_sweep,
    down_sweep,
    look_back, // a tile asks its predecessors what stands before it
    publish,   // and says what stands before its successors
    add_prefix // what stands before a tile is added to its elements
};

} // namespace warptree
