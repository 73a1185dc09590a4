#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/scan/scan_load.hpp"
#include "kernels/scan/scan_rows.hpp"
#include "kernels/simt/simt.hpp"

#include <algorithm>
#include <string>

namespace warptree {

struct ScanPipelined {
    static constexpr unsigned most_registers(unsigned) { return 128; } // one block of 512 on a multiprocessor of 65536
    static constexpr unsigned kStages = 3;                             // tiles of a block under way
    static constexpr unsigned kAhead = 2; // tiles between the one that is scanned and the one that is added up
    static constexpr unsigned kTurns = 4; // a power of two above kAhead + 1: sets of the warps' totals
    static constexpr std::uint64_t kFewFrom = 1ULL << 20, kManyFrom = 3ULL << 20; // bytes of the input

    static constexpr Parameter parameters[] = {
        kExclusive,
        {.name = "vectors",
         .help =
             "16-byte vectors a thread and tile, 1, 3 or 9; 0: by n. In blocks of 512 they need 23, 68 or 203 KB of "
             "shared memory",
         .least = 0,
         .most = 9,
         .fallback = 0},
        {.name = "blocks", .help = "most blocks of the grid", .least = 1, .most = 65536, .fallback = 132}};
    // Of a thread.
    WARPTREE_HD static constexpr unsigned vectors(std::uint32_t asked, std::uint64_t n, std::uint32_t element_bytes) {
        const std::uint64_t bytes = n * element_bytes;
        return asked != 0 ? asked : bytes < kFewFrom ? 1 : bytes < kManyFrom ? 3 : 9;
    }
    static constexpr std::uint32_t tile(const Geometry& g) {
        return (g.block - 32) * vectors(g.arguments[1], g.n, g.element_bytes) * (16 / g.element_bytes);
    }
    static constexpr std::uint64_t tiles(const Geometry& g) { return (g.n + tile(g) - 1) / tile(g); }

    static constexpr StrategyInfo info{
        .id = "scan-pipelined",
        .title = "Single-pass scan, pipelined",
        .family = Family::scan,
        .lesson =
            "The project's own fastest scan. In scan-lookback a tile waits for all before it and does nothing else "
            "meanwhile. Here a block has three tiles under way: they are copied to shared memory while it works on "
            "others, and each is added up, and its aggregate published, two tiles before its turn to be scanned. By "
            "then "
            "the aggregates of all tiles since the block's last one are there: the first warp, which does nothing "
            "else, adds them to the prefix that it has kept, and no tile waits for another's prefix. The other warps "
            "scan. A lane copies just the vectors that it will read, so that it need not wait for others to see them.",
        .result = "Each lane holds the combines of all elements up to those of its vectors; warp 0 none.",
        .blocks = {.least = 64, .most = 512, .power_of_two = false, .multiple = 32},
        .default_block = 512,
        .elements_per_thread = 1,
        .source = "scan/scan_pipelined.hpp",
        .parameters = parameters,
        .answer = Answer::scan,
        .grid = [](const Geometry& g) { return std::min<std::uint64_t>(tiles(g), g.arguments[2]); },
        .outputs_per_block = &tile,
        .refusal = [](const RunOptions&, const Geometry& g) -> std::optional<std::string> {
            const std::uint32_t v = g.arguments[1];
            if (v != 0 && v != 1 && v != 3 && v != 9) {
                return "--vectors " + std::to_string(v) + " is not compiled; take 1, 3 or 9, or 0 to leave it to n";
            }
            return std::nullopt;
        },
        .looks_back = true};

    // The tiles under way; by turn the totals of the scanning warps, and what stands before each of them; and what stands
    // before the tile.
    static constexpr std::uint32_t shared_elements(const Geometry& g) {
        const std::uint32_t warps = g.block / 32 - 1;
        return (tiles(g) <= g.arguments[2] ? 1 : kStages) * tile(g) + kTurns * (2 * warps + 1) + 1;
    }

    // R vectors a thread, in rows of 32 a warp.
    template <unsigned R, class Probe>
    WARPTREE_KERNEL void scan(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        constexpr unsigned V = Probe::kVector;
        const unsigned lane = probe.lane(), warp = probe.warp();
        const unsigned warps = probe.block_size() / 32 - 1; // that scan: all but the first
        const bool leads = warp == 0;
        const unsigned size = warps * 32 * R; // of a tile, in vectors
        const auto count = static_cast<unsigned>((n + size * V - 1) / (size * V));
        const auto G = static_cast<unsigned>(probe.grid_size());
        const bool one_each = count <= G; // tile a block
        auto tiles = probe.tiles(out, n, size * V, count, one_each ? count : count + G * kStages);
        const unsigned totals = (one_each ? 1 : kStages) * size * V, befores = totals + kTurns * warps,
                       prefix = befores + kTurns * (warps + 1);
        auto s = probe.shared(prefix + 1);
        const unsigned mine = leads ? 0 : (warp - 1) * 32 * R + lane; // the thread's first vector in a tile

        unsigned tile[kStages + 1]; // the last is not under way yet
        for (unsigned k = 0; k <= kStages; ++k) {
            tile[k] = count;
            if (k == 0) {
                tile[k] = static_cast<unsigned>(tiles.ticket());
            } else if (!one_each && (k < kStages || tile[0] < count)) {
                tiles.ask();
                tile[k] = next_tile(tiles);
            }
            if (k < kStages) {
                if (const auto taken = probe.branch(!leads && tile[k] < count)) {
                    copy<R>(probe, s, k * size + mine, in, Index{tile[k]} * size + mine, n, size - mine);
                }
                probe.copies_sent();
            }
        }
        if (!one_each && tile[1] < count) {
            tiles.ask();
        }
        if (const auto taken = probe.branch(!leads && tile[0] < count)) {
            probe.template copies_arrived<kStages - 1>();
            add_up<R>(probe, s, mine, totals + warp - 1);
        }
        if (const auto taken = probe.branch(!leads && tile[1] < count)) {
            probe.template copies_arrived<kStages - 2>();
            add_up<R>(probe, s, size + mine, totals + warps + warp - 1);
        }
        probe.barrier();
        // Steps have one order, whichever warp goes first: each role passes the last step of the other before its own.
        for (unsigned k = 0; k < kAhead; ++k) {
            if (const auto taken = probe.branch(leads && tile[k] < count)) {
                publish(probe, tiles, tile[k], s, totals + k * warps, befores + k * (warps + 1), warps);
            } else if (tile[k] < count) {
                probe.stage(0, Phase::publish);
            }
        }

        if (const auto taken = probe.branch(leads)) {
            lead<R>(probe, tiles, tile, count, one_each, s, totals, befores, prefix, warps);
        } else {
            unsigned stage = 0;
            for (unsigned turn = 0; tile[0] < count; ++turn) {
                if (turn > 0) {
                    probe.gather();
                }
                Vector<Value, V> v[R];
                for (unsigned r = 0; r < R; ++r) {
                    v[r] = probe.shared_vector(s, stage * size + mine + r * 32);
                }
                if (tile[kStages] < count) {
                    copy<R>(probe, s, stage * size + mine, in, Index{tile[kStages]} * size + mine, n, size - mine);
                }
                probe.copies_sent();
                if (tile[kAhead] < count) {
                    const unsigned ahead = stage + kAhead < kStages ? stage + kAhead : stage + kAhead - kStages;
                    probe.template copies_arrived<kStages - kAhead>();
                    add_up<R>(probe, s, ahead * size + mine, totals + (turn + kAhead) % kTurns * warps + warp - 1);
                }
                probe.stage(1, Phase::look_back);
                const unsigned fresh = meet_for_next(probe, tiles, tile[1] < count, count, one_each);
                scan_rows(probe, v);
                meet(probe);

                probe.stage(0, Phase::add_prefix);
                const Value before = probe.combine(s[prefix], s[befores + turn % kTurns * (warps + 1) + warp - 1]);
                add_before_rows(probe, before, probe.argument(0) != 0, v);
                probe.store();
                put_vectors(probe, out, Index{tile[0]} * size + mine, 32, n, (Index{tile[0]} + 1) * size * V <= n, v);
                for (unsigned k = 0; k < kStages; ++k) {
                    tile[k] = tile[k + 1];
                }
                tile[kStages] = fresh;
                stage = stage + 1 < kStages ? stage + 1 : 0;
            }
        }
    }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        switch (vectors(probe.argument(1), n, sizeof(typename Probe::Element))) {
        case 1: return scan<1>(probe, in, out, n);
        case 3: return scan<3>(probe, in, out, n);
        case 9: return scan<9>(probe, in, out, n);
        }
    }

  private:
    // Where the warps of both loops meet, as often in the one as in the other: one place in the source.
    template <class Probe> WARPTREE_KERNEL void meet(Probe probe) { probe.meet(); }
    template <class Tiles> WARPTREE_KERNEL unsigned next_tile(Tiles& tiles) {
        return static_cast<unsigned>(tiles.next());
    }
    // The same, where the block's next tile is handed out if there is one.
    template <class Probe, class Tiles>
    WARPTREE_KERNEL unsigned meet_for_next(Probe probe, Tiles& tiles, bool asked, unsigned count, bool one_each) {
        if (one_each) {
            return count;
        }
        if (asked) {
            return next_tile(tiles);
        }
        meet(probe);
        return count;
    }

    // The first warp, at the barriers of the others: what stands before a tile while they add up a later one, and that
    // one's aggregate while they scan.
    template <unsigned R, class Probe, class Tiles, class Shared>
    WARPTREE_KERNEL void lead(Probe probe, Tiles& tiles, unsigned (&tile)[kStages + 1], unsigned count, bool one_each,
                              Shared s, unsigned totals, unsigned befores, unsigned prefix, unsigned warps) {
        using Value = typename Probe::Value;
        Value sum = probe.identity(); // of all tiles before `next`
        unsigned next = 0;
        for (unsigned turn = 0; tile[0] < count; ++turn) {
            if (turn > 0) {
                probe.gather();
            }
            if (tile[kAhead] < count) {
                probe.stage(1);
            }
            probe.stage(1, Phase::look_back);
            Value seen = tiles.aggregates(next, tile[0]);
            for (unsigned mask = 16; mask > 0; mask /= 2) {
                seen = probe.combine(seen, probe.shuffle_xor(seen, mask));
            }
            const Value before = probe.combine(sum, seen);
            sum = probe.combine(before, s[befores + turn % kTurns * (warps + 1) + warps]);
            next = tile[0] + 1;

            const unsigned fresh = meet_for_next(probe, tiles, tile[1] < count, count, one_each);
            if (const auto taken = probe.branch(probe.lane() == 0)) { // now that all have read that of the last tile
                s[prefix] = before;
            }
            if (tile[kAhead] < count) {
                const unsigned then = (turn + kAhead) % kTurns;
                probe.stage(R, Phase::add_to_batch);
                publish(probe, tiles, tile[kAhead], s, totals + then * warps, befores + then * (warps + 1), warps);
            }
            if (!one_each && tile[2] < count) {
                tiles.ask();
            }
            meet(probe);
            for (unsigned k = 0; k < kStages; ++k) {
                tile[k] = tile[k + 1];
            }
            tile[kStages] = fresh;
        }
    }

    // The thread's vectors of a tile, from vector i on of the input to vector k on of shared memory; `rest`: vectors
    // from i to the end of the tile.
    template <unsigned R, class Probe, class Shared>
    WARPTREE_KERNEL void copy(Probe probe, Shared s, unsigned k, typename Probe::Input in, Index i, Index n,
                              unsigned rest) {
        if ((i + rest) * Probe::kVector <= n) { // asked once, as in load_vectors
            for (unsigned r = 0; r < R; ++r) {
                probe.copy_vector(s, k + r * 32, in, i + r * 32);
            }
        } else {
            for (unsigned r = 0; r < R; ++r) {
                probe.copy_vector(s, k + r * 32, in, i + r * 32, n);
            }
        }
    }

    // The warp's part of a tile, whose vectors of this thread begin at k, made one.
    template <unsigned R, class Probe, class Shared>
    WARPTREE_KERNEL void add_up(Probe probe, Shared s, unsigned k, unsigned total) {
        typename Probe::Value sum[R];
        probe.stage(32);
        for (unsigned r = 0; r < R; ++r) {
            const auto v = probe.shared_vector(s, k + r * 32);
            sum[r] = v[0];
            for (unsigned e = 1; e < Probe::kVector; ++e) {
                sum[r] = probe.combine(sum[r], v[e]);
            }
        }
        for (unsigned r = 1; r < R; ++r) {
            sum[0] = probe.combine(sum[0], sum[r]);
        }
        const auto all = warp_reduce(probe, sum[0]);
        if (const auto taken = probe.branch(probe.lane() == 0)) {
            s[total] = all;
        }
    }

    // The first warp: scans the totals of the others for what stands before each of them, and publishes the tile's.
    template <class Probe, class Tiles, class Shared>
    WARPTREE_KERNEL void publish(Probe probe, const Tiles& tiles, unsigned tile, Shared s, unsigned totals,
                                 unsigned befores, unsigned warps) {
        const unsigned lane = probe.lane();
        auto total = probe.identity();
        if (const auto taken = probe.branch(lane < warps)) {
            total = s[totals + lane];
        }
        for (unsigned delta = 1; delta < 32; delta *= 2) {
            probe.stage(delta, Phase::totals);
            const auto below = probe.shuffle_up(total, delta);
            if (const auto taken = probe.branch(lane >= delta)) {
                total = probe.combine(below, total);
            }
        }
        probe.stage(0, Phase::publish);
        if (const auto taken = probe.branch(lane == warps - 1)) {
            tiles.publish_aggregate(tile, total);
        }
        auto before = probe.shuffle_up(total, 1);
        if (const auto taken = probe.branch(lane == 0)) {
            before = probe.identity();
        }
        if (const auto taken = probe.branch(lane <= warps)) {
            s[befores + lane] = before;
        }
        probe.warp_barrier(); // another lane may read it next
    }
};

} // namespace warptree
