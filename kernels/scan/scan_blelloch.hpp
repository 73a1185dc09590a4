#pragma once

#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanBlelloch {
    static constexpr StrategyInfo info{
        .id = "scan-blelloch",
        .title = "Work-efficient scan (Blelloch)",
        .family = Family::scan,
        .lesson =
            "Two sweeps over a tree in shared memory. Up: the reduction with strides 1, 2, 4 …, which leaves sums "
            "of pairs, fours, eights on the way. The total makes room for the identity, and down: each node hands "
            "what stands before it to its left child, and that combined with the left child's sum to its right "
            "one. 2 (B - 1) combines instead of B log B, for twice the steps; the strides are powers of two and "
            "collide in the banks. What comes out is exclusive; read one word later it is inclusive.",
        .result = "Word t holds the combine of elements 0 to t - 1 of the block's tile, word B that of all.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_blelloch.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::block_scan};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block + 1; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const Index i = probe.block() * B + t;
        auto s = probe.shared(B + 1);

        s[t] = probe.load(in, i, n);
        probe.barrier();

        for (unsigned stride = 1; stride < B; stride *= 2) {
            probe.stage(stride, Phase::up_sweep);
            if (const auto taken = probe.branch(t < B / (2 * stride))) {
                const unsigned right = 2 * stride * (t + 1) - 1;
                s[right] = probe.combine(s[right - stride], s[right]);
            }
            probe.barrier();
        }

        if (const auto taken = probe.branch(t == 0)) {
            s[B] = s[B - 1];
            s[B - 1] = probe.identity();
        }
        probe.barrier();

        for (unsigned stride = B / 2; stride > 0; stride /= 2) {
            probe.stage(stride, Phase::down_sweep);
            if (const auto taken = probe.branch(t < B / (2 * stride))) {
                const unsigned right = 2 * stride * (t + 1) - 1;
                const Value before = s[right];
                const Value left = s[right - stride];
                s[right - stride] = before;
                s[right] = probe.combine(before, left);
            }
            probe.barrier();
        }

        probe.store();
        if (const auto taken = probe.branch(i < n)) {
            probe.put(out, i, s[probe.argument(0) == 0 ? t + 1 : t]);
        }
    }
};

} // namespace warptree
