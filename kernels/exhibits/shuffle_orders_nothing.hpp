#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct ShuffleOrdersNothing {
    static constexpr StrategyInfo info{
        .id = "shuffle-orders-nothing",
        .title = "A shuffle taken for __syncwarp",
        .family = Family::exhibit,
        .lesson =
            "Each lane has two sums. One goes from lane to lane by shuffles, the other through shared memory: a lane "
            "stores it, all take part in the shuffle, and then the lane reads what its partner has stored. At the "
            "shuffle the lanes meet, so the interpreter gives the right sum in every order. But a shuffle only "
            "moves registers: nothing says that the partner's store is seen by then, nor that a lane has read "
            "before its partner stores again. Each needs a __syncwarp.",
        .result = "Lane 0 of the warp, in registers.",
        .blocks = {.least = 32, .most = 32, .power_of_two = true, .multiple = 32},
        .default_block = 32,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/shuffle_orders_nothing.hpp",
        .racy = true,
        .hazard =
            "Between the store of one lane and the read of another stands a shuffle, which orders no memory, and no "
            "__syncwarp.",
        .on_gpu =
            "The lanes meet at the shuffle, so the sum may well be right, always. CUDA promises neither that the store "
            "is seen nor that the read is over: __shfl_sync states no memory ordering, and the compiler may move "
            "the accesses."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        auto s = probe.shared(32);

        const Index i = probe.block() * 64 + t;
        auto by_shuffle = probe.load(in, i, n);
        auto by_memory = probe.load(in, i + 32, n);

        for (unsigned stride = 16; stride > 0; stride /= 2) {
            probe.stage(stride);
            s[t] = by_memory;
            by_shuffle = probe.combine(by_shuffle, probe.shuffle_down(by_shuffle, stride)); // no __syncwarp
            if (const auto taken = probe.branch(t < stride)) {
                by_memory = probe.combine(by_memory, s[t + stride]);
            }
        }
        by_shuffle = probe.combine(by_shuffle, by_memory);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, by_shuffle);
        }
    }
};

} // namespace warptree
