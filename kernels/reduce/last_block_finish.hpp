// How the blocks' partials become the total in the same launch, in the block that arrives last.
#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

constexpr unsigned last_block_words(unsigned block) { return block; }

// All threads call it once their block's partial is put out; thread 0 of the last block stores the total in out[0].
template <class Probe> WARPTREE_KERNEL void finish_in_last_block(Probe probe, typename Probe::Output out) {
    const unsigned B = probe.block_size();
    const unsigned t = probe.thread();
    if (!probe.last_to_arrive()) {
        return;
    }

    probe.gather();
    auto s = probe.shared(last_block_words(B));
    const Index partials = probe.grid_size();
    typename Probe::Value v = probe.load_partial(out, t, partials);
    for (Index i = t + B; i < partials; i += B) {
        v = probe.combine(v, probe.load_partial(out, i, partials));
    }
    s[t] = v;
    probe.barrier();

    unsigned stride = 1;
    while (2 * stride < B) {
        stride *= 2;
    }
    for (; stride > 0 && stride < B; stride /= 2) {
        probe.stage(stride);
        if (const auto taken = probe.branch(t < stride && t + stride < B)) {
            s[t] = probe.combine(s[t], s[t + stride]);
        }
        probe.barrier();
    }

    probe.store();
    if (const auto taken = probe.branch(t == 0)) {
        probe.put_total(out, s[0]);
    }
}

} // namespace warptree
