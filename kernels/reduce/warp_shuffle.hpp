#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct WarpShuffle {
    static constexpr StrategyInfo info{
        .id = "warp-shuffle",
        .title = "Warp shuffle",
        .family = Family::shuffle_atomic,
        .lesson = "One warp a block, no shared memory and no barrier: each lane takes the value of the lane 16, 8, "
                  "4, 2, 1 above it straight from its register and combines. A lane whose source would lie past "
                  "lane 31 keeps its own value, and its combines are useless but free. Lane 0 holds the result.",
        .result = "Lane 0 of the warp, in a register.",
        .blocks = {.least = 32, .most = 32, .power_of_two = true, .multiple = 32},
        .default_block = 32,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/warp_shuffle.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 0; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        const Index i = probe.block() * 32 + t;
        const auto v = warp_reduce(probe, probe.load(in, i, n));

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
