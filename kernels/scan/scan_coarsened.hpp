#pragma once

#include "kernels/scan/block_scan.hpp"
#include "kernels/scan/scan_load.hpp"

namespace warptree {

struct ScanCoarsened {
    static constexpr Parameter parameters[] = {kExclusive,
                                               {.name = "batch",
                                                .help = "elements a thread scans one after another",
                                                .least = 1,
                                                .most = 16,
                                                .fallback = 4,
                                                .power_of_two = true}};
    static constexpr std::uint32_t tile(const Geometry& g) { return g.block * g.arguments[1]; }

    static constexpr StrategyInfo info{
        .id = "scan-coarsened",
        .title = "Scan of batches",
        .family = Family::scan,
        .lesson =
            "Each thread scans a batch of neighbouring elements one after another, which wastes no combine; "
            "scan-warp scans the threads' totals; and each thread adds what stands before its batch. Fewer "
            "barriers and shuffles an element: the larger the batch, the nearer to the bandwidth of memory, until "
            "registers run short. Block size and batch together are to be tuned.",
        .result = "Thread t holds elements t K to t K + K - 1 of the tile's scan, for a batch of K.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .source = "scan/scan_coarsened.hpp",
        .parameters = parameters,
        .answer = Answer::block_scan,
        .grid = [](const Geometry& g) { return (g.n + tile(g) - 1) / tile(g); },
        .outputs_per_block = &tile};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

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
            auto before = probe.shuffle_up(total, 1);
            if (const auto taken = probe.branch(probe.lane() == 0 && probe.warp() > 0)) {
                before = s[probe.warp() - 1];
            }
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

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        switch (probe.argument(1)) {
        case 1: return scan<1>(probe, in, out, n);
        case 2: return scan<2>(probe, in, out, n);
        case 4: return scan<4>(probe, in, out, n);
        case 8: return scan<8>(probe, in, out, n);
        case 16: return scan<16>(probe, in, out, n);
        }
    }
};

} // namespace warptree
