// Compiles one strategy for the interpreter: every element type, and every block size where that is a template
// parameter. Used by the generated translation unit of each strategy.
#pragma once

#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/probe.hpp"
#include "kernels/reduce/last_block_finish.hpp"

#include <bit>
#include <utility>

namespace warptree::cpu {

template <class Strategy, class T, unsigned B> void enter(ThreadContext& t) {
    const Probe<T> probe(t);
    if constexpr (B != 0) {
        Strategy::template run<B>(probe, {}, {}, t.worker->launch().n);
    } else {
        Strategy::run(probe, {}, {}, t.worker->launch().n);
    }
    if (!Strategy::info.finishes_last && t.worker->launch().finish == Finish::last_block) {
        finish_in_last_block(probe, {});
    }
}

template <class Strategy, class T> constexpr std::array<KernelEntry, kBlockSizes> entries() {
    std::array<KernelEntry, kBlockSizes> row{};
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { ((row[K] = &enter<Strategy, T, 1U << K>), ...); }
        (std::make_index_sequence<kBlockSizes>{});
    } else {
        row.fill(&enter<Strategy, T, 0>);
    }
    return row;
}

template <class Strategy> constexpr KernelTable make_table() {
    KernelTable table{Strategy::info, &shared_words<Strategy>, {}};
    table.entries = {entries<Strategy, std::int32_t>(), entries<Strategy, std::uint32_t>(),
                     entries<Strategy, std::int64_t>(), entries<Strategy, float>(), entries<Strategy, double>()};
    return table;
}

} // namespace warptree::cpu

#define WARPTREE_CPU_INSTANTIATE(Strategy)                                                                             \
    namespace warptree::cpu {                                                                                          \
    extern const KernelTable kernels_##Strategy;                                                                       \
    const KernelTable kernels_##Strategy = make_table<warptree::Strategy>();                                           \
    }
