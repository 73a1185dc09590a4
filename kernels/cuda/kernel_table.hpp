// A strategy as the GPU runs it. No CUDA type: the launchers hide them.
#pragma once

#include "kernels/cuda/events.hpp"
#include "kernels/simt/element.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace warptree::cuda {

inline constexpr std::size_t kBlockSizes = 11; // 1, 2, 4 … 1024

// Both return the cudaError_t of the launch; the work itself is asynchronous on the default stream.
using TraceLauncher = int (*)(const TraceParams& params, std::uint32_t blocks, std::uint32_t threads,
                              std::uint32_t shared_elements);
// The real kernel, sum only: atomically where the strategy is so, else one partial a block.
struct RealParams {
    const void* in;
    void* out;
    std::uint64_t n;
    std::uint32_t grid, threads, shared_elements;
    Arguments arguments;
};
using RealLauncher = int (*)(const RealParams& params);

struct KernelTable {
    std::string_view id;
    std::uint32_t (*shared_elements)(std::uint32_t block, const Arguments& arguments);
    std::array<std::array<TraceLauncher, kBlockSizes>, 5> trace; // [element type][log2 block, or any]
    std::array<std::array<RealLauncher, kBlockSizes>, 5> real;

    static std::size_t column(std::uint32_t block) {
        return std::has_single_bit(block) ? static_cast<std::size_t>(std::countr_zero(block)) : 0;
    }
};

std::span<const KernelTable* const> kernel_tables();
const KernelTable& kernel_table(std::string_view id); // of an existing strategy

} // namespace warptree::cuda
