// Whole programs whose launches are traced on the local GPU, compared with the interpreter.
#include "app/catalogue/catalogue.hpp"
#include "app/gpu/device.hpp"
#include "app/gpu/driver.hpp"
#include "app/run/program/run.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warptree {
namespace {

class TracedProgram : public testing::Test {
  protected:
    void SetUp() override {
        if (!gpu::usable()) {
            GTEST_SKIP() << gpu::why_not();
        }
    }
};

struct Ran {
    runs::ProgramResult result;
    std::string printed;
};

Ran run_on(Backend backend, const std::string& file, const std::vector<std::string>& arguments = {}) {
    Ran ran;
    runs::ProgramRequest request;
    request.files = {file};
    request.arguments = arguments;
    request.run.backend = backend;
    RunControl control;
    ran.result = runs::run_program(
        request, control, [&](std::string_view text) { ran.printed += text; }, [](std::string_view) {});
    return ran;
}

// As a file: what uses each thing that one launch leaves to the next.
Ran run_text(Backend backend, const std::string& text) {
    const std::string path = testing::TempDir() + "traced_program.cu";
    std::ofstream(path) << text;
    return run_on(backend, path);
}

void expect_equal(const Ran& cpu, const Ran& on_gpu) {
    EXPECT_EQ(on_gpu.result.said, "");
    EXPECT_EQ(on_gpu.printed, cpu.printed);
    EXPECT_EQ(on_gpu.result.exit, cpu.result.exit);
    EXPECT_EQ(on_gpu.result.trace.options.backend, Backend::cuda);
    const Trace &a = cpu.result.trace, &b = on_gpu.result.trace;
    ASSERT_EQ(a.launches.size(), b.launches.size());
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        EXPECT_EQ(a.launches[i].findings, b.launches[i].findings)
            << "launch " << i << ": " << (b.launches[i].findings.empty() ? "" : b.launches[i].findings[0].text);
        EXPECT_TRUE(a.launches[i] == b.launches[i]) << "launch " << i;
    }
}

// The seven programs of the lab, and one that goes wrong: its findings are the same.
TEST_F(TracedProgram, LabsEqualTheInterpreter) {
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "kernels/lab")) {
        if (entry.path().extension() != ".cu") {
            continue;
        }
        SCOPED_TRACE(entry.path().filename().string());
        const std::vector<std::string> words{"4096"};
        const Ran cpu = run_on(Backend::cpu, entry.path().string(), words);
        const Ran on_gpu = run_on(Backend::cuda, entry.path().string(), words);
        EXPECT_EQ(on_gpu.result.said, "");
        EXPECT_EQ(on_gpu.result.exit, cpu.result.exit);
        EXPECT_EQ(on_gpu.result.trace.launches.size(), cpu.result.trace.launches.size());
        for (std::size_t i = 0; i < cpu.result.trace.launches.size(); ++i) {
            const Launch &a = cpu.result.trace.launches[i], &b = on_gpu.result.trace.launches.at(i);
            EXPECT_EQ(a.findings, b.findings) << (b.findings.empty() ? "" : b.findings[0].text);
            EXPECT_TRUE(a == b) << "launch " << i;
        }
    }
}

// Variables of the device, constants, pointers in structs and in arrays, managed memory, device printf, host code between.
TEST_F(TracedProgram, WhatOneLaunchLeavesIsThereInTheNext) {
    const std::string text = R"(
#include <cstdio>
__constant__ int mask[4];
__device__ int total = 5, steps[64];
struct Pair { const int* from; int* to; int n; };
__global__ void scale(Pair p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) p.to[i] = p.from[i] * mask[i % 4] + total;
    if (i < 64) steps[i] += i;
}
__global__ void gather(int* const* rows, int* out, int n) {
    int i = threadIdx.x;
    out[i] = rows[i % 2][i] + steps[i];
    if (i == 0) { total = 7; printf("gathered %d\n", out[0]); }
}
__global__ void halve(int* m, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = m[i];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (i < d) s[i] += s[i + d];
        __syncthreads();
    }
    if (i == 0) m[0] = s[0] + total;
}
int main() {
    const int n = 64, weights[4] = {1, -2, 3, 4};
    int *a, *b, *m, **rows, host[n];
    for (int i = 0; i < n; ++i) host[i] = i * i - 7;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMalloc(&rows, 2 * sizeof(int*));
    cudaMallocManaged(&m, n * sizeof(int));
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(mask, weights, sizeof weights);
    scale<<<2, 32>>>(Pair{a, b, n});
    int* both[2] = {a, b};
    cudaMemcpy(rows, both, sizeof both, cudaMemcpyHostToDevice);
    gather<<<1, 64>>>(rows, m, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) m[i] += 1;
    halve<<<1, 64>>>(m, n);
    cudaDeviceSynchronize();
    int after = 0;
    cudaMemcpyFromSymbol(&after, total, sizeof after);
    printf("%d %d\n", m[0], after);
    cudaFree(a); cudaFree(b); cudaFree(rows); cudaFree(m);
}
)";
    const Ran cpu = run_text(Backend::cpu, text);
    EXPECT_EQ(cpu.result.exit, 0);
    expect_equal(cpu, run_text(Backend::cuda, text));
}

// Refused with what would work: the whole grid cannot wait there.
TEST_F(TracedProgram, SaysWhatIsNotTraced) {
    const Ran on_gpu = run_text(Backend::cuda, R"(
#include <cooperative_groups.h>
__global__ void wait(int* a) { cooperative_groups::this_grid().sync(); a[threadIdx.x] = 1; }
int main() {
    int* a;
    cudaMalloc(&a, 128);
    void* args[] = {&a};
    cudaLaunchCooperativeKernel((void*)wait, dim3(1), dim3(32), args, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
}
)");
    EXPECT_EQ(on_gpu.result.exit, 2);
    EXPECT_NE(on_gpu.result.said.find("a grid barrier cannot be traced on a GPU; --backend cpu runs it"),
              std::string::npos)
        << on_gpu.result.said;
}

} // namespace
} // namespace warptree
