// Compiles one strategy for the GPU: traced for every element type with the operator chosen at run time, real for
// the sum of every element type and with what only timing asks for, and with clock readings for the sum of some. Used
// by the generated translation unit of each strategy.
#pragma once

#include "kernels/cuda/finished.cuh"
#include "kernels/cuda/launchers.cuh"

#include <utility>

namespace warptree::cuda {

template <class Strategy, class T> void fill(KernelTable& table) {
    const auto row = static_cast<std::size_t>(ElementTypeOf<T>::value);
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((table.trace[row][K] = &launch_traced<Strategy, T, 1U << K>), ...);
            ((table.real[row][K] = &launch_real<Strategy, T, 1U << K>), ...);
        }
        (std::make_index_sequence<kBlockSizes>{});
    } else {
        table.trace[row].fill(&launch_traced<Strategy, T, 0>);
        table.real[row].fill(&launch_real<Strategy, T, 0>);
    }
}

template <class Strategy, std::size_t Row> void fill_clock(KernelTable& table) {
    using T = std::conditional_t<kClockTypes[Row] == ElementType::i32, std::int32_t, double>;
    if constexpr (BlockIsTemplate<Strategy>) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((table.clock[Row][K] = &launch_clocked<Strategy, T, kClockBlocks[K]>), ...);
        }
        (std::make_index_sequence<kClockBlocks.size()>{});
    } else {
        table.clock[Row].fill(&launch_clocked<Strategy, T, 0>);
        table.any_block = true;
    }
}

template <class Strategy> KernelTable make_table() {
    KernelTable table{Strategy::info.id, &shared_words<Strategy>, &finished_kernel<Strategy>, {}, {}, {}, false};
    fill<Strategy, std::int32_t>(table);
    fill<Strategy, std::uint32_t>(table);
    fill<Strategy, std::int64_t>(table);
    fill<Strategy, float>(table);
    fill<Strategy, double>(table);
    fill_clock<Strategy, 0>(table);
    fill_clock<Strategy, 1>(table);
    return table;
}

} // namespace warptree::cuda

#define WARPTREE_CUDA_INSTANTIATE(Strategy)                                                                            \
    namespace warptree::cuda {                                                                                         \
    const KernelTable& table_##Strategy() {                                                                            \
        static const KernelTable table = make_table<warptree::Strategy>();                                             \
        return table;                                                                                                  \
    }                                                                                                                  \
    }
