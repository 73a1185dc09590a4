#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct BlockAtomic {
    static constexpr StrategyInfo info{
        .id = "block-atomic",
        .title = "Block reduce, one atomic a block",
        .family = Family::shuffle_atomic,
        .lesson = "As warp-atomic, but the warps of a block first meet in shared memory (block-shuffle), so only "
                  "one atomic a block reaches the total: 32 times fewer at 1024 threads, for the price of one "
                  "barrier.",
        .result = "No thread: the total in global memory, once every block is done.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 1024,
        .finishes_atomically = true,
        .source = "reduce/block_atomic.hpp"};

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
            probe.atomic(out, v);
        }
    }
};

} // namespace warptree
