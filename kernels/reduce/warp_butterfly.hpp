#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct WarpButterfly {
    static constexpr StrategyInfo info{
        .id = "warp-butterfly",
        .title = "Warp butterfly",
        .family = Family::shuffle_atomic,
        .lesson = "Each lane exchanges with the lane whose index differs in one bit, 16, 8, 4, 2, 1, and combines: "
                  "after five steps every lane holds the total (an all-reduce), where warp-shuffle leaves it in "
                  "lane 0 alone. All 32 lanes combine in every step; when only one result is wanted, four fifths of "
                  "that work is for nothing, but it costs no time.",
        .result = "Every lane of the warp, in a register; lane 0 stores it.",
        .blocks = {.least = 32, .most = 32, .power_of_two = true, .multiple = 32},
        .default_block = 32,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/warp_butterfly.hpp"};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 0; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        auto v = probe.load(in, probe.block() * 32 + t, n);
        for (unsigned mask = 16; mask > 0; mask /= 2) {
            probe.stage(mask);
            v = probe.combine(v, probe.shuffle_xor(v, mask));
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
