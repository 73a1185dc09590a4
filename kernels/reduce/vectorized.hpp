#pragma once

#include "kernels/reduce/warp_reduce.hpp"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

#include <algorithm>

namespace warptree {

struct Vectorized {
    static constexpr unsigned kLoads = 8;              // of a thread in flight
    static constexpr std::uint64_t kThreadBytes = 128; // kLoads
    static constexpr Parameter kParameters[] = {
        {.name = "blocks", .help = "most blocks of the grid", .least = 1, .most = 65536, .fallback = 264}};
    static constexpr StrategyInfo info{
        .id = "vectorized",
        .title = "Vectorized loads, several in flight",
        .family = Family::shuffle_atomic,
        .lesson =
            "The project's own fastest: a reduction does one combine for each element it loads, so bandwidth is "
            "all there is to win. Each thread loads 16 bytes at once and has eight such loads in flight before "
            "it combines what they brought, so that memory never waits for arithmetic. What is little is spread "
            "over many blocks; what is much is a queue of tiles, from which a block takes the next while its "
            "loads are under way, so that none ends long before the others. Then shuffles within the warp and one "
            "round over shared memory. Each block writes its partial and a flag as one word, which needs no fence "
            "and no atomic; the first block waits for these words and makes them one: a single launch.",
        .result = "Thread 0 of block 0, in a register.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 512,
        .elements_per_thread = 16,
        .source = "reduce/vectorized.hpp",
        .parameters = kParameters,
        .grid =
            [](const Geometry& g) {
                const std::uint64_t bytes = g.n * g.element_bytes, each = g.block * kThreadBytes;
                return std::min<std::uint64_t>((bytes + each - 1) / each, g.arguments[0]);
            },
        .finishes_last = true,
        .finishes_first = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        constexpr unsigned V = Probe::kVector;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const Index G = probe.grid_size();
        auto s = probe.shared(32);

        if (G == 1 && n <= 4 * V * B) {
            return run_small(probe, in, out, static_cast<unsigned>(n), s);
        }
        const Index vectors = n / V;
        const Index tiles = (vectors + kLoads * B - 1) / (kLoads * B);
        const bool one_each = tiles <= G; // a grid's width between a thread's loads; else a block's
        const Index stride = one_each ? G * B : B;
        auto queue = probe.queue(tiles);
        Index tile = probe.block();
        Value sum = probe.identity();
        do {
            const Index first = one_each ? probe.block() * B : tile * (kLoads * B);
            if (!one_each) {
                queue.ask();
            }
            Vector<Value, V> v[kLoads];
            if (first + (kLoads - 1) * stride + B <= vectors) {
                for (unsigned u = 0; u < kLoads; ++u) {
                    v[u] = probe.load_vector(in, first + u * stride + t);
                }
                for (unsigned width = kLoads / 2; width > 0; width /= 2) {
                    for (unsigned u = 0; u < width; ++u) {
                        for (unsigned k = 0; k < V; ++k) {
                            v[u][k] = probe.combine(v[u][k], v[u + width][k]);
                        }
                    }
                }
                sum = probe.combine(sum, of_vector(probe, v[0]));
            } else {
                for (unsigned u = 0; u < kLoads; ++u) {
                    const Index i = first + u * stride + t;
                    if (const auto taken = probe.branch(i < vectors)) {
                        v[u] = probe.load_vector(in, i);
                    }
                }
                for (unsigned u = 0; u < kLoads; ++u) {
                    if (const auto taken = probe.branch(first + u * stride + t < vectors)) {
                        sum = probe.combine(sum, of_vector(probe, v[u]));
                    }
                }
            }
            tile = one_each ? tiles : queue.next();
        } while (tile < tiles);
        const Index rest = vectors * V + t; // too few for a vector
        if (const auto taken = probe.branch(probe.block() == 0 && rest < n)) {
            sum = probe.combine(sum, probe.load(in, rest, n));
        }
        const Value partial = block_reduce(probe, s, sum);

        probe.store();
        if (G == 1) {
            if (const auto taken = probe.branch(t == 0)) {
                probe.put_total(out, partial);
            }
            return;
        }
        if (const auto taken = probe.branch(t == 0)) {
            probe.tell(out, partial);
        }
        if (probe.block() != 0) {
            return;
        }

        probe.gather();
        Value total = probe.hear(out, t, G);
        for (Index i = t + B; i < G; i += B) {
            total = probe.combine(total, probe.hear(out, i, G));
        }
        probe.barrier(); // shared memory is used again, and lanes that had nothing to hear are together with the rest
        total = block_reduce(probe, s, total);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.put_total(out, total);
        }
    }

  private:
    // One block, at most four loads a thread: the fewer instructions, the sooner it is done, for they too must be fetched.
    template <class Probe, class Shared>
    WARPTREE_KERNEL void run_small(Probe probe, typename Probe::Input in, typename Probe::Output out, unsigned n,
                                   Shared s) {
        using Value = typename Probe::Value;
        constexpr unsigned V = Probe::kVector;
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const unsigned vectors = n / V;

        Vector<Value, V> v[4];
        for (unsigned u = 0; u < 4; ++u) {
            if (const auto taken = probe.branch(u * B + t < vectors)) {
                v[u] = probe.load_vector(in, u * B + t);
            }
        }
        Value sum = probe.load(in, vectors * V + t, n); // too few for a vector
        for (unsigned u = 0; u < 4; ++u) {
            if (const auto taken = probe.branch(u * B + t < vectors)) {
                sum = probe.combine(sum, of_vector(probe, v[u]));
            }
        }
        const Value total = block_reduce(probe, s, sum);

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.put_total(out, total);
        }
    }
    template <class Probe, class Values> WARPTREE_KERNEL auto of_vector(Probe probe, const Values& v) {
        typename Probe::Value sum = v[0];
        for (unsigned k = 1; k < Probe::kVector; ++k) {
            sum = probe.combine(sum, v[k]);
        }
        return sum;
    }
};

} // namespace warptree
