#pragma once

#include "kernels/reduce/last_block_finish.hpp"
#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct LastBlock {
    static constexpr StrategyInfo info{
        .id = "last-block",
        .title = "The last block finishes",
        .family = Family::shuffle_atomic,
        .lesson = "One launch: each block writes its partial, makes it visible to the others with a fence and draws "
                  "a ticket from an atomic counter; the block that draws the last one knows that all partials are "
                  "there, and reduces them. No second launch, no barrier across blocks (no block ever waits for "
                  "another), one atomic a block, and the order of the sum does not depend on which block comes "
                  "last.",
        .result = "Thread 0 of the block that arrives last, in s[0].",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 1024,
        .finishes_atomically = false,
        .source = "reduce/last_block.hpp",
        .finishes_last = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return last_block_words(block); }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned t = probe.thread();
        auto s = probe.shared(32);

        const Index grid_stride = probe.grid_size() * probe.block_size();
        Index i = probe.block() * probe.block_size() + t;
        Value sum = probe.load(in, i, n);
        for (i += grid_stride; i < n; i += grid_stride) {
            sum = probe.combine(sum, probe.load(in, i, n));
        }
        const Value v = block_reduce(probe, s, sum);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
        finish_in_last_block(probe, out);
    }
};

} // namespace warptree
