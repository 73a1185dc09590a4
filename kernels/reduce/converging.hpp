#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct Converging {
    static constexpr StrategyInfo info{
        .id = "converging",
        .title = "Converging threads",
        .family = Family::shared_memory,
        .lesson = "The textbook's better mapping: 2B elements in shared memory, the stride starts at B and halves, "
                  "and thread t < s combines the words t and t + s. Whole warps finish early: with 1024 threads the "
                  "first six steps do not diverge at all, only the last five, inside one warp, do.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/converging.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(2 * B);

        const Index i = probe.block() * (2 * B) + t;
        s[t] = probe.load(in, i, n);
        s[t + B] = probe.load(in, i + B, n);

        for (unsigned stride = B; stride > 0; stride /= 2) {
            probe.barrier();
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
