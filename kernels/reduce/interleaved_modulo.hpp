#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct InterleavedModulo {
    static constexpr StrategyInfo info{
        .id = "interleaved-modulo",
        .title = "Interleaved addressing, modulo",
        .family = Family::shared_memory,
        .lesson = "Each step doubles the stride s; every thread whose index is a multiple of 2s adds the value s "
                  "words away. Simple, and slow twice over: the active threads are spread over all warps, so every "
                  "warp has inactive lanes from the first step and still issues every instruction, and the "
                  "integer remainder is one of the slowest operations of the machine. Next: interleaved-strided "
                  "keeps the tree and packs the active threads together.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/interleaved_modulo.hpp"};

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
            if (const auto taken = probe.branch(t % (2 * stride) == 0)) {
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
