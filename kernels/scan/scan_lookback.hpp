#pragma once

#include "kernels/scan/scan_load.hpp"
#include "kernels/scan/scan_rows.hpp"
#include "kernels/simt/simt.hpp"

#include <string>

namespace warptree {

struct ScanLookback {
    // Three blocks of 256 threads on a multiprocessor of 65536, or four.
    static constexpr unsigned most_registers(unsigned element_bytes) { return element_bytes == 8 ? 64 : 80; }
    static constexpr unsigned kFew = 4, kMany = 12, kManyWide = 8; // vectors a thread; wide: of elements of 8 bytes
    static constexpr std::uint64_t kFewFrom = 1ULL << 16, kManyFrom = 1ULL << 19;
    static constexpr std::uint32_t kAheadBytes = 6U << 20; // from a tile to the one that is prefetched

    static constexpr Parameter parameters[] = {
        kExclusive,
        {.name = "vectors",
         .help = "16-byte vectors a thread, 4 or 12 (8 of elements of 8 bytes); 0: by n, one element below 2^16",
         .least = 0,
         .most = kMany,
         .fallback = 0}};
    WARPTREE_HD static constexpr unsigned most_vectors(std::uint32_t element_bytes) {
        return element_bytes == 8 ? kManyWide : kMany;
    }
    // Of a thread; 0: one element.
    WARPTREE_HD static constexpr unsigned vectors(std::uint32_t asked, std::uint64_t n, std::uint32_t element_bytes) {
        return asked != 0 ? asked : n < kFewFrom ? 0 : n < kManyFrom ? kFew : most_vectors(element_bytes);
    }
    static constexpr std::uint32_t tile(const Geometry& g) {
        const unsigned v = vectors(g.arguments[1], g.n, g.element_bytes);
        return g.block * (v == 0 ? 1 : v * 16 / g.element_bytes);
    }

    static constexpr StrategyInfo info{
        .id = "scan-lookback",
        .title = "Single-pass scan with look-back",
        .family = Family::scan,
        .lesson =
            "The scan of the whole array in one launch. Each block draws the next tile from a ticket, so that "
            "earlier tiles are always at work; scans it; and publishes the tile's aggregate before it knows what "
            "stands before it. Then one warp looks back at 32 tiles at a time, adding aggregates, until it meets one "
            "whose inclusive prefix is there, publishes its own, and the block adds what stands before to its "
            "elements. Every element is read once and written once (Merrill and Garland, 2016). A tile waits for all "
            "before it: what matters is that enough is under way meanwhile, so tiles are large, in rows of 32 "
            "vectors a warp, and each block asks for a later tile to be brought to the L2 cache.",
        .result = "Thread t of the block with tile k holds the combine of all elements up to k B + t; with vectors, "
                  "those of its own.",
        .blocks = {.least = 32, .most = 512, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_lookback.hpp",
        .parameters = parameters,
        .answer = Answer::scan,
        .grid = [](const Geometry& g) { return (g.n + tile(g) - 1) / tile(g); },
        .outputs_per_block = &tile,
        .refusal = [](const RunOptions&, const Geometry& g) -> std::optional<std::string> {
            const std::uint32_t v = g.arguments[1];
            if (v != 0 && v != kFew && v != most_vectors(g.element_bytes)) {
                return "--vectors " + std::to_string(v) + " is not compiled for this type; take 4 or " +
                       std::to_string(most_vectors(g.element_bytes)) + ", or 0 to leave it to n";
            }
            return std::nullopt;
        },
        .looks_back = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 33; }

    // R vectors a thread, in rows of 32 a warp; 0: one element.
    template <unsigned R, class Probe>
    WARPTREE_KERNEL void scan(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        constexpr unsigned V = R == 0 ? 1 : Probe::kVector, rows = R == 0 ? 1 : R;
        const unsigned B = probe.block_size();
        const unsigned lane = probe.lane();
        const unsigned warp = probe.warp();
        auto tiles = probe.tiles(out, n, B * rows * V);
        auto s = probe.shared(33);

        const Index tile = tiles.ticket();
        const Index i = tile * (B * rows) + warp * (32 * rows) + lane; // of the thread's first vector
        const bool whole = (tile + 1) * (B * rows * V) <= n;
        Vector<Value, V> v[rows];
        if constexpr (R == 0) {
            v[0][0] = probe.load(in, i, n);
        } else {
            probe.prefetch(in, tile * (B * R) + kAheadBytes / 16, B * R, n);
            load_vectors(probe, in, i, 32, n, whole, v);
        }

        const Value total = scan_rows(probe, v);
        if (const auto taken = probe.branch(lane == 0)) {
            s[warp] = total;
        }
        probe.barrier();
        probe.stage(32, Phase::add_totals);
        Value before = probe.identity(); // of this warp, in the tile
        for (unsigned w = 0; w < warp; ++w) {
            before = probe.combine(before, s[w]);
        }
        if (const auto taken = probe.branch(warp == B / 32 - 1)) {
            look_back(probe, tiles, tile, probe.combine(before, total), s);
        }
        probe.barrier();

        probe.stage(0, Phase::add_prefix);
        before = probe.combine(s[32], before);
        add_before_rows(probe, before, probe.argument(0) != 0, v);

        probe.store();
        if constexpr (R != 0) {
            put_vectors(probe, out, i, 32, n, whole, v);
        } else if (const auto taken = probe.branch(i < n)) {
            probe.put(out, i, v[0][0]);
        }
    }

    // The last warp: leaves what stands before the tile in s[32].
    template <class Probe, class Tiles, class Shared>
    WARPTREE_KERNEL void look_back(Probe probe, Tiles tiles, Index tile, typename Probe::Value aggregate, Shared s) {
        using Value = typename Probe::Value;
        const bool one = probe.lane() == 0;
        probe.stage(1, Phase::look_back);
        Value before = probe.identity();
        if (tile == 0) {
            if (const auto taken = probe.branch(one)) {
                tiles.publish_prefix(tile, aggregate);
            }
        } else {
            if (const auto taken = probe.branch(one)) {
                tiles.publish_aggregate(tile, aggregate);
            }
            for (unsigned window = 0;; ++window) {
                if (window > 0) {
                    probe.stage(window + 1, Phase::look_back);
                }
                const auto seen = tiles.look_back(tile - 1 - window * 32);
                Value sum = seen.value;
                for (unsigned mask = 16; mask > 0; mask /= 2) {
                    sum = probe.combine(sum, probe.shuffle_xor(sum, mask));
                }
                before = probe.combine(sum, before);
                if (seen.ends) {
                    break;
                }
            }
            probe.stage(0, Phase::publish);
            if (const auto taken = probe.branch(one)) {
                tiles.publish_prefix(tile, probe.combine(before, aggregate));
            }
        }
        if (const auto taken = probe.branch(one)) {
            s[32] = before;
        }
    }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        constexpr unsigned bytes = sizeof(typename Probe::Element);
        switch (vectors(probe.argument(1), n, bytes)) {
        case 0: return scan<0>(probe, in, out, n);
        case kFew: return scan<kFew>(probe, in, out, n);
        case most_vectors(bytes): return scan<most_vectors(bytes)>(probe, in, out, n);
        }
    }
};

} // namespace warptree
