#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct BlockShuffle {
    static constexpr StrategyInfo info{
        .id = "block-shuffle",
        .title = "Block shuffle",
        .family = Family::shuffle_atomic,
        .lesson = "Each warp reduces its lanes with shuffles, lane 0 of each warp writes to one of 32 shared slots, "
                  "and after the only barrier the first warp reduces the slots with shuffles again. Two rounds of "
                  "registers replace a tree of shared-memory traffic and its barriers.",
        .result = "Thread 0, in a register.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/block_shuffle.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        auto s = probe.shared(32);

        const Index i = probe.block() * probe.block_size() + t;
        const auto v = block_reduce(probe, s, probe.load(in, i, n));

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
