#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct UnrollLastWarp {
    static constexpr StrategyInfo info{
        .id = "unroll-last-warp",
        .title = "Unrolled last warp",
        .family = Family::shared_memory,
        .lesson = "As first-add down to s = 64; then one warp is left and finishes alone, without block barriers "
                  "and without the test t < s. All 32 lanes add at every step: lanes past the stride do combines "
                  "whose results nothing reads, which costs nothing, because the warp issues the instruction "
                  "anyway. Lanes of a warp no longer run in lockstep by promise, so each step needs __syncwarp "
                  "between its loads and its stores, and again before the next. Next: unroll-complete resolves the "
                  "rest of the loop at compile time.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 64, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/unroll_last_warp.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * (2 * B) + t;
        const auto first = probe.load(in, i, n);
        const auto second = probe.load(in, i + B, n);
        s[t] = probe.combine(first, second);
        probe.barrier();

        for (unsigned stride = B / 2; stride > 32; stride /= 2) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
            probe.barrier();
        }

        if (const auto taken = probe.branch(t < 32)) {
            probe.stage(32);
            Value v = s[t];
            for (unsigned stride = 32; stride > 0; stride /= 2) {
                if (stride < 32) {
                    probe.stage(stride);
                }
                v = probe.combine(v, s[t + stride]);
                probe.warp_barrier();
                s[t] = v;
                probe.warp_barrier();
            }
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
