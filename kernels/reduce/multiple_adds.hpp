#pragma once

#include "kernels/reduce/block_tree.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct MultipleAdds {
    static constexpr StrategyInfo info{
        .id = "multiple-adds",
        .title = "Multiple adds a thread",
        .family = Family::shared_memory,
        .lesson = "Algorithm cascading: a fixed grid of at most 64 blocks strides over the whole input, each thread "
                  "adding pairs sequentially, and only then comes the tree of unroll-complete. n / log n threads "
                  "that each do log n work make the whole cost proportional to n (Brent), the stride of a whole "
                  "grid keeps every load coalesced, and the tree is paid once a block instead of once per 2B "
                  "elements.",
        .result = "Thread 0, in s[0].",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 64,
        .finishes_atomically = false,
        .source = "reduce/multiple_adds.hpp"};
    static constexpr bool kBlockIsTemplate = true;
    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block_tree_words(block); }

    template <unsigned B, class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned t = probe.thread();
        auto s = probe.shared(shared_elements(B));

        const Index grid_stride = probe.grid_size() * (2 * B);
        Index i = probe.block() * (2 * B) + t;
        Value first = probe.load(in, i, n);
        Value second = probe.load(in, i + B, n);
        Value sum = probe.combine(first, second);
        for (i += grid_stride; i < n; i += grid_stride) {
            first = probe.load(in, i, n);
            second = probe.load(in, i + B, n);
            sum = probe.combine(sum, probe.combine(first, second));
        }
        s[t] = sum;
        block_tree<B>(probe, s, t);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, s[0]);
        }
    }
};

} // namespace warptree
