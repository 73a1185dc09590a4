#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct WarpAtomic {
    static constexpr StrategyInfo info{
        .id = "warp-atomic",
        .title = "Warp reduce, one atomic a warp",
        .family = Family::shuffle_atomic,
        .lesson = "A grid-stride loop gives each thread its share, each warp reduces its lanes with shuffles, and "
                  "lane 0 of every warp adds its result to the total with an atomic. One launch, no shared memory, "
                  "no barrier; the atomics of all warps meet at one address and are served one after another. "
                  "Compare block-atomic, which sends one atomic a block.",
        .result = "No thread: the total in global memory, once every block is done.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 1024,
        .finishes_atomically = true,
        .source = "reduce/warp_atomic.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 0; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned t = probe.thread();

        const Index grid_stride = probe.grid_size() * probe.block_size();
        Index i = probe.block() * probe.block_size() + t;
        Value sum = probe.load(in, i, n);
        for (i += grid_stride; i < n; i += grid_stride) {
            sum = probe.combine(sum, probe.load(in, i, n));
        }
        const Value v = warp_reduce(probe, sum);

        probe.store();
        if (const auto taken = probe.branch(t % 32 == 0)) {
            probe.atomic(out, v);
        }
    }
};

} // namespace warptree
