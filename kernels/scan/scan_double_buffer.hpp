#pragma once

#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanDoubleBuffer {
    static constexpr StrategyInfo info{
        .id = "scan-double-buffer",
        .title = "Scan with two buffers",
        .family = Family::scan,
        .lesson = "As scan-shared, but a stage reads one array and writes another, and the next stage swaps them. What "
                  "is read is never overwritten in the same stage, so that one barrier a stage is enough; the price is "
                  "twice the shared memory, and that threads with nothing to add copy their word. Next: scan-warp "
                  "leaves most of the traffic to registers.",
        .result = "Thread t holds the combine of elements 0 to t of its block's tile.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_double_buffer.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::block_scan};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const Index first = probe.block() * B;
        auto s = probe.shared(2 * B);

        unsigned from = 0, to = B;
        auto v = scan_load(probe, in, first + t, first, n);
        s[from + t] = v;
        probe.barrier();

        for (unsigned offset = 1; offset < B; offset *= 2) {
            probe.stage(offset);
            if (const auto taken = probe.branch(t >= offset)) {
                v = probe.combine(s[from + t - offset], v);
            }
            s[to + t] = v;
            probe.barrier();
            from = B - from;
            to = B - to;
        }

        probe.store();
        if (const auto taken = probe.branch(first + t < n)) {
            probe.put(out, first + t, v);
        }
    }
};

} // namespace warptree
