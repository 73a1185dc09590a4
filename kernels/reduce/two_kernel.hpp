#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct TwoKernel {
    static constexpr StrategyInfo info{
        .id = "two-kernel",
        .title = "Two launches of one kernel",
        .family = Family::shuffle_atomic,
        .lesson = "A grid-stride loop over at most 1024 blocks of 512 threads, block-shuffle in each, and then the "
                  "same kernel once more: a single block of 1024 threads reduces the at most 1024 partials. The end "
                  "of the first launch is the grid-wide barrier. A barrier inside the kernel is no answer: with more "
                  "blocks than fit on the GPU, those that run would wait for others that cannot start before one of "
                  "them ends, a deadlock. Two launches are always enough, whatever n.",
        .result = "Thread 0, in a register.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 512,
        .elements_per_thread = 1,
        .max_grid = 1024,
        .finishes_atomically = false,
        .source = "reduce/two_kernel.hpp",
        .relaunch_block = 1024};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned t = probe.thread();
        auto s = probe.shared(32);

        const Index grid_stride = probe.grid_size() * probe.block_size();
        Index i = probe.block() * probe.block_size() + t;
        Value sum = probe.load(in, i, n);
        for (i += grid_stride; i < n; i += grid_stride) {
            sum = probe.combine(sum, probe.load(in, i, n));
        }
        const Value v = block_reduce(probe, s, sum);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
