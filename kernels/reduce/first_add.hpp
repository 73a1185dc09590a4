#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct FirstAdd {
    static constexpr StrategyInfo info{
        .id = "first-add",
        .title = "First add while loading",
        .family = Family::shared_memory,
        .lesson = "Each thread loads two elements, a block apart, and combines them on the way into shared memory; "
                  "then the tree of sequential. The block covers twice the data, so half as many blocks are "
                  "launched and no thread is idle in the first combine. Prefer it to sequential always; the next "
                  "cost is the instructions and barriers of the loop itself.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/first_add.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * (2 * B) + t;
        const auto first = probe.load(in, i, n);
        const auto second = probe.load(in, i + B, n);
        s[t] = probe.combine(first, second);
        probe.barrier();

        for (unsigned stride = B / 2; stride > 0; stride /= 2) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
            probe.barrier();
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
