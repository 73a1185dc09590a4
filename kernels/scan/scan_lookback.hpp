#pragma once

#include "kernels/scan/block_scan.hpp"
#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanLookback {
    static constexpr StrategyInfo info{
        .id = "scan-lookback",
        .title = "Single-pass scan with look-back",
        .family = Family::scan,
        .lesson =
            "The scan of the whole array in one launch. Each block draws the next tile from a ticket, so that "
            "earlier tiles are always at work; scans it; and publishes the tile's aggregate before it knows what "
            "stands before it. Then it looks back from tile to tile, adding aggregates, until it meets one whose "
            "inclusive prefix is there, publishes its own, and adds what stands before to its elements. Every "
            "element is read once and written once. Merrill and Garland (2016); libraries look at 32 predecessors "
            "at a time.",
        .result = "Thread t of the block with tile k holds the combine of all elements up to k B + t.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_lookback.hpp",
        .parameters = kExclusiveOnly,
        .answer = Answer::scan,
        .looks_back = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 33; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto tiles = probe.tiles(out, n);
        auto s = probe.shared(33);

        const Index tile = tiles.ticket();
        const Index i = tile * B + t;
        auto v = block_scan(probe, s, scan_load(probe, in, i, 0, n));

        if (const auto taken = probe.branch(t == B - 1)) {
            probe.stage(1, Phase::look_back);
            if (const auto taken = probe.branch(tile == 0)) {
                tiles.publish_prefix(tile, v);
            } else {
                tiles.publish_aggregate(tile, v);
                unsigned distance = 1;
                auto seen = tiles.look(tile - 1);
                auto before = seen.value;
                for (auto loop = probe.loop(); loop.again(!seen.is_prefix);) {
                    ++distance;
                    probe.stage(distance, Phase::look_back);
                    seen = tiles.look(tile - distance);
                    before = probe.combine(seen.value, before);
                }
                probe.stage(0, Phase::publish);
                tiles.publish_prefix(tile, probe.combine(before, v));
                s[32] = before;
            }
        }
        probe.barrier();

        if (const auto taken = probe.branch(tile > 0)) {
            probe.stage(0, Phase::add_prefix);
            v = probe.combine(s[32], v);
        }

        probe.store();
        if (const auto taken = probe.branch(i < n)) {
            probe.put(out, i, v);
        }
    }
};

} // namespace warptree
