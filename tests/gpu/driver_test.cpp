#include "app/gpu/device.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace warptree::gpu {
namespace {

// PTX, so only the driver compiles it.
constexpr const char* kTwice = R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 data) {
    .reg .b32 %r<3>;
    .reg .b64 %a<4>;
    ld.param.u64 %a1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %a2, %r1, 4;
    add.s64 %a3, %a1, %a2;
    ld.global.u32 %r2, [%a3];
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%a3], %r2;
    ret;
}
.visible .entry forever(.param .u64 data) {
    .reg .b32 %r<2>;
    .reg .b64 %a<2>;
    .reg .pred %p1;
    ld.param.u64 %a1, [data];
again:
    ld.volatile.global.u32 %r1, [%a1];
    setp.ne.u32 %p1, %r1, 123456789;
    @%p1 bra again;
    ret;
}
)";

TEST(Driver, SaysWhyThereIsNone) {
    if (usable()) {
        EXPECT_EQ(why_not(), "");
        EXPECT_GE(driver_version(), 10000);
        return;
    }
    EXPECT_NE(why_not(), "");
    EXPECT_EQ(why_not().find("--backend"), std::string::npos) << "also said of what only a GPU can do: " << why_not();
    try {
        driver();
        ADD_FAILURE() << "there is no driver";
    } catch (const MissingDevice& e) {
        EXPECT_NE(std::string(e.what()).find("--backend cpu"), std::string::npos) << e.what();
    }
    EXPECT_THROW(facts(), MissingDevice);
    EXPECT_TRUE(devices().empty());
}

TEST(Driver, TellsErrorsApart) {
    EXPECT_THROW(fail(api::kOutOfMemory, "taking memory"), OutOfMemory);
    EXPECT_THROW(fail(api::kUnsupportedPtxVersion, "loading"), DriverTooOld);
    EXPECT_THROW(fail(api::kInvalidPtx, "loading"), BadCode);
    EXPECT_THROW(fail(api::kLaunchOutOfResources, "launching"), OutOfResources);
    EXPECT_THROW(fail(api::kInvalidValue, "launching"), DeviceError);
    try {
        fail(api::kInvalidPtx, "running the kernel", "more");
    } catch (const DeviceError& e) {
        EXPECT_TRUE(std::string(e.what()).starts_with("running the kernel failed on the GPU: ")) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
}

// Runs in its own process: fails with `result`, which must throw Error and disable the GPU for the rest of the process.
template <class Error> [[noreturn]] void end_by(api::Result result, const std::string& why) {
    try {
        fail(result, "running");
    } catch (const Error&) {
        std::exit(given_up() && !usable() && why_not().starts_with(why) ? 7 : 1);
    }
    std::exit(2);
}

TEST(Driver, IsNotUsedAgainAfterAFaultOrALoss) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(end_by<KernelFault>(api::kIllegalAddress, "a kernel failed"), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(end_by<KernelFault>(api::kInvalidAddressSpace, "a kernel failed"), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(end_by<KernelFault>(api::kLaunchFailed, "a kernel failed"), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(end_by<DeviceLost>(api::kEccUncorrectable, "the GPU was lost"), testing::ExitedWithCode(7), "");
}

class OnGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (!usable()) {
            GTEST_SKIP() << why_not();
        }
    }
};

TEST_F(OnGpu, GpuRunsPtx) {
    const Module module(kTwice);
    std::vector<std::uint32_t> data(32);
    std::iota(data.begin(), data.end(), 1);
    Buffer buffer(data.size() * 4);
    buffer.upload(data.data(), data.size() * 4);
    api::Address address = buffer.address();
    launch({module.function("twice"), {1, 1, 1}, {32, 1, 1}, 0, {&address}});
    std::vector<std::uint32_t> got(32);
    buffer.download(got.data(), got.size() * 4);
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], 2 * data[i]);
    }
    EXPECT_FALSE(facts().name.empty());
    EXPECT_GT(facts().multiprocessors, 0);
}

TEST_F(OnGpu, GpuTellsItsErrorsApart) {
    EXPECT_THROW(Module("no code at all"), DeviceError);
    EXPECT_THROW(Module(".version 99.0\n.target sm_70\n.address_size 64\n"), DriverTooOld);
    EXPECT_THROW(Buffer(1ULL << 50), OutOfMemory);
    const Module module(kTwice);
    EXPECT_THROW(module.function("none"), DeviceError);
    api::Address address = 0;
    EXPECT_THROW(launch({module.function("twice"), {1, 1, 1}, {4096, 1, 1}, 0, {&address}}), DeviceError);
}

// Both tests corrupt the context, so each runs in its own process.
TEST_F(OnGpu, GpuFaultIsToldAndNothingHangs) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            const Module module(kTwice);
            api::Address nowhere = 64;
            launch({module.function("twice"), {1, 1, 1}, {32, 1, 1}, 0, {&nowhere}});
            try {
                wait();
            } catch (const KernelFault&) {
                std::exit(7);
            }
        },
        testing::ExitedWithCode(7), "");
}

TEST_F(OnGpu, GpuEndlessKernelIsLeftBehind) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            const Module module(kTwice);
            Buffer buffer(4);
            buffer.fill(0);
            api::Address address = buffer.address();
            launch({module.function("forever"), {1, 1, 1}, {1, 1, 1}, 0, {&address}});
            try {
                wait(std::chrono::milliseconds(300));
            } catch (const TimedOut&) {
                std::exit(usable() ? 1 : 8);
            }
        },
        testing::ExitedWithCode(8), "");
}

} // namespace
} // namespace warptree::gpu
