// Compiles one strategy for the interpreter: every element type, and every block size where that is a template
// parameter. Used by the generated translation unit of each strategy.
#pragma once

#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/probe.hpp"

#include <bit>
#include <utility>

namespace warptree::cpu {

template <class Strategy>
concept BlockIsTemplate = requires {
    Strategy::kBlockIsTemplate;
};

template <class Strategy, class T> void enter(ThreadContext& t) {
    Strategy::run(Probe<T>(t), {}, {}, t.worker->launch().n);
}
template <class Strategy, class T, unsigned B> void enter_block(ThreadContext& t) {
    Strategy::template run<B>(Probe<T>(t), {}, {}, t.worker->launch().n);
}

template <class Strategy, class T> constexpr std::array<KernelEntry, kBlockSizes> entries() {
    std::array<KernelEntry, kBlockSizes> row{};
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { ((row[K] = &enter_block<Strategy, T, 1U << K>), ...); }
        (std::make_index_sequence<kBlockSizes>{});
    } else {
        row.fill(&enter<Strategy, T>);
    }
    return row;
}

template <class Strategy> constexpr KernelTable make_table() {
    KernelTable table{Strategy::info, &Strategy::shared_elements, {}};
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
