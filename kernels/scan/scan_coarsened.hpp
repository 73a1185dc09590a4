#pragma once

#include "kernels/scan/block_scan.hpp"
#include "kernels/scan/scan_load.hpp"

#include <string>

namespace warptree {

struct ScanCoarsened {
    // Twelve blocks of 128 threads on a multiprocessor of 65536.
    static constexpr unsigned most_registers(unsigned) { return 40; }

    static constexpr Parameter parameters[] = {kExclusive,
                                               {.name = "batch",
                                                .help = "elements a thread scans one after another",
                                                .least = 1,
                                                .most = 16,
                                                .fallback = 4,
                                                .power_of_two = true},
                                               {.name = "vectors",
                                                .help = "load and store 16 bytes at once",
                                                .least = 0,
                                                .most = 1,
                                                .fallback = 0,
                                                .flag = true}};
    static constexpr std::uint32_t tile(const Geometry& g) { return g.block * g.arguments[1]; }

    static constexpr StrategyInfo info{
        .id = "scan-coarsened",
        .title = "Scan of batches",
        .family = Family::scan,
        .lesson =
            "Each thread scans a batch of neighbouring elements one after another, which wastes no combine; "
            "scan-warp scans the threads' totals; and each thread adds what stands before its batch. Fewer "
            "barriers and shuffles an element: the larger the batch, the nearer to the bandwidth of memory, until "
            "registers run short. Neighbouring elements a thread are far apart within a warp: with --vectors the "
            "batch is loaded and stored 16 bytes at a time, and a batch of 16 bytes is coalesced again. Block size "
            "and batch together are to be tuned.",
        .result = "Thread t holds elements t K to t K + K - 1 of the tile's scan, for a batch of K.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 128,
        .elements_per_thread = 1,
        .source = "scan/scan_coarsened.hpp",
        .parameters = parameters,
        .answer = Answer::block_scan,
        .grid = [](const Geometry& g) { return (g.n + tile(g) - 1) / tile(g); },
        .outputs_per_block = &tile,
        .refusal = [](const RunOptions&, const Geometry& g) -> std::optional<std::string> {
            if (g.arguments[2] != 0 && g.arguments[1] * g.element_bytes % 16 != 0) {
                return "--vectors needs a batch of 16 bytes or a multiple; take --batch " +
                       std::to_string(16 / g.element_bytes) + " or more";
            }
            return std::nullopt;
        }};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    // What stands before the thread's batch, of the block's scan of the threads' totals: thread 0 keeps its own.
    template <class Probe, class Shared>
    WARPTREE_KERNEL auto before_thread(Probe probe, Shared s, typename Probe::Value scanned) {
        auto before = probe.shuffle_up(scanned, 1);
        if (const auto taken = probe.branch(probe.lane() == 0 && probe.warp() > 0)) {
            before = s[probe.warp() - 1];
        }
        return before;
    }

    // K is the batch: known to the compiler, so that it stays in registers.
    template <unsigned K, class Probe>
    WARPTREE_KERNEL void scan(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        typename Probe::Value v[K];
        const unsigned t = probe.thread();
        const Index first = probe.block() * (probe.block_size() * K);
        const Index i = first + t * K;
        auto s = probe.shared(32);

        for (unsigned k = 0; k < K; ++k) {
            v[k] = scan_load(probe, in, i + k, first, n);
        }
        for (unsigned k = 1; k < K; ++k) {
            probe.stage(k, Phase::batch);
            v[k] = probe.combine(v[k - 1], v[k]);
        }

        const auto total = block_scan(probe, s, v[K - 1]);

        if constexpr (K > 1) {
            probe.stage(K, Phase::add_to_batch);
            const auto before = before_thread(probe, s, total);
            if (const auto taken = probe.branch(t > 0)) {
                for (unsigned k = 0; k + 1 < K; ++k) {
                    v[k] = probe.combine(before, v[k]);
                }
            }
        }
        v[K - 1] = total;

        probe.store();
        for (unsigned k = 0; k < K; ++k) {
            if (const auto taken = probe.branch(i + k < n)) {
                probe.put(out, i + k, v[k]);
            }
        }
    }

    // The same with a batch of R vectors. Each warp adds up the totals before it by itself, which saves a barrier; and an
    // exclusive scan moves what it stores by one, not what it loads.
    template <unsigned R, class Probe>
    WARPTREE_KERNEL void scan_vectors(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        constexpr unsigned V = Probe::kVector, K = R * V;
        Vector<typename Probe::Value, V> v[R];
        const unsigned t = probe.thread();
        const Index tile = probe.block() * probe.block_size(); // in batches
        const bool whole = (tile + probe.block_size()) * K <= n;
        const Index i = (tile + t) * R;
        auto s = probe.shared(32);

        load_vectors(probe, in, i, 1, n, whole, v);
        for (unsigned k = 1; k < K; ++k) {
            probe.stage(k, Phase::batch);
            v[k / V][k % V] = probe.combine(v[(k - 1) / V][(k - 1) % V], v[k / V][k % V]);
        }

        const auto scanned = warp_scan(probe, v[R - 1][V - 1], 32, Phase::warps);
        if (const auto taken = probe.branch(probe.lane() == 31)) {
            s[probe.warp()] = scanned;
        }
        probe.barrier();
        probe.stage(32, Phase::add_totals);
        auto before = probe.identity();
        for (unsigned w = 0; w < probe.warp(); ++w) {
            before = probe.combine(before, s[w]);
        }
        const auto below = probe.shuffle_up(scanned, 1);
        if (const auto taken = probe.branch(probe.lane() > 0)) {
            before = probe.combine(before, below);
        }

        probe.stage(K, Phase::add_to_batch);
        for (unsigned k = 0; k < K; ++k) {
            v[k / V][k % V] = probe.combine(before, v[k / V][k % V]);
        }
        if (probe.argument(0) != 0) {
            for (unsigned k = K - 1; k > 0; --k) {
                v[k / V][k % V] = v[(k - 1) / V][(k - 1) % V];
            }
            v[0][0] = before;
        }

        probe.store();
        put_vectors(probe, out, i, 1, n, whole, v);
    }

    template <unsigned K, class Probe>
    WARPTREE_KERNEL void scan_batch(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        if constexpr (K >= Probe::kVector) {
            if (probe.argument(2) != 0) {
                return scan_vectors<K / Probe::kVector>(probe, in, out, n);
            }
        }
        scan<K>(probe, in, out, n);
    }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        switch (probe.argument(1)) {
        case 1: return scan_batch<1>(probe, in, out, n);
        case 2: return scan_batch<2>(probe, in, out, n);
        case 4: return scan_batch<4>(probe, in, out, n);
        case 8: return scan_batch<8>(probe, in, out, n);
        case 16: return scan_batch<16>(probe, in, out, n);
        }
    }
};

} // namespace warptree
