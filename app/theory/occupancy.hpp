// How many blocks of a kernel can be resident on a multiprocessor, and what limits them.
//
// The rules of the CUDA Occupancy Calculator and of cuda_occupancy.h (CUDA Toolkit): each resource has an allocation
// granularity, and the one that runs out first is the limiter.
#pragma once

#include "app/theory/device_limits.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warptree::theory {

struct KernelNeeds {
    std::uint32_t threads = 256;  // per block, 1 … 1024
    std::uint32_t registers = 16; // per thread, 1 … 255
    std::uint64_t shared = 0;     // bytes per block
};

enum class Limit : std::uint8_t { threads, warps, blocks, registers, shared };
std::string_view name(Limit limit); // "threads", "warps", …

struct LimitedBlocks {
    Limit limit{};
    std::uint32_t blocks = 0; // that this limit alone allows
};

struct Occupancy {
    std::uint32_t blocks = 0, warps = 0, threads = 0; // resident on a multiprocessor
    double fraction = 0;                              // occupancy: resident warps over the device's maximum, 0 … 1
    std::vector<LimitedBlocks> limits;                // each of the five
    std::vector<Limit> binding;                       // the limiters: those that allow no more than `blocks`
    std::string_view why_none;                        // why no block fits; empty when one does
};

Occupancy occupancy(const DeviceLimits& device, const KernelNeeds& kernel);

// How much of the resource a multiprocessor has and one block takes: threads, warps, blocks, registers or bytes. What
// a block takes is rounded up to the allocation granularity.
std::uint64_t capacity(const DeviceLimits& device, Limit limit);
std::uint64_t taken_by_block(const DeviceLimits& device, const KernelNeeds& kernel, Limit limit);

} // namespace warptree::theory
