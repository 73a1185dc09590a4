// Resource limits of one multiprocessor, by device generation.
//
// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (threads, warps, blocks,
// registers, shared memory), and for allocation granularities the CUDA Occupancy Calculator with cuda_occupancy.h of
// the toolkit; compute capabilities 1.x to 3.x from the last edition of each that lists them (guides 6.5 and 11.8).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warptree::theory {

enum class RegisterUnit : std::uint8_t { block, warp }; // unit that registers are allocated for

struct DeviceLimits {
    std::string_view id;      // stable: "fermi"
    std::string_view name;    // "Fermi"
    std::string_view example; // a product: "GTX 480"
    int major = 0, minor = 0; // compute capability
    std::uint32_t threads_per_block = 0;
    std::uint32_t threads = 0, warps = 0, blocks = 0; // resident on a multiprocessor
    std::uint32_t registers = 0;                      // 32-bit, per multiprocessor
    std::uint32_t registers_per_thread = 0, registers_per_block = 0;
    std::uint32_t register_granule = 0; // allocation granularity, per block or warp
    RegisterUnit register_unit = RegisterUnit::warp;
    std::uint32_t warp_granule = 1;     // cc 1.x: warps of a block are rounded up to a multiple of it; later:
                                        // partitions, each with its share of the registers
    std::uint32_t shared = 0;           // bytes per multiprocessor, at the largest carveout from the L1 cache
    std::uint32_t shared_per_block = 0; // bytes; above 48 KB by opt-in
    std::uint32_t shared_granule = 0, shared_reserved = 0; // bytes; reserved: by the system, per block
};

std::span<const DeviceLimits> device_limits(); // oldest first
const DeviceLimits* find_device(std::string_view id);
const DeviceLimits& require_device(std::string_view id); // throws OptionError that lists the ids

} // namespace warptree::theory
