#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct TwoOperandsNoConflict {
    static constexpr StrategyInfo info{
        .id = "two-operands-no-conflict",
        .title = "Two operands in one bank: no conflict",
        .family = Family::exhibit,
        .lesson = "At s = 32 lane t combines s[t] with s[t + 32], and both words lie in bank t mod 32. That is no bank "
                  "conflict: one lane's two operands are two instructions, so two requests, and each of them asks "
                  "every bank for one word. A conflict needs lanes of the same request that ask one bank for different "
                  "words. The rest of the sum goes by shuffles.",
        .result = "Lane 0 of the warp, in a register.",
        .blocks = {.least = 32, .most = 32, .power_of_two = true, .multiple = 32},
        .default_block = 32,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/two_operands_no_conflict.hpp",
        .hazard = "Nothing goes wrong here; it is often misread as a two-way bank conflict.",
        .on_gpu = "Two loads of one wavefront each."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        auto s = probe.shared(64);

        const Index i = probe.block() * 64 + t;
        s[t] = probe.load(in, i, n);
        s[t + 32] = probe.load(in, i + 32, n);
        probe.barrier();

        probe.stage(32);
        const auto sum = probe.combine(s[t], s[t + 32]); // bank t twice, one request after the other
        const auto v = warp_reduce(probe, sum);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
