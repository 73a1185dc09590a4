#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct BarrierInBranch {
    static constexpr StrategyInfo info{
        .id = "barrier-in-branch",
        .title = "A barrier inside the branch",
        .family = Family::exhibit,
        .lesson = "As sequential, but only the threads that add wait for each other: the barrier has moved inside the "
                  "if. The other half of the block goes past it, through the loop, and waits at the last barrier for "
                  "those that wait in the branch for them. Neither group can go on, and the block never completes. A "
                  "barrier belongs where every thread of the block comes by.",
        .result = "None: the block never gets there.",
        .blocks = {.least = 2, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 128,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/barrier_in_branch.hpp",
        .deadlocks = true,
        .hazard = "__syncthreads stands where only some threads of the block come by.",
        .on_gpu = "Undefined: CUDA allows __syncthreads in a branch only if the whole block takes the same side. A GPU "
                  "may hang until a watchdog ends the kernel. It may also take the arrivals at both barriers for one "
                  "and go on, since it counts arrivals and not the calls they come from; then the result is right by "
                  "luck. The interpreter asks for every thread at the same call, as the language does."};

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
                probe.barrier(); // only the threads that add come here
            }
        }

        probe.store();
        probe.barrier(); // and the others wait here
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
