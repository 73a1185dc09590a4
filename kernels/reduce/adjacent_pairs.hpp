#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct AdjacentPairs {
    static constexpr StrategyInfo info{
        .id = "adjacent-pairs",
        .title = "Adjacent pairs",
        .family = Family::shared_memory,
        .lesson = "The textbook's first mapping: 2B elements lie in shared memory, and in the step of stride s "
                  "every thread whose index is a multiple of s combines the words 2t and 2t + s. Half of the "
                  "threads stop after each step, spread over all warps, so every warp keeps running with fewer and "
                  "fewer lanes. Next: converging keeps the active threads together.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/adjacent_pairs.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(2 * B);

        const Index i = probe.block() * (2 * B) + t;
        s[t] = probe.load(in, i, n);
        s[t + B] = probe.load(in, i + B, n);

        for (unsigned stride = 1; stride <= B; stride *= 2) {
            probe.barrier();
            probe.stage(stride);
            if (const auto taken = probe.branch(t % stride == 0)) {
                s[2 * t] = probe.combine(s[2 * t], s[2 * t + stride]);
            }
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
