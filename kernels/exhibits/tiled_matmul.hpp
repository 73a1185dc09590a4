#pragma once

#include "app/base/options.hpp"
#include "kernels/simt/simt.hpp"

namespace warptree {

struct TiledMatmul {
    static constexpr Parameter kParameters[] = {
        {.name = "rows", .help = "rows of A and C; 0: as -n", .least = 0, .most = 4096, .fallback = 0, .as_n = true},
        {.name = "columns",
         .help = "columns of B and C; 0: as -n",
         .least = 0,
         .most = 4096,
         .fallback = 0,
         .as_n = true},
        {.name = "inner",
         .help = "columns of A, rows of B; 0: as -n",
         .least = 0,
         .most = 4096,
         .fallback = 0,
         .as_n = true}};
    static constexpr unsigned tile_of(unsigned block) { return block == 256 ? 16 : 32; }
    static constexpr std::uint64_t kMostProducts = 1ULL << 27;

    static constexpr StrategyInfo info{
        .id = "tiled-matmul",
        .title = "A matrix product by tiles",
        .family = Family::exhibit,
        .lesson = "C = A × B, a tile of C a block and an element a thread. In the load phase each thread brings one "
                  "element of A and one of B into shared memory, and a barrier waits for all; in the compute phase "
                  "each adds the products of a row and a column of the tiles, and a second barrier keeps the next load "
                  "from overwriting what others still read. An element that is loaded once is used as often as the "
                  "tile is wide: tiles of 16 load 512 values for 8192 operations, tiles of 32 load 2048 for 65,536. "
                  "Past the edges the tiles are filled with zeros. Step s = p is the compute phase of the p-th tiles.",
        .result = "Every thread, its element of C, in a register.",
        .blocks = {.least = 256, .most = 1024, .power_of_two = true, .multiple = 1, .factor = 4},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "exhibits/tiled_matmul.hpp",
        .parameters = kParameters,
        .answer = Answer::matrix,
        .grid = [](const Geometry& g) -> std::uint64_t {
            const std::uint64_t tile = tile_of(g.block);
            return ((g.arguments[0] + tile - 1) / tile) * ((g.arguments[1] + tile - 1) / tile);
        },
        .inputs = [](const Arguments& a) -> std::uint64_t {
            return std::uint64_t{a[0]} * a[2] + std::uint64_t{a[2]} * a[1];
        },
        .outputs = [](const Arguments& a) -> std::uint64_t { return std::uint64_t{a[0]} * a[1]; },
        .refusal = [](const RunOptions& o, const Geometry& g) -> std::optional<std::string> {
            if (o.op != Operator::sum) {
                return "tiled-matmul adds products and knows no other operator; take --op sum";
            }
            // Each is at most 2^32 - 1, so the first two cannot overflow together.
            const std::uint64_t elements = std::uint64_t{g.arguments[0]} * g.arguments[1];
            if (elements > kMostProducts || elements * g.arguments[2] > kMostProducts) {
                return "a product of these matrices takes more than the 2^27 multiplications that can be traced; take "
                       "-n 512 or less";
            }
            return std::nullopt;
        },
        .default_n = 32,
        .hazard = "Nothing goes wrong here. Without the second barrier a fast warp would load the next tile over one "
                  "that others still read.",
        .on_gpu = "Loads from global memory fall by the width of the tile."};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return 2 * block; }

    // The input is A, row by row, and then B. Shared memory holds a tile of each.
    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned B = probe.block_size();
        const unsigned tile = B == 256 ? 16 : 32;
        const unsigned y = probe.thread() / tile, x = probe.thread() % tile;
        const Index rows = probe.argument(0), columns = probe.argument(1), inner = probe.argument(2);
        auto s = probe.shared(2 * B);

        const Index across = (columns + tile - 1) / tile;
        const Index row = probe.block() / across * tile + y;
        const Index column = probe.block() % across * tile + x;

        Value sum = probe.identity();
        for (Index first = 0; first < inner; first += tile) {
            if (first > 0) {
                probe.gather();
            }
            const bool in_a = row < rows && first + x < inner;
            const bool in_b = first + y < inner && column < columns;
            s[y * tile + x] = probe.load(in, row * inner + first + x, in_a ? n : 0);
            s[B + y * tile + x] = probe.load(in, rows * inner + (first + y) * columns + column, in_b ? n : 0);
            probe.barrier();

            probe.stage(static_cast<unsigned>(first / tile) + 1);
            for (unsigned k = 0; k < tile; ++k) {
                sum = probe.combine(sum, probe.multiply(s[y * tile + k], s[B + k * tile + x]));
            }
            probe.barrier();
        }

        probe.store();
        if (const auto taken = probe.branch(row < rows && column < columns)) {
            probe.put(out, row * columns + column, sum);
        }
    }
};

} // namespace warptree
