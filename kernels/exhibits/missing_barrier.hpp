#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct MissingBarrier {
    static constexpr StrategyInfo info{
        .id = "missing-barrier",
        .title = "A tree without its barriers",
        .family = Family::exhibit,
        .lesson = "As sequential, but nothing separates one step from the next. At s = B/4 thread 0 reads a word that "
                  "a thread of another warp was to combine at s = B/2; whether it has is a matter of luck. In order, "
                  "warp 0 runs first and reads values that are too old. In reverse order every value happens to be "
                  "there and the sum is right: a test that passes proves nothing about a race.",
        .result = "Thread 0, in s[0], if the order was kind.",
        .blocks = {.least = 128, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 128,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/missing_barrier.hpp",
        .racy = true,
        .hazard = "Between two steps no __syncthreads orders the store of one thread before the load of another.",
        .on_gpu = "Warps run in any order and at any pace. A block may give the right sum a million times and a wrong "
                  "one when the device is busy, the compiler changes or the block grows."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(B);

        const Index i = probe.block() * B + t;
        s[t] = probe.load(in, i, n);
        probe.barrier();

        for (unsigned stride = B / 2; stride > 0; stride /= 2) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
            // Here a barrier is missing.
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
