#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct InterleavedStrided {
    static constexpr StrategyInfo info{
        .id = "interleaved-strided",
        .title = "Interleaved addressing, strided index",
        .family = Family::shared_memory,
        .lesson = "The same tree as interleaved-modulo, but thread t combines the words 2st and 2st + s: the active "
                  "threads are the first ones, so whole warps retire instead of every warp running half empty. The "
                  "price is paid in the banks: lanes now touch words 2s apart, and power-of-two distances fall into "
                  "the same few of the 32 banks, so a request takes several wavefronts. Next: sequential addressing "
                  "has neither fault.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/interleaved_strided.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * B + t;
        s[t] = probe.load(in, i, n);
        probe.barrier();

        for (unsigned stride = 1; stride < B; stride *= 2) {
            probe.stage(stride);
            const unsigned word = 2 * stride * t;
            if (const auto taken = probe.branch(word < B)) {
                s[word] = probe.combine(s[word], s[word + stride]);
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
