// Our occupancy compared with the driver's, for kernels with any number of registers.
#include "app/gpu/device.hpp"
#include "app/theory/device_limits.hpp"
#include "app/theory/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warptree::theory {
namespace {

// A kernel that keeps `live` values across a barrier.
std::string kernel_text(int live) {
    std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry keep(.param .u64 p) {\n"
                       ".reg .u64 %a;\n.reg .u32 %r<256>;\nld.param.u64 %a, [p];\ncvta.to.global.u64 %a, %a;\n";
    for (int i = 0; i < live; ++i) {
        text += "ld.global.u32 %r" + std::to_string(i) + ", [%a+" + std::to_string(4 * i) + "];\n";
    }
    text += "bar.sync 0;\n";
    for (int i = 0; i < live; ++i) {
        text += "st.global.u32 [%a+" + std::to_string(4 * (live - 1 - i)) + "], %r" + std::to_string(i) + ";\n";
    }
    return text + "ret;\n}\n";
}

TEST(OccupancyGpu, AgreesWithTheDriver) {
    if (!gpu::usable()) {
        GTEST_SKIP() << gpu::why_not();
    }
    const gpu::DeviceFacts& facts = gpu::facts();
    const auto all = device_limits();
    const auto d = std::find_if(all.begin(), all.end(), [&](const DeviceLimits& it) {
        return it.major == facts.compute_major && it.minor == facts.compute_minor;
    });
    if (d == all.end()) {
        GTEST_SKIP() << "no limits are kept for compute capability " << facts.architecture();
    }
    EXPECT_EQ(d->threads, static_cast<std::uint32_t>(facts.threads_per_multiprocessor));
    EXPECT_EQ(d->blocks, static_cast<std::uint32_t>(facts.blocks_per_multiprocessor));
    EXPECT_EQ(d->registers, static_cast<std::uint32_t>(facts.registers_per_multiprocessor));
    EXPECT_EQ(d->shared, facts.shared_per_multiprocessor);
    EXPECT_EQ(d->shared_per_block, facts.shared_per_block_optin);
    EXPECT_EQ(d->shared_reserved, facts.shared_reserved);
    std::set<int> registers;
    for (const int live : {1, 8, 30, 60, 120, 200}) {
        const gpu::Module code(kernel_text(live));
        const gpu::api::Function function = code.function("keep");
        const gpu::api::DriverFunctions& driver = gpu::driver();
        int used = 0;
        ASSERT_EQ(driver.function_attribute(&used, gpu::api::kRegisters, function), gpu::api::kSuccess);
        registers.insert(used);
        ASSERT_EQ(
            driver.function_set(function, gpu::api::kMaxDynamicSharedBytes, static_cast<int>(d->shared_per_block)),
            gpu::api::kSuccess);
        ASSERT_EQ(driver.function_set(function, gpu::api::kSharedCarveout, 100), gpu::api::kSuccess);
        for (const int threads : {1, 32, 33, 64, 96, 128, 200, 256, 384, 512, 768, 1000, 1024}) {
            for (const std::size_t shared : {0U, 1U, 1000U, 8192U, 20000U, 49152U, 100000U}) {
                int blocks = 0;
                ASSERT_EQ(driver.occupancy(&blocks, function, threads, shared), gpu::api::kSuccess);
                EXPECT_EQ(occupancy(*d, {static_cast<std::uint32_t>(threads), static_cast<std::uint32_t>(used), shared})
                              .blocks,
                          static_cast<std::uint32_t>(blocks))
                    << threads << " threads, " << used << " registers, " << shared << " bytes";
            }
        }
    }
    EXPECT_GE(registers.size(), 4U) << "the kernels were to differ";
}

} // namespace
} // namespace warptree::theory
