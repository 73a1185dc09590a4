#pragma once

#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanGlobal {
    static constexpr StrategyInfo info{
        .id = "scan-global",
        .title = "Scan in global memory",
        .family = Family::scan,
        .lesson = "The prefix sums of each block, in place in global memory: at offset 1, 2, 4 … B/2 every thread "
                  "t >= offset adds the element offset places before its own. One barrier stands between reading and "
                  "writing, so that no thread reads what another has already replaced, and one before the next offset. "
                  "Correct, but every stage goes to global memory and back. Next: scan-shared does the same where "
                  "memory is near.",
        .result = "Element t of the block's tile holds the combine of elements 0 to t of that tile.",
        .blocks = {.least = 1, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_global.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::block_scan,
        .works_in_output = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 0; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const Index first = probe.block() * B;
        const bool exists = first + t < n;
        auto g = probe.array(out, first, B);

        auto v = scan_load(probe, in, first + t, first, n);
        if (const auto taken = probe.branch(exists)) {
            g[t] = v;
        }
        probe.barrier();

        for (unsigned offset = 1; offset < B; offset *= 2) {
            probe.stage(offset);
            if (const auto taken = probe.branch(t >= offset && exists)) {
                v = probe.combine(g[t - offset], v);
            }
            probe.barrier();
            if (const auto taken = probe.branch(t >= offset && exists)) {
                g[t] = v;
            }
            probe.barrier();
        }
    }
};

} // namespace warptree
