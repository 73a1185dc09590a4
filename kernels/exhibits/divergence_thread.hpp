#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct DivergenceThread {
    static constexpr StrategyInfo info{
        .id = "divergence-thread",
        .title = "A branch on the thread index",
        .family = Family::exhibit,
        .lesson = "if (threadIdx.x > 2): threads 0, 1 and 2 of a block take one side and all others the other. Warp 0 "
                  "holds both kinds, so it diverges: it runs both sides one after the other, each with the other lanes "
                  "switched off. The other warps are of one mind and run one side. Compare divergence-block, where the "
                  "same branch costs nothing.",
        .result = "Every thread, its own pair; the launches after it add those.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 64,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/divergence_thread.hpp",
        .outputs_per_block = [](const Geometry& g) { return g.block; },
        .hazard = "Lanes of warp 0 take both sides of a branch.",
        .on_gpu = "The result is right; warp 0 issues both sides. For bodies as short as these the compiler may drop "
                  "the branch and switch lanes off instruction by instruction instead."};

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
        if (const auto taken = probe.branch(t > 2)) {
            s[t] = probe.combine(s[t], s[t + B]);
        } else {
            s[t] = probe.combine(s[t + B], s[t]);
        }

        probe.store();
        probe.put(out, probe.block() * B + t, s[t]);
    }
};

} // namespace warptree
