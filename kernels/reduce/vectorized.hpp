#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"

#include <algorithm>

namespace warptree {

struct Vectorized {
    static constexpr Parameter kParameters[] = {
        {.name = "blocks", .help = "most blocks of the grid", .least = 1, .most = 65536, .fallback = 528}};
    static constexpr std::uint64_t kFourBytes = 4; // elements of 4 bytes in 16
    static constexpr StrategyInfo info{
        .id = "vectorized",
        .title = "Vectorized loads, several in flight",
        .family = Family::shuffle_atomic,
        .lesson = "The project's own fastest: each thread loads 16 bytes at once and keeps four such loads in "
                  "flight before it combines what they brought, so that memory never waits for arithmetic; then "
                  "shuffles within the warp and one round over shared memory. A reduction does one combine for each "
                  "element it loads: bandwidth is all there is to win, and wide loads with enough of them on the "
                  "way win it.",
        .result = "Thread 0, in a register.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 512,
        .elements_per_thread = 16,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/vectorized.hpp",
        .parameters = kParameters,
        .grid =
            [](const Geometry& g) {
                const std::uint64_t tile = std::uint64_t{g.block} * 4 * kFourBytes;
                return std::min<std::uint64_t>((g.n + tile - 1) / tile, g.arguments[0]);
            },
        .default_finish = Finish::last_block};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        constexpr unsigned V = Probe::kVector;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        auto s = probe.shared(32);

        const Index vectors = (n + V - 1) / V;
        const Index grid_stride = probe.grid_size() * (4 * B);
        Value sum = probe.identity();
        for (Index i = probe.block() * (4 * B) + t; i < vectors; i += grid_stride) {
            const auto a = probe.load_vector(in, i, n);
            const auto b = probe.load_vector(in, i + B, n);
            const auto c = probe.load_vector(in, i + 2 * B, n);
            const auto d = probe.load_vector(in, i + 3 * B, n);
            for (unsigned k = 0; k < V; ++k) {
                const Value ab = probe.combine(a[k], b[k]);
                const Value cd = probe.combine(c[k], d[k]);
                sum = probe.combine(sum, probe.combine(ab, cd));
            }
        }
        const Value v = block_reduce(probe, s, sum);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
