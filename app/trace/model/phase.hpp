// The phases of an algorithm with several, to distinguish steps of equal stride.
#pragma once

#include <cstdint>

namespace warptree {

// Append only: trace files hold the number.
enum class Phase : std::uint8_t {
    none,
    batch,        // each thread scans its own elements, one after another
    warps,        // A: each warp scans its lanes
    totals,       // C: one warp scans the totals that the warps stored in shared memory (B)
    add_totals,   // D: a warp's exclusive prefix is added to its lanes
    add_to_batch, // a thread's exclusive prefix is added to its elements
    up_sweep,
    down_sweep,
    look_back, // a tile looks back at its predecessors for its exclusive prefix
    publish,   // and publishes its inclusive prefix
    add_prefix // a tile's exclusive prefix is added to its elements
};

} // namespace warptree
