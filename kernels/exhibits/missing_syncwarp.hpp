#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct MissingSyncwarp {
    static constexpr StrategyInfo info{
        .id = "missing-syncwarp",
        .title = "An unrolled tail without __syncwarp",
        .family = Family::exhibit,
        .lesson = "As unroll-last-warp, but the lanes of the last warp neither wait for each other nor is the shared "
                  "array volatile. Lane 0 may read a word before lane 16 has stored it, or after it has stored too "
                  "much. Only in lockstep is the sum right. Compare unroll-last-warp, which puts __syncwarp between "
                  "the loads and the stores of a step and before the next.",
        .result = "Thread 0, in s[0], if the lanes ran in lockstep.",
        .blocks = {.least = 64, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 64,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/missing_syncwarp.hpp",
        .racy = true,
        .hazard = "In the tail one lane reads what another lane of the same warp writes, with no __syncwarp between.",
        .on_gpu = "Since compute capability 7.0 the lanes of a warp are scheduled independently. The compiler may also "
                  "keep s[t] in a register and store it late or once, because nothing says that others look. It "
                  "often works, until the compiler or the device changes."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * (2 * B) + t;
        const auto first = probe.load(in, i, n);
        const auto second = probe.load(in, i + B, n);
        s[t] = probe.combine(first, second);
        probe.barrier();

        for (unsigned stride = B / 2; stride > 32; stride /= 2) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
            probe.barrier();
        }

        if (const auto taken = probe.branch(t < 32)) {
            probe.stage(32);
            Value v = s[t];
            for (unsigned stride = 32; stride > 0; stride /= 2) {
                if (stride < 32) {
                    probe.stage(stride);
                }
                v = probe.combine(v, s[t + stride]);
                s[t] = v; // no __syncwarp before, none after
            }
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
