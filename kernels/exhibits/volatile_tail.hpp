#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct VolatileTail {
    static constexpr StrategyInfo info{
        .id = "volatile-tail",
        .title = "The volatile tail of old",
        .family = Family::exhibit,
        .lesson = "How the last warp was unrolled before 2017: the shared array is declared volatile, so that every "
                  "load and store in the source happens, and the rest is left to the lockstep of the warp. With "
                  "--order lockstep the sum is right, as it was on the hardware of that time. In any other order it is "
                  "wrong: volatile orders nothing between lanes. Today: unroll-last-warp, with __syncwarp.",
        .result = "Thread 0, in s[0], where lanes run in lockstep.",
        .blocks = {.least = 64, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 64,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/volatile_tail.hpp",
        .racy = true,
        .hazard = "volatile makes every access happen, but nothing orders the accesses of two lanes.",
        .on_gpu = "Right up to compute capability 6.x, where the lanes of a warp ran in lockstep. From 7.0 on lanes "
                  "are scheduled independently and nothing guarantees it, although they often still run together."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
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
            auto v = probe.volatile_shared(B);
            for (unsigned stride = 32; stride > 0; stride /= 2) {
                probe.stage(stride);
                v[t] = probe.combine(v[t], v[t + stride]);
            }
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
