#pragma once

#include "kernels/scan/block_scan.hpp"
#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanWarp {
    static constexpr StrategyInfo info{
        .id = "scan-warp",
        .title = "Scan by warps",
        .family = Family::scan,
        .lesson = "A hierarchy in four phases. A: each warp scans its lanes with shuffles, in registers and without a "
                  "barrier. B: the last lane of each warp leaves the warp's total in shared memory. C: one warp scans "
                  "the totals. D: every lane adds what stands before its warp. Two barriers in all, whatever the block "
                  "size. Next: scan-coarsened gives each thread more than one element.",
        .result = "Thread t holds the combine of elements 0 to t of its block's tile.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_warp.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::block_scan};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned t = probe.thread();
        const Index first = probe.block() * probe.block_size();
        auto s = probe.shared(32);

        const auto v = block_scan(probe, s, scan_load(probe, in, first + t, first, n));

        probe.store();
        if (const auto taken = probe.branch(first + t < n)) {
            probe.put(out, first + t, v);
        }
    }
};

} // namespace warptree
