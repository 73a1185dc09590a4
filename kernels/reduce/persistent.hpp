#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct Persistent {
    static constexpr Parameter kParameters[] = {{.name = "sms",
                                                 .help = "multiprocessors to fill, with two blocks each",
                                                 .least = 1,
                                                 .most = 1024,
                                                 .fallback = 2}};
    static constexpr StrategyInfo info{
        .id = "persistent",
        .title = "Persistent blocks",
        .family = Family::shared_memory,
        .lesson = "A grid that just fills the machine, two blocks of 1024 threads on each of --sms multiprocessors "
                  "(an H200 has 132), stays there: each thread keeps loading and combining until the data is "
                  "exhausted, and the tree is run once, at the end. The launch of thousands of blocks, their trees "
                  "and their barriers disappear; what is left is memory traffic.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 1024,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/persistent.hpp",
        .parameters = kParameters,
        .grid = [](const Geometry& g) {
            const std::uint64_t useful = (g.n + g.block - 1) / g.block, most = 2ULL * g.arguments[0];
            return useful < most ? useful : most;
        }};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index grid_stride = probe.grid_size() * B;
        Index i = probe.block() * B + t;
        Value sum = probe.load(in, i, n);
        for (i += grid_stride; i < n; i += grid_stride) {
            sum = probe.combine(sum, probe.load(in, i, n));
        }
        s[t] = sum;
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
