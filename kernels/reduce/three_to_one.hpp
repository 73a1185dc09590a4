#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct ThreeToOne {
    static constexpr StrategyInfo info{
        .id = "three-to-one",
        .title = "Three to one before the tree",
        .family = Family::shared_memory,
        .lesson = "Uses the shared memory that is there: six elements a thread fill 6B words (24 KB of floats for "
                  "1024 threads, so that two blocks fit in 48 KB), each thread first combines three words into one, "
                  "twice, with every lane busy, and only then the tree of converging begins on the 2B words that "
                  "are left. One wide step does the work of the first one and a half stages, and a block covers "
                  "three times the data.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 6,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/three_to_one.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 6 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(6 * B);

        const Index i = probe.block() * (6 * B) + t;
        for (unsigned k = 0; k < 6; ++k) {
            s[t + k * B] = probe.load(in, i + k * B, n);
        }

        // Each thread reads the words it has written itself: no barrier yet.
        probe.stage(2 * B);
        for (unsigned word = t; word < 2 * B; word += B) {
            s[word] = probe.combine(probe.combine(s[word], s[word + 2 * B]), s[word + 4 * B]);
        }

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
