#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct Segmented {
    static constexpr Parameter kParameters[] = {
        {.name = "segments", .help = "independent results", .least = 1, .most = 65536, .fallback = 4}};
    static constexpr StrategyInfo info{
        .id = "segmented",
        .title = "Segments, a block each",
        .family = Family::shared_memory,
        .lesson = "Many independent sums at once: the input is cut into --segments of equal length, each block "
                  "strides through its own and leaves its own result, and nothing is combined across blocks. The "
                  "shape of batched work, rows of a matrix for example; with few long segments most of the machine "
                  "is idle, with many short ones most of each block.",
        .result = "Thread 0 of each block, in s[0]: the result of the block's segment, the identity where it is empty.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/segmented.hpp",
        .parameters = kParameters,
        .answer = Answer::segments,
        .grid = [](const Geometry& g) -> std::uint64_t { return g.arguments[0]; }};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index length = (n + probe.grid_size() - 1) / probe.grid_size();
        const Index begin = probe.block() * length;
        const Index end = begin + length < n ? begin + length : n;
        Value sum = probe.load(in, begin + t, end);
        for (Index i = begin + t + B; i < end; i += B) {
            sum = probe.combine(sum, probe.load(in, i, end));
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
            probe.put(out, probe.block(), s[0]);
        }
    }
};

} // namespace warptree
