// Reductions over the lanes of a warp and the warps of a block, in registers.
#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

// All 32 lanes call it; lane 0 gets the result.
template <class Probe> WARPTREE_KERNEL auto warp_reduce(Probe probe, typename Probe::Value v) {
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        probe.stage(delta);
        v = probe.combine(v, probe.shuffle_down(v, delta));
    }
    return v;
}

// All threads of the block call it, with 32 shared slots; thread 0 gets the result.
template <class Probe, class Shared> WARPTREE_KERNEL auto block_reduce(Probe probe, Shared s, typename Probe::Value v) {
    const unsigned t = probe.thread();
    const unsigned warps = probe.block_size() / 32;

    v = warp_reduce(probe, v);
    if (const auto taken = probe.branch(t % 32 == 0)) {
        s[t / 32] = v;
    }
    probe.barrier();

    if (const auto taken = probe.branch(t < 32)) {
        v = probe.identity();
        if (const auto taken = probe.branch(t < warps)) {
            v = s[t];
        }
        v = warp_reduce(probe, v);
    }
    return v;
}

} // namespace warptree
