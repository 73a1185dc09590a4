#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct FourWay {
    static constexpr StrategyInfo info{
        .id = "four-way",
        .title = "Four at a time",
        .family = Family::shared_memory,
        .lesson = "Every thread loads four adjacent elements and combines them, and in each stage a thread whose "
                  "index is a multiple of 4s combines four words, s apart: a tree of base 4, with half as many "
                  "stages and barriers as a binary one. Fewer, wider steps; the active threads are as scattered as "
                  "in interleaved-modulo, and the loads of neighbouring lanes lie four elements apart, so that each "
                  "request touches four times the sectors it needs.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 4,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/four_way.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = (probe.block() * B + t) * 4;
        Value v = probe.load(in, i, n);
        for (unsigned k = 1; k < 4; ++k) {
            v = probe.combine(v, probe.load(in, i + k, n));
        }
        s[t] = v;
        probe.barrier();

        for (unsigned stride = 1; stride < B; stride *= 4) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t % (4 * stride) == 0)) {
                v = s[t];
                for (unsigned k = 1; k < 4; ++k) {
                    if (const auto taken =
                            probe.branch(t + k * stride < B)) { // a block that is no power of 4 ends in pairs
                        v = probe.combine(v, s[t + k * stride]);
                    }
                }
                s[t] = v;
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
