#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct DivergenceBlock {
    static constexpr StrategyInfo info{
        .id = "divergence-block",
        .title = "A branch on the block index",
        .family = Family::exhibit,
        .lesson = "if (blockIdx.x > 2): blocks 0, 1 and 2 take one side and all others the other. All lanes of a warp "
                  "lie in one block and so take the same side: no warp diverges, and each runs one side only. A branch "
                  "is only costly where it parts the lanes of one warp; a bound that is a multiple of 32 threads does "
                  "not. Compare divergence-thread.",
        .result = "Every thread, its own pair; the launches after it add those.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 64,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/divergence_block.hpp",
        .outputs_per_block = [](const Geometry& g) { return g.block; },
        .hazard = "Nothing goes wrong here: the branch parts blocks, not the lanes of a warp.",
        .on_gpu = "Every warp issues one side."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(2 * B);

        const Index i = probe.block() * (2 * B) + t;
        s[t] = probe.load(in, i, n);
        s[t + B] = probe.load(in, i + B, n);

        probe.stage(B);
        if (const auto taken = probe.branch(probe.block() > 2)) {
            s[t] = probe.combine(s[t], s[t + B]);
        } else {
            s[t] = probe.combine(s[t + B], s[t]);
        }

        probe.store();
        probe.put(out, probe.block() * B + t, s[t]);
    }
};

} // namespace warptree
