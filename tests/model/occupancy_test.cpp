// The occupancy model: check cases, and a comparison with NVIDIA's own calculators where available.
#include "app/theory/occupancy.hpp"

#include "app/base/error.hpp"
#include "app/theory/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define WARPTREE_TOOLKIT_CALCULATOR 1
#else
#define WARPTREE_TOOLKIT_CALCULATOR 0
#endif

namespace warptree::theory {
namespace {

bool binds(const Occupancy& o, Limit limit) {
    return std::find(o.binding.begin(), o.binding.end(), limit) != o.binding.end();
}

TEST(Occupancy, SquareBlocksWith1536ThreadsAnd8Blocks) {
    const DeviceLimits& fermi = require_device("fermi");
    EXPECT_EQ(fermi.threads, 1536U);
    EXPECT_EQ(fermi.blocks, 8U);
    const Occupancy small = occupancy(fermi, {8 * 8, 16, 0});
    EXPECT_EQ(small.threads, 512U);
    EXPECT_TRUE(binds(small, Limit::blocks));
    EXPECT_FALSE(binds(small, Limit::threads));
    const Occupancy middle = occupancy(fermi, {16 * 16, 16, 0});
    EXPECT_EQ(middle.threads, 1536U);
    EXPECT_DOUBLE_EQ(middle.fraction, 1);
    EXPECT_TRUE(binds(middle, Limit::threads));
    const Occupancy large = occupancy(fermi, {32 * 32, 16, 0});
    EXPECT_EQ(large.threads, 1024U);
    EXPECT_EQ(large.blocks, 1U);
}

TEST(Occupancy, RegistersAndSharedMemoryBind) {
    const DeviceLimits& hopper = require_device("hopper");
    // 64 registers × 256 threads × 4 blocks = 65536.
    const Occupancy registers = occupancy(hopper, {256, 64, 0});
    EXPECT_EQ(registers.blocks, 4U);
    EXPECT_EQ(registers.binding, std::vector{Limit::registers});
    // 33 registers per thread are allocated as 40.
    EXPECT_EQ(occupancy(hopper, {256, 33, 0}).blocks, occupancy(hopper, {256, 40, 0}).blocks);
    // 100 KB plus 1 KB reserved by the system: 2 × 101 of 228.
    const Occupancy shared = occupancy(hopper, {128, 16, 100 * 1024});
    EXPECT_EQ(shared.blocks, 2U);
    EXPECT_EQ(shared.binding, std::vector{Limit::shared});
    // G80: 10 registers × 256 threads × 3 blocks of 8192; with 11 registers only 2 fit. (Ryoo et al., PPoPP 2008)
    EXPECT_EQ(occupancy(require_device("g80"), {256, 10, 0}).blocks, 3U);
    EXPECT_EQ(occupancy(require_device("g80"), {256, 11, 0}).blocks, 2U);
}

TEST(Occupancy, SaysWhyNothingFits) {
    const DeviceLimits& g80 = require_device("g80");
    for (const KernelNeeds& k :
         {KernelNeeds{1024, 8, 0}, KernelNeeds{64, 200, 0}, KernelNeeds{64, 8, 17 * 1024}, KernelNeeds{512, 40, 0}}) {
        const Occupancy o = occupancy(g80, k);
        EXPECT_EQ(o.blocks, 0U);
        EXPECT_FALSE(o.why_none.empty());
        EXPECT_TRUE(o.binding.empty());
    }
}

TEST(Occupancy, NeverExceedsTheDevice) {
    for (const DeviceLimits& d : device_limits()) {
        for (const std::uint32_t threads : {1U, 31U, 32U, 33U, 64U, 192U, 256U, 512U, 1000U, 1024U}) {
            for (const std::uint32_t registers : {1U, 16U, 37U, 63U, 128U, 255U}) {
                for (const std::uint64_t shared : {0U, 1U, 1000U, 16384U, 49152U, 101376U}) {
                    const Occupancy o = occupancy(d, {threads, registers, shared});
                    EXPECT_LE(o.threads, d.threads);
                    EXPECT_LE(o.warps, d.warps);
                    EXPECT_LE(o.blocks, d.blocks);
                    EXPECT_LE(o.blocks * shared, d.shared);
                    EXPECT_LE(std::uint64_t{o.threads} * registers, d.registers);
                    EXPECT_EQ(o.binding.empty(), o.blocks == 0);
                    // Resident blocks stay within capacity, and one more block would exceed each binding limit, except
                    // registers: a partition of the multiprocessor may have some left that no warp can use.
                    for (const LimitedBlocks& l : o.limits) {
                        const std::uint64_t each = taken_by_block(d, {threads, registers, shared}, l.limit);
                        EXPECT_LE(each * o.blocks, capacity(d, l.limit)) << name(l.limit);
                        if (binds(o, l.limit) && l.limit != Limit::registers) {
                            EXPECT_GT(each * (o.blocks + 1), capacity(d, l.limit)) << name(l.limit);
                        }
                    }
                }
            }
        }
    }
}

TEST(Devices, AreNamedOnceAndHaveAMachine) {
    std::set<std::string_view> ids;
    for (const DeviceLimits& d : device_limits()) {
        EXPECT_TRUE(ids.insert(d.id).second);
        EXPECT_EQ(d.warps * 32, d.threads) << d.id;
        EXPECT_NE(machine_of(d.id), nullptr) << d.id;
    }
    for (const char* id : {"g80", "fermi", "kepler", "pascal", "volta", "ampere", "hopper"}) {
        EXPECT_TRUE(ids.contains(id)) << id;
    }
    EXPECT_THROW(require_device("voodoo"), OptionError);
}

#if WARPTREE_TOOLKIT_CALCULATOR
// cuda_occupancy.h runs on the host, for any device properties. It supports compute capabilities from 3.0.
TEST(Occupancy, AgreesWithTheToolkitsCalculator) {
    for (const DeviceLimits& d : device_limits()) {
        if (d.major < 3) {
            continue;
        }
        cudaOccDeviceProp props;
        props.computeMajor = d.major;
        props.computeMinor = d.minor;
        props.maxThreadsPerBlock = static_cast<int>(d.threads_per_block);
        props.maxThreadsPerMultiprocessor = static_cast<int>(d.threads);
        props.regsPerBlock = static_cast<int>(d.registers_per_block);
        props.regsPerMultiprocessor = static_cast<int>(d.registers);
        props.warpSize = 32;
        props.sharedMemPerBlock = std::min<std::size_t>(d.shared_per_block, 49152);
        props.sharedMemPerMultiprocessor = d.shared;
        props.numSms = 1;
        props.sharedMemPerBlockOptin = d.shared_per_block;
        props.reservedSharedMemPerBlock = d.shared_reserved;
        cudaOccDeviceState state;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        state.cacheConfig = CACHE_PREFER_SHARED;
        for (std::uint32_t threads = 1; threads <= 1024; threads += threads < 64 ? 1 : 31) {
            for (std::uint32_t registers = 1; registers <= 255; registers += 1 + registers / 9) {
                for (const std::uint64_t shared : {0U, 1U, 513U, 4000U, 16384U, 33000U, 49152U, 65536U, 101000U}) {
                    cudaOccFuncAttributes kernel;
                    kernel.maxThreadsPerBlock = 1024;
                    kernel.numRegs = static_cast<int>(registers);
                    kernel.sharedSizeBytes = 0;
                    kernel.maxDynamicSharedSizeBytes = d.shared_per_block;
                    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                    kernel.numBlockBarriers = 1;
                    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
                    cudaOccResult result;
                    const bool told =
                        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &props, &kernel, &state,
                                                                static_cast<int>(threads), shared) == CUDA_OCC_SUCCESS;
                    const auto blocks = told ? static_cast<std::uint32_t>(result.activeBlocksPerMultiprocessor) : 0;
                    ASSERT_EQ(occupancy(d, {threads, registers, shared}).blocks, blocks)
                        << d.id << ": " << threads << " threads, " << registers << " registers, " << shared;
                }
            }
        }
    }
}
#endif

} // namespace
} // namespace warptree::theory
