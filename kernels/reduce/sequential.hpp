#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct Sequential {
    static constexpr StrategyInfo info{
        .id = "sequential",
        .title = "Sequential addressing",
        .family = Family::shared_memory,
        .lesson = "The stride starts at half the block and halves; thread t < s adds the word s away. Neighbouring "
                  "lanes touch neighbouring words, so there are no bank conflicts, and no warp diverges until fewer "
                  "than 32 threads are left. What remains is waste: half of the threads are idle from the very "
                  "first step, having done nothing but load. Next: first-add gives them work while loading.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/sequential.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * B + t;
        s[t] = probe.load(in, i, n);
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
