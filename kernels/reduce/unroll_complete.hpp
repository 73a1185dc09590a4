#pragma once

#include "kernels/reduce/block_tree.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct UnrollComplete {
    static constexpr StrategyInfo info{
        .id = "unroll-complete",
        .title = "Completely unrolled",
        .family = Family::shared_memory,
        .lesson = "The tree of unroll-last-warp with the block size as a template parameter: every stage is present "
                  "or absent at compile time, and no loop, no comparison of strides is left in the machine code. "
                  "The launch chooses among the instantiations for 1, 2, 4 … 1024 threads with a switch at run "
                  "time. Next: multiple-adds makes each thread do more before the tree begins.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/unroll_complete.hpp"};
    static constexpr bool kBlockIsTemplate = true;
    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block_tree_words(block); }

    template <unsigned B, class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        auto s = probe.shared(shared_elements(B));

        const Index i = probe.block() * (2 * B) + t;
        const auto first = probe.load(in, i, n);
        const auto second = probe.load(in, i + B, n);
        s[t] = probe.combine(first, second);
        block_tree<B>(probe, s, t);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
