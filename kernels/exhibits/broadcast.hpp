#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct Broadcast {
    static constexpr StrategyInfo info{
        .id = "broadcast",
        .title = "All lanes read one word",
        .family = Family::exhibit,
        .lesson = "As sequential, and then every thread reads the result from s[0]. All lanes of a warp ask one bank, "
                  "and yet the load takes one wavefront: a word that several lanes ask for is read once and sent to "
                  "all of them. Only different words in one bank conflict.",
        .result = "Every thread, in a register; thread 0 stores it.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 64,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/broadcast.hpp",
        .hazard = "Nothing goes wrong here; it is often taken for a 32-way bank conflict.",
        .on_gpu = "One wavefront a warp; counted so on an H200 for 4-byte words."};

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
            probe.barrier();
        }

        probe.store();
        const typename Probe::Value total = s[0]; // every lane, one word
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, total);
        }
    }
};

} // namespace warptree
