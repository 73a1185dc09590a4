// A strategy as the interpreter runs it.
#pragma once

#include "kernels/cpu/worker.hpp"
#include "kernels/strategy.hpp"

#include <array>
#include <bit>

namespace warptree::cpu {

inline constexpr std::size_t kBlockSizes = 11; // 1, 2, 4 … 1024

struct KernelTable {
    StrategyInfo info;
    std::uint32_t (*shared_elements)(const Geometry& geometry);
    std::array<std::array<KernelEntry, kBlockSizes>, 5> entries; // [element type][log2 block, or any]

    KernelEntry entry(ElementType type, std::uint32_t block) const {
        const auto k = std::has_single_bit(block) ? static_cast<std::size_t>(std::countr_zero(block)) : 0;
        return entries[static_cast<std::size_t>(type)][k];
    }
};

} // namespace warptree::cpu
