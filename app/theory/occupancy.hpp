// How many blocks of a kernel a multiprocessor holds at once, and what stops it from holding more.
//
// The rules of the CUDA Occupancy Calculator and of cuda_occupancy.h (CUDA Toolkit): each resource is handed out in
// granules, and the one that runs out first binds.
#pragma once

#include "app/theory/device_limits.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warptree::theory {

struct KernelNeeds {
    std::uint32_t threads = 256;  // a block, 1 … 1024
    std::uint32_t registers = 16; // a thread, 1 … 255
    std::uint64_t shared = 0;     // bytes a block
};

enum class Limit : std::uint8_t { threads, warps, blocks, registers, shared };
std::string_view name(Limit limit); // "threads", "warps", …

struct LimitedBlocks {
    Limit limit{};
    std::uint32_t blocks = 0; // that this limit alone would let in
};

struct Occupancy {
    std::uint32_t blocks = 0, warps = 0, threads = 0; // resident on a multiprocessor
    double fraction = 0;                              // warps against the most the device holds, 0 … 1
    std::vector<LimitedBlocks> limits;                // each of the five
    std::vector<Limit> binding;                       // those that let in no more than `blocks`
    std::string_view why_none;                        // why no block fits; empty when one does
};

Occupancy occupancy(const DeviceLimits& device, const KernelNeeds& kernel);

// What a multiprocessor has of it, and what one block takes of it: in threads, warps, blocks, registers or bytes, in whole
// granules.
std::uint64_t capacity(const DeviceLimits& device, Limit limit);
std::uint64_t taken_by_block(const DeviceLimits& device, const KernelNeeds& kernel, Limit limit);

} // namespace warptree::theory
