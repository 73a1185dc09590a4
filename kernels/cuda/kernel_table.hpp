// A strategy as the GPU runs it. No CUDA type: the launchers hide them.
#pragma once

#include "app/base/element_type.hpp"
#include "app/measure/clocks/marks.hpp"
#include "kernels/cuda/events.hpp"
#include "kernels/strategy_info.hpp"

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

// The real kernel with clock readings, one record a warp and kMostMarks marks a warp.
struct ClockBuffers {
    clocks::WarpClock* warps;
    clocks::Mark* marks;
};
using ClockLauncher = int (*)(const RealParams& params, const ClockBuffers& buffers);
inline constexpr std::array kClockTypes{ElementType::i32, ElementType::f64};
inline constexpr std::array<std::uint32_t, 4> kClockBlocks{128, 256, 512, 1024};

struct KernelTable {
    std::string_view id;
    std::uint32_t (*shared_elements)(const Geometry& geometry);
    // Those of finished.hpp; nullptr for one that is not compiled.
    RealLauncher (*finished)(ElementType type, Operator op, Finish finish, std::uint32_t block);
    std::array<std::array<TraceLauncher, kBlockSizes>, 5> trace; // [element type][log2 block, or any]
    std::array<std::array<RealLauncher, kBlockSizes>, 5> real;
    // [kClockTypes][kClockBlocks]; any_block: each row's launchers take every block size
    std::array<std::array<ClockLauncher, kClockBlocks.size()>, kClockTypes.size()> clock{};
    bool any_block = false;

    static std::size_t column(std::uint32_t block) {
        return std::has_single_bit(block) ? static_cast<std::size_t>(std::countr_zero(block)) : 0;
    }
};

// nullptr when it is not compiled.
inline ClockLauncher clock_launcher(const KernelTable& table, ElementType type, std::uint32_t block) {
    for (std::size_t t = 0; t < kClockTypes.size(); ++t) {
        for (std::size_t b = 0; b < kClockBlocks.size() && kClockTypes[t] == type; ++b) {
            if (table.any_block || kClockBlocks[b] == block) {
                return table.clock[t][b];
            }
        }
    }
    return nullptr;
}

std::span<const KernelTable* const> kernel_tables();
const KernelTable& kernel_table(std::string_view id); // of an existing strategy

} // namespace warptree::cuda
