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
    static constexpr unsigned kAhead = 2;          // tiles between the one that is scanned and the one that is added up
    static constexpr unsigned kTurns = 4;          // a power of two above kAhead + 1: sets of the warps' totals
    static constexpr unsigned kFew = 2, kMany = 6; // vectors a thread and tile
    // Bytes of the input: what the default grid takes at once with few vectors a thread.
    static constexpr std::uint64_t kManyFrom = 2ULL << 20;

    static constexpr Parameter parameters[] = {
        kExclusive,
        {.name = "vectors",
         .help =
             "16-byte vectors a thread and tile, 2 or 6; 0: by n. In blocks of 512 they need 46 or 136 KB of shared "
             "memory",
         .least = 0,
         .most = kMany,
         .fallback = 0},
        {.name = "blocks", .help = "most blocks of the grid", .least = 1, .most = 65536, .fallback = 132}};
    // Of a thread.
    WARPTREE_HD static constexpr unsigned vectors(std::uint32_t asked, std::uint64_t n, std::uint32_t element_bytes) {
        return asked != 0 ? asked : n * element_bytes < kManyFrom ? kFew : kMany;
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
            "then the aggregates of all tiles since the block's last one are there: the first warp, which does "
            "nothing else, adds them to the prefix that it has kept, and no tile waits for another's prefix. The other "
            "warps scan. A lane copies just the vectors that it will read, so that it need not wait for others to see "
            "them.",
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
            if (v != 0 && v != kFew && v != kMany) {
                return "--vectors " + std::to_string(v) + " is not compiled; take 2 or 6, or 0 to leave it to n";
            }
            return std::nullopt;
        },
        .looks_back = true};

    // The tiles under way, then the words of Block.
    static constexpr std::uint32_t shared_elements(const Geometry& g) {
        const std::uint32_t warps = g.block / 32 - 1;
        return (tiles(g) <= g.arguments[2] ? 1 : kStages) * tile(g) + kTurns * (2 * warps + 1) + 1;
    }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        switch (vectors(probe.argument(1), n, sizeof(typename Probe::Element))) {
        case kFew: return scan<kFew>(probe, in, out, n);
        case kMany: return scan<kMany>(probe, in, out, n);
        }
    }

  private:
    // The block's tiles under way, and where in shared memory its words stand.
    struct Block {
        unsigned count; // tiles of the launch
        unsigned warps; // that scan: all but the first
        bool one_each;  // tile a block
        // By turn the scanning warps' totals, and what stands before each of them and behind the last; then what stands
        // before the tile.
        unsigned totals, befores, prefix;
        unsigned tile[kStages]; // this turn's first; count or more: none

        WARPTREE_HD unsigned totals_of(unsigned turn) const { return totals + turn % kTurns * warps; }
        WARPTREE_HD unsigned befores_of(unsigned turn) const { return befores + turn % kTurns * (warps + 1); }
        WARPTREE_HD bool adds_up() const { return tile[kAhead] < count; }
        WARPTREE_HD void next(unsigned fresh) {
            for (unsigned k = 0; k + 1 < kStages; ++k) {
                tile[k] = tile[k + 1];
            }
            tile[kStages - 1] = fresh;
        }
    };

    // R vectors a thread, in rows of 32 a warp.
    template <unsigned R, class Probe>
    WARPTREE_KERNEL void scan(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        constexpr unsigned V = Probe::kVector;
        const bool leads = probe.warp() == 0;
        Block b;
        b.warps = probe.block_size() / 32 - 1;
        const unsigned size = b.warps * 32 * R; // of a tile, in vectors
        b.count = static_cast<unsigned>((n + size * V - 1) / (size * V));
        const auto grid = static_cast<unsigned>(probe.grid_size());
        b.one_each = b.count <= grid;
        b.totals = (b.one_each ? 1 : kStages) * size * V;
        b.befores = b.totals + kTurns * b.warps;
        b.prefix = b.befores + kTurns * (b.warps + 1);
        auto s = probe.shared(b.prefix + 1);
        auto tiles = probe.tiles(out, n, size * V, b.count, b.one_each ? b.count : b.count + grid * kStages);
        const unsigned mine = leads ? 0 : (probe.warp() - 1) * 32 * R + probe.lane(); // first vector in a tile

        for (unsigned k = 0; k < kStages; ++k) {
            b.tile[k] = b.count;
            if (k == 0) {
                b.tile[k] = static_cast<unsigned>(tiles.ticket());
            } else if (!b.one_each) {
                tiles.ask();
                b.tile[k] = next_tile(tiles);
            }
            if (const auto taken = probe.branch(!leads && b.tile[k] < b.count)) {
                copy<R>(probe, s, k * size + mine, in, Index{b.tile[k]} * size + mine, n, size - mine);
            }
            probe.copies_sent();
        }
        if (!b.one_each && b.tile[0] < b.count) {
            tiles.ask();
        }
        if (const auto taken = probe.branch(!leads && b.tile[0] < b.count)) {
            probe.template copies_arrived<kStages - 1>();
            add_up<R>(probe, s, mine, b.totals_of(0) + probe.warp() - 1);
        }
        if (const auto taken = probe.branch(!leads && b.tile[1] < b.count)) {
            probe.template copies_arrived<kStages - 2>();
            add_up<R>(probe, s, size + mine, b.totals_of(1) + probe.warp() - 1);
        }
        probe.barrier();
        // Steps have one order, whichever warp goes first: each role passes the last step of the other before its own.
        for (unsigned k = 0; k < kAhead; ++k) {
            if (const auto taken = probe.branch(leads && b.tile[k] < b.count)) {
                publish(probe, tiles, b, b.tile[k], k, s);
            } else if (b.tile[k] < b.count) {
                probe.stage(0, Phase::publish);
            }
        }
        if (const auto taken = probe.branch(leads)) {
            lead<R>(probe, tiles, b, s);
            return;
        }

        unsigned place = 0; // of this turn's tile
        for (unsigned turn = 0; b.tile[0] < b.count; ++turn) {
            if (b.adds_up()) {
                const unsigned ahead = place + kAhead < kStages ? place + kAhead : place + kAhead - kStages;
                probe.template copies_arrived<kStages - 1 - kAhead>();
                add_up<R>(probe, s, ahead * size + mine, b.totals_of(turn + kAhead) + probe.warp() - 1);
            }
            probe.gather();
            Vector<typename Probe::Value, V> v[R];
            for (unsigned r = 0; r < R; ++r) {
                v[r] = probe.shared_vector(s, place * size + mine + r * 32);
            }
            const unsigned fresh = b.one_each ? b.count : next_tile(tiles);
            if (fresh < b.count) {
                copy<R>(probe, s, place * size + mine, in, Index{fresh} * size + mine, n, size - mine);
            }
            probe.copies_sent();
            scan_rows(probe, v);
            if (b.adds_up()) {
                probe.stage(0, Phase::publish);
            }
            probe.stage(1, Phase::look_back);
            meet(probe);

            probe.stage(0, Phase::add_prefix);
            const auto before = probe.combine(s[b.prefix], s[b.befores_of(turn) + probe.warp() - 1]);
            add_before_rows(probe, before, probe.argument(0) != 0, v);
            probe.store();
            const Index tile = b.tile[0];
            put_vectors(probe, out, tile * size + mine, 32, n, (tile + 1) * size * V <= n, v);
            b.next(fresh);
            place = place + 1 < kStages ? place + 1 : 0;
        }
    }

    // The first warp, at the barriers of the others: publishes the tile that they have added up, then finds what stands
    // before the one that they scan meanwhile. It asks for those aggregates before the barrier, as they are far.
    template <unsigned R, class Probe, class Tiles, class Shared>
    WARPTREE_KERNEL void lead(Probe probe, Tiles& tiles, Block& b, Shared s) {
        using Value = typename Probe::Value;
        Value sum = probe.identity(); // of all tiles before `next`
        unsigned next = 0;
        for (unsigned turn = 0; b.tile[0] < b.count; ++turn) {
            if (b.adds_up()) {
                probe.stage(1);
            }
            probe.gather();
            const auto peek = tiles.peek(next, b.tile[0]);
            const unsigned fresh = b.one_each ? b.count : next_tile(tiles);
            probe.stage(R, Phase::add_to_batch);
            if (b.adds_up()) {
                publish(probe, tiles, b, b.tile[kAhead], turn + kAhead, s);
            }
            if (!b.one_each && b.tile[1] < b.count) {
                tiles.ask();
            }
            probe.stage(1, Phase::look_back);
            Value seen = tiles.aggregates(peek);
            for (unsigned mask = 16; mask > 0; mask /= 2) {
                seen = probe.combine(seen, probe.shuffle_xor(seen, mask));
            }
            const Value before = probe.combine(sum, seen);
            if (const auto taken = probe.branch(probe.lane() == 0)) {
                s[b.prefix] = before;
            }
            sum = probe.combine(before, s[b.befores_of(turn) + b.warps]);
            next = b.tile[0] + 1;
            meet(probe);
            b.next(fresh);
        }
    }

    // Where the warps of both loops meet, as often in the one as in the other: one place in the source.
    template <class Probe> WARPTREE_KERNEL void meet(Probe probe) { probe.meet(); }
    template <class Tiles> WARPTREE_KERNEL unsigned next_tile(Tiles& tiles) {
        return static_cast<unsigned>(tiles.next());
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
    WARPTREE_KERNEL void publish(Probe probe, const Tiles& tiles, const Block& b, unsigned tile, unsigned turn,
                                 Shared s) {
        const unsigned lane = probe.lane();
        auto total = probe.identity();
        if (const auto taken = probe.branch(lane < b.warps)) {
            total = s[b.totals_of(turn) + lane];
        }
        for (unsigned delta = 1; delta < 32; delta *= 2) {
            probe.stage(delta, Phase::totals);
            const auto below = probe.shuffle_up(total, delta);
            if (const auto taken = probe.branch(lane >= delta)) {
                total = probe.combine(below, total);
            }
        }
        probe.stage(0, Phase::publish);
        if (const auto taken = probe.branch(lane == b.warps - 1)) {
            tiles.publish_aggregate(tile, total);
        }
        auto before = probe.shuffle_up(total, 1);
        if (const auto taken = probe.branch(lane == 0)) {
            before = probe.identity();
        }
        if (const auto taken = probe.branch(lane <= b.warps)) {
            s[b.befores_of(turn) + lane] = before;
        }
        probe.warp_barrier(); // another lane may read it next
    }
};

} // namespace warptree
