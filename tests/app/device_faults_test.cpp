// Messages when the GPU or its driver fails, tested with a fake driver.
#include "tests/app/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace warptree::testing {
namespace {
using ::testing::HasSubstr;

Finished with_fault(const std::string& fault, std::vector<std::string> arguments) {
    return run_program(Start{
        std::move(arguments), {{"WARPTREE_DRIVER", tests::pretend_driver()}, {"WARPTREE_PRETEND", fault}}, {}, {}});
}

Finished trace(const std::string& fault) {
    const std::string file = ::testing::TempDir() + "/device_faults_" + fault + ".wtrace";
    const Finished ran =
        with_fault(fault, {"record", "sequential", "-n", "64", "--block", "64", "--backend", "cuda", "-o", file});
    EXPECT_NE(access(file.c_str(), F_OK), 0) << "a failed run leaves no file";
    return ran;
}

Finished time(const std::string& fault) {
    return with_fault(fault, {"bench", "sequential", "-n", "64", "--no-peers", "--min-time", "0.01", "--time-limit",
                              "0.02", "--gpu-limit", "0.3"});
}

// One line on stderr that names a remedy.
void expect_says(const Finished& ran, int code, const std::string& what, const std::string& remedy) {
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(what));
    EXPECT_THAT(ran.err, HasSubstr(remedy));
    EXPECT_EQ(ran.out, "");
}

TEST(DeviceFaults, ALostDevice) {
    expect_says(trace("lost"), 2, "uncorrectable ECC error",
                "restart this program to use the GPU again; --backend cpu");
    expect_says(time("lost"), 2, "uncorrectable ECC error", "restart this program to use the GPU again; --backend cpu");
}

TEST(DeviceFaults, AKernelThatFails) {
    expect_says(trace("fault"), 2, "CUDA_ERROR_ILLEGAL_ADDRESS", "--backend cpu shows the line");
    expect_says(time("fault"), 2, "CUDA_ERROR_ILLEGAL_ADDRESS", "--backend cpu shows the line");
}

TEST(DeviceFaults, AKernelThatDoesNotEnd) {
    const Finished ran = time("hang");
    expect_says(ran, 2, "did not end within 0.3 s on the GPU", "until this program starts again");
    const std::size_t told = ran.err.find("a kernel that does not end within 0.3 s is abandoned (--gpu-limit)");
    EXPECT_LT(told, ran.err.find("did not end within")) << "the limit is told before the kernel starts: " << ran.err;
}

TEST(DeviceFaults, NoMemoryLeft) {
    expect_says(trace("memory"), 2, "out of memory", "take fewer elements, or stop other programs that use the GPU");
    expect_says(time("memory"), 2, "out of memory", "take fewer elements, or stop other programs that use the GPU");
}

TEST(DeviceFaults, ADriverOlderThanTheCode) {
    expect_says(trace("old"), 3, "the driver is for CUDA 11.4", "update it, or use --backend cpu");
    expect_says(time("old"), 3, "the driver is for CUDA 11.4", "update it, or use --backend cpu");
}

// Its host half runs until the launch, of which the line says what the GPU said.
TEST(DeviceFaults, AProgramsLaunch) {
    const std::string file = ::testing::TempDir() + "/device_faults.cu";
    std::ofstream(file) << "#include <cstdio>\n"
                           "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
                           "int main() {\n"
                           "    int* a;\n"
                           "    cudaMalloc(&a, 128);\n"
                           "    puts(\"before\");\n"
                           "    fflush(stdout);\n"
                           "    k<<<1, 32>>>(a);\n"
                           "    puts(\"behind\");\n"
                           "}\n";
    const auto ran = [&](const std::string& fault) { return with_fault(fault, {"run", file, "--backend", "cuda"}); };
    const Finished failed = ran("fault");
    EXPECT_EQ(failed.code, 2) << failed.err;
    EXPECT_EQ(failed.out, "before\n");
    EXPECT_THAT(failed.err, HasSubstr("k<<<1, 32>>> in line 8: "));
    EXPECT_THAT(failed.err, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(failed.err, HasSubstr("--backend cpu shows the line"));
    EXPECT_THAT(ran("memory").err, HasSubstr("out of memory"));
    // The pretended GPU does nothing, which the interpreter finds when it follows.
    const Finished idle = ran("");
    EXPECT_EQ(idle.out, "before\nbehind\n");
    EXPECT_THAT(idle.err, HasSubstr("the GPU took another path"));
}

TEST(DeviceFaults, NoDriverForAProgram) {
    const Finished ran = run_program(Start{{"run", tests::source_dir() / "kernels/lab/main04.cu", "--backend", "cuda"},
                                           {{"WARPTREE_DRIVER", "/nowhere"}},
                                           {},
                                           {}});
    expect_says(ran, 3, "no NVIDIA driver", "--backend cpu runs without one");
}

} // namespace
} // namespace warptree::testing
