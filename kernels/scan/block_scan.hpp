// The scan of a block in registers: warps first, then their totals.
#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

// Lane l < lanes gets the combine of lanes 0 … l; the warp's 32 lanes call it.
template <class Probe>
WARPTREE_KERNEL auto warp_scan(Probe probe, typename Probe::Value v, unsigned lanes, Phase phase) {
    const unsigned lane = probe.lane();
    for (unsigned delta = 1; delta < lanes; delta *= 2) {
        probe.stage(delta, phase);
        const auto below = probe.shuffle_up(v, delta);
        if (const auto taken = probe.branch(lane >= delta && lane < lanes)) {
            v = probe.combine(below, v);
        }
    }
    return v;
}

// Thread t gets the combine of threads 0 … t. All threads call it, with 32 shared slots; slot w then holds the combine
// of warps 0 … w.
template <class Probe, class Shared> WARPTREE_KERNEL auto block_scan(Probe probe, Shared s, typename Probe::Value v) {
    const unsigned lane = probe.lane();
    const unsigned warp = probe.warp();
    const unsigned warps = probe.block_size() / 32;

    v = warp_scan(probe, v, 32, Phase::warps); // A
    if (const auto taken = probe.branch(lane == 31)) {
        s[warp] = v; // B
    }
    probe.barrier();

    if (const auto taken = probe.branch(warp == 0)) { // C
        auto total = v;
        if (const auto taken = probe.branch(lane < warps)) {
            total = s[lane];
        }
        total = warp_scan(probe, total, warps, Phase::totals);
        if (const auto taken = probe.branch(lane < warps)) {
            s[lane] = total;
        }
    }
    probe.barrier();

    if (const auto taken = probe.branch(warp > 0)) { // D
        probe.stage(32, Phase::add_totals);
        v = probe.combine(s[warp - 1], v);
    }
    return v;
}

} // namespace warptree
