#pragma once

#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanShared {
    static constexpr StrategyInfo info{
        .id = "scan-shared",
        .title = "Scan in shared memory",
        .family = Family::scan,
        .lesson =
            "Each block scans its tile in shared memory (Hillis and Steele): at offset 1, 2, 4 … B/2 every thread "
            "t >= offset adds the word offset places before its own. The depth is log B, but the work is "
            "B log B - B + 1 combines where B - 1 would do one after another. Two barriers a stage keep reading "
            "and writing apart. Next: scan-double-buffer needs one, scan-blelloch less work.",
        .result = "Thread t holds the combine of elements 0 to t of its block's tile.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_shared.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::block_scan};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const Index first = probe.block() * B;
        auto s = probe.shared(B);

        auto v = scan_load(probe, in, first + t, first, n);
        s[t] = v;
        probe.barrier();

        for (unsigned offset = 1; offset < B; offset *= 2) {
            probe.stage(offset);
            if (const auto taken = probe.branch(t >= offset)) {
                v = probe.combine(s[t - offset], v);
            }
            probe.barrier();
            if (const auto taken = probe.branch(t >= offset)) {
                s[t] = v;
            }
            probe.barrier();
        }

        probe.store();
        if (const auto taken = probe.branch(first + t < n)) {
            probe.put(out, first + t, v);
        }
    }
};

} // namespace warptree
