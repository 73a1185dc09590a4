// Whole programs: what they print, how they end, what is found.
#include "app/host/protocol.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/run.hpp"
#include "app/run/program/session.hpp"
#include "app/run/program/text.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/io/file.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>

namespace warptree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(Program, RunsItsHostHalfAndItsKernels) {
    const RanProgram ran = run(R"(#include <iostream>
#include <numeric>
#include <vector>
__global__ void add(const int* a, const int* b, int* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char** argv) {
    const int n = 1000;
    std::vector<int> a(n), b(n, 5), c(n);
    std::iota(a.begin(), a.end(), 0);
    int *da, *db, *dc;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&dc, n * sizeof(int));
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, n * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int x : c) sum += x;
    std::cout << "sum " << sum << " of " << argc << " " << argv[1] << "\n";
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return sum == 504500 ? 7 : 1;
})",
                               {"word"});
    EXPECT_EQ(ran.out, "sum 504500 of 2 word\n");
    EXPECT_EQ(ran.result.exit, 7);
    EXPECT_THAT(ran.kinds(), IsEmpty());
    ASSERT_EQ(ran.result.trace.launches.size(), 1U);
    EXPECT_EQ(ran.result.trace.launches[0].kernel, "add");
    EXPECT_EQ(ran.result.trace.launches[0].grid, 4U);
    EXPECT_THAT(ran.result.trace.launches[0].findings, IsEmpty());
    const std::vector<StoryEvent>& story = ran.result.trace.program.events;
    ASSERT_GE(story.size(), 7U);
    EXPECT_EQ(story[0].name, "da");
    EXPECT_EQ(story[0].line.line(), 13U);
    EXPECT_EQ(story[3].other, "a");
    EXPECT_EQ(story[3].name, "da");
    EXPECT_EQ(story[3].direction, CopyDirection::host_to_device);
    EXPECT_EQ(story[5].kind, StoryKind::launch);
    EXPECT_EQ(story[5].line.line(), 18U);
}

TEST_F(Program, HasTheSameTraceHoweverManyCoresThereAre) {
    const std::string path = file(R"(#include <cstdio>
__global__ void fill(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }
int main() {
    float* d;
    cudaMalloc(&d, 64 * 64 * sizeof(float));
    fill<<<64, 64>>>(d);
    float h[4];
    cudaMemcpy(h, d + 64, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d);
})");
    runs::ProgramRequest request;
    request.files = {path};
    request.run.workers = 1;
    RanProgram one = run_files(request);
    request.run.workers = 3;
    RanProgram three = run_files(request);
    one.result.trace.options.workers = three.result.trace.options.workers;
    EXPECT_EQ(one.result.trace, three.result.trace);
    EXPECT_EQ(one.out, "1\n");
}

TEST_F(Program, IsReadBackFromAFileAsItWasWritten) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void one(int* a) { *a = 1; }
int main() {
    int* d;
    cudaMalloc(&d, 4);
    one<<<1, 1>>>(d);
    one<<<1, 2048>>>(d);
    puts("done");
})");
    const std::string path = folder_.string() + "/run.wtrace";
    save(ran.result.trace, path);
    const Trace again = load(path);
    EXPECT_EQ(again.program, ran.result.trace.program);
    EXPECT_EQ(again.launches, ran.result.trace.launches);
    EXPECT_EQ(again.options, ran.result.trace.options);
    EXPECT_EQ(again, ran.result.trace);
}

TEST_F(Program, IsToldWhatAGpuWouldRefuse) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void touch(int* a) { a[threadIdx.x] = 1; }
int main() {
    int* d;
    cudaMalloc(&d, 4096 * sizeof(int));
    touch<<<1, 2048>>>(d);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    touch<<<0, 32>>>(d);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    touch<<<1, 32, 100000>>>(d);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(d);
})");
    EXPECT_EQ(ran.out,
              "cudaErrorInvalidConfiguration\ncudaErrorInvalidConfiguration\ncudaErrorInvalidValue\ncudaSuccess\n");
    EXPECT_THAT(ran.kinds(),
                ElementsAre(FindingKind::failed_launch, FindingKind::failed_launch, FindingKind::failed_launch));
    EXPECT_THAT(ran.first_text(), HasSubstr("a block of 2048 threads is larger than the 1024"));
    EXPECT_EQ(ran.first_line(), 6U);
}

TEST_F(Program, SaysThatAFailedLaunchWentUnnoticed) {
    const RanProgram ran = run(R"(__global__ void touch(int* a) { a[threadIdx.x] = 1; }
int main() {
    int* d;
    cudaMalloc(&d, 4096);
    touch<<<1, 1025>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
})");
    EXPECT_THAT(ran.first_text(), HasSubstr("never asks whether it succeeded"));
}

TEST_F(Program, KeepsAnErrorOfAKernel) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void outside(int* a) { a[1000] = 1; }
int main() {
    int* d;
    cudaMalloc(&d, 16);
    outside<<<1, 1>>>(d);
    for (int i = 0; i < 2; ++i) printf("%d ", cudaDeviceSynchronize());
    int h;
    printf("%d %d\n", cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost), cudaGetLastError());
})");
    EXPECT_EQ(ran.out, "700 700 700 700\n");
    ASSERT_EQ(ran.result.trace.launches.size(), 1U);
    ASSERT_FALSE(ran.result.trace.launches[0].findings.empty());
    EXPECT_EQ(ran.result.trace.launches[0].findings[0].kind, FindingKind::out_of_bounds);
    EXPECT_EQ(ran.result.trace.launches[0].findings[0].array, "d");
}

TEST_F(Program, IsToldOfWrongCopies) {
    const RanProgram ran = run(R"(#include <cstdio>
int main() {
    int h[8], *d, *e;
    cudaMalloc(&d, 4 * sizeof(int));
    int a = cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    int b = cudaMemcpy(h, d, 16, cudaMemcpyHostToDevice);
    cudaMalloc(&e, 32);
    cudaFree(e);
    int c = cudaMemcpy(h, e, 32, cudaMemcpyDeviceToHost);
    int f = cudaFree(e);
    printf("%d %d %d %d\n", a, b, c, f);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "1 1 1 1\n");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::copy_out_of_bounds, FindingKind::copy_direction,
                                         FindingKind::use_after_free, FindingKind::bad_free));
    EXPECT_THAT(ran.first_text(), HasSubstr("writes 32 bytes of d, which has 16"));
}

TEST_F(Program, IsToldOfMemoryThatNobodyWrote) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void half(int* a, int n) { int i = threadIdx.x; if (i < n) a[i] = i; }
int main() {
    int h[64], *d;
    cudaMalloc(&d, sizeof h);
    half<<<1, 64>>>(d, 40);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
})");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::uninitialised_copy));
    EXPECT_THAT(ran.first_text(), HasSubstr("24 of the 64 elements of d"));
    EXPECT_THAT(ran.first_text(), HasSubstr("the first is d[40]"));
}

// An accumulator that was never set, in each of the ways that atomics are run.
TEST_F(Program, IsToldOfAVariableWithoutAValue) {
    const RanProgram ran = run(R"(__global__ void sums(const float* a, float* c, int n) {
    int i = threadIdx.x;
    float sum;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];
    c[i] = sum;
}
__global__ void right(const float* a, float* c, int n) {
    float sum;
    if (n > 0) sum = a[0]; else sum = 1;
    c[threadIdx.x] = sum;
}
int main() {
    float *a, *c;
    cudaMalloc(&a, 64 * 4); cudaMalloc(&c, 8 * 4);
    cudaMemset(a, 0, 64 * 4);
    right<<<1, 8>>>(a, c, 8);
    sums<<<1, 8>>>(a, c, 8);
    cudaFree(a); cudaFree(c);
})");
    const Trace& trace = ran.result.trace;
    ASSERT_EQ(trace.launches.size(), 2U);
    EXPECT_THAT(trace.launches[0].findings, IsEmpty());
    ASSERT_EQ(trace.launches[1].findings.size(), 1U);
    const Finding& f = trace.launches[1].findings[0];
    EXPECT_EQ(title(f), "uninitialised (risk)");
    EXPECT_EQ(sentence(trace, trace.launches[1], f),
              "sum is used in line 5 before it has a value: it may begin as anything.");
}

TEST_F(Program, IsToldOfSizesInElementsAndOfSharedMemoryThatItForgot) {
    const auto first_of = [&](const std::string& text) {
        const RanProgram ran = run(text);
        const Trace& trace = ran.result.trace;
        return trace.launches.empty() || trace.launches[0].findings.empty()
                   ? std::string()
                   : sentence(trace, trace.launches[0], trace.launches[0].findings[0]);
    };
    EXPECT_EQ(first_of(R"(__global__ void one(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 1;
}
int main() {
    int* a;
    cudaMalloc(&a, 500);
    one<<<4, 128>>>(a, 500);
    cudaFree(a);
})"),
              "thread 125 of block 0 writes a[125] in line 3, but a has 125 elements: it was allocated with 500 bytes, "
              "which is n, and n elements take n * 4.");
    EXPECT_EQ(first_of(R"(__global__ void turn(int* a) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
int main() {
    int* a;
    cudaMalloc(&a, 256);
    cudaMemset(a, 0, 256);
    turn<<<1, 64>>>(a);
    cudaFree(a);
})"),
              "thread 0 writes s[0] in line 3, but the launch gives it 0 bytes (the third value in <<< >>>).");
}

TEST_F(Program, IsToldOfAnAtomicOnWhatNobodyWrote) {
    const auto body = [](const char* kernel, const char* before) {
        return fmt::format("__global__ void sum(const int* a, int* out) {{ {} }}\n"
                           "int main() {{\n    int h[64] = {{1}}, r, *a, *out;\n    cudaMalloc(&a, sizeof h);\n"
                           "    cudaMalloc(&out, 8);\n    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n{}"
                           "    sum<<<2, 32>>>(a, out);\n    cudaMemcpy(&r, out, 4, cudaMemcpyDeviceToHost);\n"
                           "    cudaFree(a); cudaFree(out);\n}}\n",
                           kernel, before);
    };
    const char* const plain = "atomicAdd(out, a[blockIdx.x * 32 + threadIdx.x]);";
    const char* const used = "int old = atomicMax(out, a[threadIdx.x]); if (old == 4711) out[1] = 1;";
    for (const char* const kernel : {plain, used}) {
        const RanProgram wrong = run(body(kernel, "")), right = run(body(kernel, "    cudaMemset(out, 0, 8);\n"));
        EXPECT_THAT(wrong.kinds(), ElementsAre(FindingKind::uninitialised)) << kernel;
        EXPECT_THAT(wrong.first_text(), HasSubstr("sum reads out, to which nothing was ever written"));
        EXPECT_THAT(right.kinds(), IsEmpty()) << kernel;
        EXPECT_THAT(right.result.trace.launches.at(0).findings, IsEmpty());
    }
    const char* const shared = "__shared__ int bins[4]; {} __syncthreads(); atomicAdd(&bins[threadIdx.x % 4], 1);"
                               " __syncthreads(); if (threadIdx.x < 4) atomicExch(&out[0], bins[threadIdx.x]);";
    const RanProgram unset = run(body(fmt::format(fmt::runtime(shared), "").c_str(), ""));
    ASSERT_EQ(unset.result.trace.launches.at(0).findings.size(), 1U);
    EXPECT_EQ(unset.result.trace.launches[0].findings[0].kind, FindingKind::uninitialised);
    EXPECT_EQ(unset.result.trace.launches[0].findings[0].array, "bins");
    const RanProgram set =
        run(body(fmt::format(fmt::runtime(shared), "if (threadIdx.x < 4) bins[threadIdx.x] = 0;").c_str(), ""));
    EXPECT_THAT(set.result.trace.launches.at(0).findings, IsEmpty());
}

TEST_F(Program, NamesTheLineWhereItCrashes) {
    const RanProgram device = run(R"(int main() {
    int* d_data;
    cudaMalloc(&d_data, 64);
    return d_data[3];
})");
    EXPECT_EQ(device.result.exit, 128 + 11);
    EXPECT_THAT(device.kinds(), ElementsAre(FindingKind::device_pointer));
    EXPECT_THAT(device.first_text(), HasSubstr("d_data, which is memory of the device"));
    EXPECT_EQ(device.first_line(), 4U);
    const RanProgram called =
        run("int main(int argc, char**) {\n    void (*volatile f)() = nullptr;\n    if (argc > 0) f();\n}\n");
    EXPECT_EQ(called.first_line(), 3U) << "nothing is to be read where it was called";
    EXPECT_THAT(called.first_text(), HasSubstr("null pointer"));
    // Of two the one that the instruction uses, however it is spelled.
    for (const char* use : {"d->n = 4;", "n += d->n;", "e = d->e;", "e += d->more[i];", "d->more[n & 3] = 1.5;",
                            "d->byte = 1;", "d->e *= 2;", "e = d[i].e;"}) {
        const RanProgram two = run(
            std::string("struct S { int n; char byte; float e; double more[4]; };\n"
                        "int main(int argc, char**) {\n    S *other, *d, *third; int n = argc; volatile float e = 1;\n"
                        "    volatile int i = argc;\n"
                        "    cudaMalloc(&other, 64); cudaMalloc(&d, 512); cudaMalloc(&third, 64);\n    ") +
            use + "\n    cudaMemset(other, n, 4); cudaMemset(third, e, 4);\n}\n");
        EXPECT_THAT(two.first_text(), HasSubstr("the host uses d, which")) << use;
        EXPECT_EQ(two.first_line(), 6U) << use;
    }
    const RanProgram null = run("#include <cstring>\nint main(int argc, char**) {\n    char* p = nullptr;\n"
                                "    memset(p, argc, 100);\n    return *p;\n}\n");
    EXPECT_EQ(null.result.exit, 128 + 11);
    EXPECT_EQ(null.first_line(), 4U);
    const RanProgram aborted = run("#include <cassert>\nint main(int argc, char**) {\n    assert(argc == 2);\n}\n");
    EXPECT_EQ(aborted.result.exit, 128 + 6);
    EXPECT_EQ(aborted.first_line(), 3U);
    EXPECT_THAT(aborted.err, HasSubstr("argc == 2"));
    const RanProgram deep = run("int f(int n) { volatile int a[1000]; a[n % 1000] = n; return f(n + 1) + a[0]; }\n"
                                "int main() { return f(0); }\n");
    EXPECT_EQ(deep.result.exit, 128 + 11);
    EXPECT_THAT(deep.first_text(), HasSubstr("recurses too deeply"));
}

// The library's headers have no lines of the program; who calls them has.
TEST_F(Program, NamesTheLineThatCalledTheLibrary) {
    for (const char* const call :
         {"std::fill(d, d + 16, 1)", "total += std::accumulate(d, d + 16, 0)", "std::sort(d, d + 16)",
          "memset(d, 0, 64)", "total += std::vector<int>(d, d + 16).back()"}) {
        const RanProgram ran = run(fmt::format("#include <algorithm>\n#include <cstring>\n#include <numeric>\n"
                                               "#include <vector>\nint total = 0;\nint main() {{\n    int* d;\n"
                                               "    cudaMalloc(&d, 64);\n    {};\n    cudaFree(d);\n}}\n",
                                               call));
        EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::device_pointer)) << call;
        EXPECT_EQ(ran.first_line(), 9U) << call;
    }
}

TEST_F(Program, IsToldOfCopiesThatNoGpuMakes) {
    const RanProgram ran = run(R"(#include <cstdio>
int main() {
    float h[64] = {}, *d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 32, 8);
    printf("%d ", cudaMemcpy2D(d, pitch, h, 16, 32, 8, cudaMemcpyHostToDevice));
    printf("%d ", cudaMemcpy(d, h, 32, (cudaMemcpyKind)9));
    printf("%d", cudaMemcpy2D(d, pitch, h, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "12 21 0");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::copy_out_of_bounds, FindingKind::copy_direction));
    EXPECT_THAT(ran.first_text(), HasSubstr("longer than the pitch"));
}

TEST_F(Program, IsToldOfAHostPointerInAKernel) {
    const RanProgram ran = run(R"(__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
    int* h_a = new int[32];
    fill<<<1, 32>>>(h_a);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 3 : 0;
})");
    EXPECT_EQ(ran.result.exit, 3);
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::host_pointer));
    EXPECT_THAT(ran.first_text(), HasSubstr("a pointer to memory of the host for a"));
}

TEST_F(Program, IsToldOfVariablesOfTheDeviceThatTheHostUsesAsItsOwn) {
    const RanProgram ran = run(R"(#include <cstdio>
__device__ int total;
__device__ int parts[4];
__constant__ float scale;
__managed__ int shared_by_both;
__constant__ const int kWidth = 8;
__global__ void count(int n) { if (threadIdx.x < n) { atomicAdd(&total, 1); shared_by_both = n; } }
int main() {
    float two = 2;
    cudaMemcpyToSymbol(scale, &two, sizeof two);
    count<<<1, 64>>>(40);
    cudaDeviceSynchronize();
    int copied = 0;
    cudaMemcpyFromSymbol(&copied, total, sizeof copied);
    printf("%d %d %zu %d\n", copied, shared_by_both, sizeof total, kWidth);
    int wrong = total;
    wrong += parts[2];
    scale = 3;
    return wrong;
})");
    EXPECT_EQ(ran.out, "40 40 4 8\n");
    EXPECT_THAT(ran.kinds(),
                ElementsAre(FindingKind::device_pointer, FindingKind::device_pointer, FindingKind::device_pointer));
    EXPECT_THAT(ran.first_text(), testing::AllOf(HasSubstr("reads total"), HasSubstr("cudaMemcpyFromSymbol")));
}

TEST_F(Program, SharesMemoryWithTheDevice) {
    const RanProgram ran = run(R"(#include <cstdio>
struct Node { int value; Node* next; };
__global__ void follow(Node* n, int* sum) { for (; n; n = n->next) *sum += n->value; }
int main() {
    Node* nodes; int* sum;
    cudaMallocManaged(&nodes, 5 * sizeof(Node));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < 5; ++i) nodes[i] = {i + 1, i < 4 ? nodes + i + 1 : nullptr};
    *sum = 100;
    follow<<<1, 1>>>(nodes, sum);
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaFree(nodes);
    cudaFree(sum);
    int* pinned; int* seen;
    cudaHostAlloc(&pinned, 4, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&seen, pinned, 0);
    *pinned = 9;
    follow<<<1, 1>>>(nullptr, seen);
    printf("%d %d\n", *pinned, cudaFreeHost(pinned));
})");
    EXPECT_EQ(ran.out, "115\n9 0\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(Program, WritesAndReadsVariablesOfTheDevice) {
    const RanProgram ran = run(R"(#include <cstdio>
__constant__ float mask[4];
__device__ int counter;
namespace inner { __device__ int other = 3; }
__global__ void count(float* out) { atomicAdd(&counter, 2 + inner::other); out[threadIdx.x] = mask[threadIdx.x] * 2; }
int main() {
    float h[4] = {1, 2, 3, 4}, *d;
    cudaMemcpyToSymbol(mask, h, sizeof h);
    cudaMalloc(&d, sizeof h);
    count<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int c;
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    printf("%g %g %d\n", h[0], h[3], c);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "2 8 20\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(Program, HasExceptionsThreadsAndTemplates) {
    const RanProgram ran = run(R"(#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
thread_local int mine = 5;
template <typename T, int B> __global__ void twice(T* a) { a[threadIdx.x] = a[threadIdx.x] * B; }
template <typename T> T run() {
    T h = 21, *d;
    cudaMalloc(&d, sizeof(T));
    cudaMemcpy(d, &h, sizeof(T), cudaMemcpyHostToDevice);
    twice<T, 2><<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}
int main() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { mine += i; sum += mine; });
    for (auto& t : threads) t.join();
    try { throw std::runtime_error("thrown"); } catch (const std::exception& e) { std::cout << e.what() << ' '; }
    std::map<std::string, int> m{{"a", 1}};
    try { m.at("b"); } catch (const std::out_of_range&) { std::cout << "missing "; }
    auto p = std::make_unique<int>(run<int>());
    std::cout << *p << ' ' << run<double>() << ' ' << sum << ' ' << mine << std::endl;
})");
    EXPECT_EQ(ran.out, "thrown missing 42 42 26 5\n");
    EXPECT_EQ(ran.result.exit, 0);
}

TEST_F(Program, IsStoppedWhenItsTimeIsUpOrItPrintsTooMuch) {
    runs::ProgramRequest request;
    request.files = {file("int main() { volatile int x = 1; while (x) {} }")};
    request.time = std::chrono::seconds(1);
    EXPECT_EQ(run_files(request).result.exit, 124);
    request.files = {file("#include <cstdio>\nint main() { for (;;) puts(\"again and again\"); }")};
    request.time = std::chrono::seconds(60);
    request.output = 1 << 20;
    EXPECT_EQ(run_files(request).result.exit, 125);
}

TEST_F(Program, ThatDoesNotCompileSaysWhere) {
    try {
        run("#include <vector>\nint main() { std::vector<int> v; v.push_bak(1); }\n");
        FAIL();
    } catch (const runs::SourceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("program.cu:2:"));
        EXPECT_THAT(error.what(), HasSubstr("push_bak"));
    }
    EXPECT_THROW(run("__global__ void k() {}\n"), OptionError);
    try {
        run("void elsewhere();\nint main() { elsewhere(); }\n");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_THAT(error.what(), HasSubstr("undefined reference to"));
    }
}

TEST_F(Program, MayConsistOfSeveralFiles) {
    runs::ProgramRequest request;
    request.files = {
        file("#include \"kernel.h\"\n#include <cstdio>\nint main() { printf(\"%d\\n\", answer()); }", "main.cpp"),
        file("#include \"kernel.h\"\n__global__ void set(int* a) { *a = 42; }\n"
             "int answer() { int h, *d; cudaMalloc(&d, 4); set<<<1, 1>>>(d);"
             " cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); return h; }\n",
             "kernel.cu")};
    file("#pragma once\nint answer();\n", "kernel.h");
    EXPECT_EQ(run_files(request).out, "42\n");
}

// What it may not do: each is tried, and the exit code and the words say that it was stopped.
class Hostile : public Program, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Hostile, IsStopped) {
    const RanProgram ran =
        Program::run(std::string("#include <cstdio>\n#include <cstdlib>\n#include <fcntl.h>\n"
                                 "#include <signal.h>\n#include <sys/ptrace.h>\n#include <sys/socket.h>\n"
                                 "#include <unistd.h>\n"
                                 "int main() {\n") +
                     GetParam().second + "\n    puts(\"still there\");\n    return 0;\n}\n");
    EXPECT_EQ(ran.result.exit, 126) << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("still there"), std::string::npos);
    EXPECT_EQ(ran.result.end, runs::ProgramEnd::forbidden);
}
INSTANTIATE_TEST_SUITE_P(Calls, Hostile,
                         ::testing::Values(std::pair{"fork", "for (int i = 0; i < 100; ++i) fork();"},
                                           std::pair{"system", "system(\"echo started\");"},
                                           std::pair{"socket", "socket(AF_INET, SOCK_STREAM, 0);"},
                                           std::pair{"kill", "kill(-1, SIGTERM);"},
                                           std::pair{"ptrace", "ptrace(PTRACE_ATTACH, getppid(), 0, 0);"},
                                           std::pair{"exec", "execl(\"/bin/true\", \"true\", nullptr);"},
                                           std::pair{"raw",
                                                     "asm volatile(\"syscall\" : : \"a\"(57) : \"rcx\", \"r11\", "
                                                     "\"memory\");"}),
                         [](const auto& i) { return std::string(i.param.first); });

TEST_F(Program, ReadsNoFileThatItIsNotGiven) {
    const std::string mine = file("precious", "mine.txt");
    const RanProgram ran = run(R"(#include <cstdio>
#include <unistd.h>
int main(int, char** argv) {
    FILE* secret = fopen("/etc/passwd", "r");
    FILE* written = fopen(argv[2], "w");
    printf("%d %d %d\n", secret != nullptr, written != nullptr, unlink(argv[1]));
})",
                               {mine, mine + ".written"});
    EXPECT_EQ(ran.out, "0 1 -1\n") << "what is only written to goes nowhere";
    EXPECT_TRUE(std::ifstream(mine).good());
    EXPECT_FALSE(std::ifstream(mine + ".written").good());
}

// The kernel that calls it does not name the function: another one made the object. Blocks depend on what it returns.
TEST_F(Program, CallsVirtualFunctionsOfObjectsThatAnotherKernelMade) {
    const RanProgram ran = run(R"(#include <cstdio>
struct Container {
    __device__ virtual void push(int value) = 0;
};
struct Stack : Container {
    int* data;
    int top = 0;
    __device__ Stack(int* data) : data(data) {}
    __device__ void push(int value) override { data[atomicAdd(&top, 1)] = value; }
};
__global__ void make(Container** to, int* data) { *to = new Stack(data); }
__global__ void fill(Container** all) { if (threadIdx.x == 0) (*all)->push(blockIdx.x); }
int main() {
    Container** container;
    int *data, h[64], sum = 0;
    cudaMalloc(&container, sizeof(void*));
    cudaMalloc(&data, sizeof h);
    make<<<1, 1>>>(container, data);
    fill<<<64, 32>>>(container);
    cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost);
    for (const int x : h) sum += x;
    printf("%d\n", sum);
    cudaFree(container);
    cudaFree(data);
})");
    EXPECT_EQ(ran.out, "2016\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
    ASSERT_EQ(ran.result.trace.launches.size(), 2U);
    EXPECT_THAT(ran.result.trace.launches[1].findings, IsEmpty());
}

// No kernel names the variable nor the functions: the host passes the pointer on.
TEST_F(Program, PassesFunctionsOfTheDeviceToKernels) {
    const RanProgram ran = run(R"(#include <cstdio>
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ Function of_twice = twice;
__device__ Function of_square = square;
__global__ void apply(float* a, Function f) { a[threadIdx.x] = f(a[threadIdx.x]); }
int main() {
    float h[4] = {1, 2, 3, 4}, *d;
    Function first, second;
    cudaMemcpyFromSymbol(&first, of_twice, sizeof first);
    cudaMemcpyFromSymbol(&second, of_square, sizeof second);
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    apply<<<1, 4>> >(d, first);
    apply<< <1, 4>>>(d, second);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (const float x : h) printf("%g ", x);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "4 16 36 64 ");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(Program, MayNotTakeMoreMemoryThanItIsGiven) {
    if (tests::kFewCases) {
        GTEST_SKIP() << "AddressSanitizer takes the address space that is limited here";
    }
    runs::ProgramRequest request;
    request.files = {file("#include <cstdio>\n#include <cstdlib>\n#include <cstring>\nint main() {\n"
                          "    volatile size_t n = 100ULL << 30; void* volatile p = malloc(n); int* d = nullptr;\n"
                          "    printf(\"%d %d\\n\", p != nullptr, cudaMalloc(&d, n)); }")};
    EXPECT_EQ(run_files(request).out, "0 2\n");
}

TEST_F(Program, IsStoppedWhenItForgesMessages) {
    // As host::Ask, which a program has to write out.
    const auto message = [](host::Call call, const char* words, unsigned device = 0) {
        return fmt::format("struct {{ unsigned call, section; unsigned long long address; unsigned device, reserved; "
                           "unsigned long long words[7], bytes; }} ask = {{{}, 0, 0, {}, 0, {{{}}}, 0}}; "
                           "static_assert(sizeof ask == {}); write(3, &ask, sizeof ask);",
                           static_cast<unsigned>(call), device, words, sizeof(host::Ask));
    };
    for (const std::string& forged :
         {std::string("char junk[4096]; memset(junk, 0xFF, sizeof junk); write(3, junk, sizeof junk);"),
          message(host::Call::stage_in, "0x10000800000000ULL, 1ULL << 40, 1 << 20, 4"),
          message(host::Call::launch, "9"), message(host::Call::device_count, "0", 1)}) {
        const RanProgram ran = run(std::string("#include <cstring>\n#include <unistd.h>\nint main() { ") + forged +
                                   " sleep(20); return 0; }");
        EXPECT_TRUE(ran.result.exit == 126 || ran.result.exit == 125) << ran.result.exit << ran.result.said;
    }
    const RanProgram closed = run("#include <unistd.h>\nint main() { close(3); int* d; cudaMalloc(&d, 4); return 0; }");
    EXPECT_NE(closed.result.exit, 0);
}

TEST_F(Program, IsToldThatItsGridDoesNotCoverItsInput) {
    const RanProgram ran = run(R"(__global__ void sum(const int* a, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, a[i]);
}
int main() {
    const int n = 500;
    int h[n] = {}, *a, *out;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(a, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    sum<<<n / 256, 256>>>(a, out, n);
    sum<<<(n + 255) / 256, 256>>>(a, out, n);
    cudaFree(a);
    cudaFree(out);
})");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::uncovered));
    EXPECT_EQ(ran.first_line(), 12U);
    EXPECT_THAT(ran.first_text(), HasSubstr("does not cover the last 244"));
}

// 3 x 3 blocks of 8 x 8 threads cover 20 x 20 elements; the loop over the tiles takes 20 / 8 = 2 of them, so that of b the rows
// 0 to 15 are read, 320 elements.
TEST_F(Program, IsToldOfALoopThatEndsBeforeTheElementsThatItsGridCovers) {
    const auto of = [&](const char* tiles) {
        return run(fmt::format(
            R"(__global__ void product(const float* a, const float* b, float* c, int n) {{
    __shared__ float s[8][8], t[8][8];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
    float sum = 0;
    for (int k = 0; k < {}; ++k) {{
        s[y][x] = row < n && k * 8 + x < n ? a[row * n + k * 8 + x] : 0;
        t[y][x] = col < n && k * 8 + y < n ? b[(k * 8 + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += s[y][i] * t[i][x];
        __syncthreads();
    }}
    if (row < n && col < n) c[row * n + col] = sum;
}}
int main() {{
    const int n = 20;
    static float h[n * n];
    float *a, *b, *c;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMalloc(&c, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    product<<<dim3(3, 3), dim3(8, 8)>>>(a, b, c, n);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a); cudaFree(b); cudaFree(c);
}})",
            tiles));
    };
    const RanProgram early = of("n / 8");
    EXPECT_THAT(early.kinds(), ElementsAre(FindingKind::uncovered));
    EXPECT_THAT(early.first_text(), HasSubstr("there are threads enough, but a loop ends before them"));
    EXPECT_THAT(early.first_text(), HasSubstr("none takes the last 80"));
    EXPECT_EQ(title(FindingKind::uncovered).find("grid"), std::string::npos);
    EXPECT_THAT(of("(n + 7) / 8").kinds(), IsEmpty());
}

TEST_F(Program, IsToldOfAGridThatDoesNotCoverTwoDimensions) {
    const auto with_grid = [&](const char* grid) {
        return run(fmt::format("__global__ void copy(const float* in, float* out, int w, int h) {{\n"
                               "    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
                               "    if (x < w && y < h) out[y * w + x] = in[y * w + x];\n}}\n"
                               "int main() {{\n    const int w = 40, h = 56;\n    static float image[w * h];\n"
                               "    float *in, *out;\n    cudaMalloc(&in, sizeof image);\n"
                               "    cudaMalloc(&out, sizeof image);\n"
                               "    cudaMemcpy(in, image, sizeof image, cudaMemcpyHostToDevice);\n"
                               "    cudaMemset(out, 0, sizeof image);\n"
                               "    copy<<<dim3({}), dim3(16, 16)>>>(in, out, w, h);\n"
                               "    cudaMemcpy(image, out, sizeof image, cudaMemcpyDeviceToHost);\n"
                               "    cudaFree(in); cudaFree(out);\n}}\n",
                               grid));
    };
    const RanProgram short_of = with_grid("w / 16, h / 16"), right = with_grid("(w + 15) / 16, (h + 15) / 16");
    EXPECT_THAT(short_of.kinds(), ElementsAre(FindingKind::uncovered));
    EXPECT_THAT(
        short_of.first_text(),
        HasSubstr("has 32 threads in x and 48 in y, and out is 40 wide and 56 high: 704 of its 2240 elements are "
                  "not written; the number of blocks must be rounded up"));
    EXPECT_THAT(right.kinds(), IsEmpty());
    EXPECT_THAT(with_grid("h / 16 + 1, w / 16").first_text(), HasSubstr("x and y of the grid may be swapped"));
    EXPECT_THAT(with_grid("3, 3").first_text(), HasSubstr("320 of its 2240 elements are not written"));
}

TEST_F(Program, IsToldOnceOfAnInputThatWasNeverWritten) {
    const RanProgram ran = run(R"(__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main() {
    int* a;
    cudaMalloc(&a, 64 * sizeof(int));
    twice<<<1, 64>>>(a);
    twice<<<1, 64>>>(a);
    cudaFree(a);
})");
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::uninitialised));
    EXPECT_EQ(ran.result.trace.program.findings[0].severity, Severity::fault) << "as where a part was written";
    for (const Launch& launch : ran.result.trace.launches) {
        EXPECT_THAT(launch.findings, IsEmpty());
    }
}

TEST_F(Program, WithoutAMainIsCalledByAFunctionThatLaunches) {
    runs::ProgramRequest request;
    request.files = {file(R"(__global__ void add(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + 1;
}
template <int B> __global__ void block_sum(const float* a, float* s, int n) {
    __shared__ float t[B];
    int i = blockIdx.x * B + threadIdx.x;
    t[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    for (int d = B / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) t[threadIdx.x] += t[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) s[blockIdx.x] = t[0];
}
extern "C" void first(const float* a, float* c, int n) { add<<<(n + 255) / 256, 256>>>(a, c, n); }
extern "C" void solve(const float* input, float* output, int N, int B) {
    if (B == 128) block_sum<128><<<(N + 127) / 128, 128>>>(input, output, N);
}
)")};
    const RanProgram last = run_files(request);
    EXPECT_EQ(last.result.trace.program.entry, "solve");
    ASSERT_EQ(last.result.trace.launches.size(), 1U);
    EXPECT_EQ(last.result.trace.launches[0].kernel, "block_sum<128>");
    EXPECT_EQ(last.result.trace.launches[0].arguments[0].value, "input");
    EXPECT_THAT(last.result.trace.launches[0].findings, IsEmpty());
    EXPECT_THAT(last.kinds(), IsEmpty());
    request.entry = "first";
    const RanProgram first = run_files(request);
    ASSERT_EQ(first.result.trace.launches.size(), 1U);
    EXPECT_EQ(first.result.trace.launches[0].kernel, "add");
    EXPECT_EQ(first.result.trace.launches[0].grid, 4U);
    request.entry = "absent";
    EXPECT_THROW(run_files(request), OptionError);
}

// An order that is made up of 16 numbers has collisions, and one of distinct numbers has none.
TEST_F(Program, CallsAFunctionWithDistinctIndices) {
    runs::ProgramRequest request;
    request.files = {file(R"(
__global__ void scatter(float* out, const int* order, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[order[i]] = x[i];
}
void run(float* out, const int* order, const float* x, int n) { scatter<<<(n + 127) / 128, 128>>>(out, order, x, n); }
)")};
    const RanProgram distinct = run_files(request);
    EXPECT_THAT(distinct.result.trace.launches.at(0).findings, IsEmpty());
    EXPECT_THAT(sentences(distinct.result.trace.tried),
                testing::Contains(testing::StartsWith("with random numbers in its arrays: race")));
    request.run.kernel.arguments = {{"order", "random"}}; // who states them means them
    EXPECT_FALSE(run_files(request).result.trace.launches.at(0).findings.empty());
}

// What races with distinct numbers, too, is shown as it was.
TEST_F(Program, CallsAFunctionAgainForNothing) {
    runs::ProgramRequest request;
    request.files = {file(R"(
__global__ void last(int* out, const int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i / 2] = x[i] + i;
}
void run(int* out, const int* x, int n) { last<<<(n + 127) / 128, 128>>>(out, x, n); }
)")};
    const RanProgram racy = run_files(request);
    EXPECT_FALSE(racy.result.trace.launches.at(0).findings.empty());
    EXPECT_THAT(sentences(racy.result.trace.tried), IsEmpty());
    EXPECT_THAT(racy.result.trace.chosen, testing::Contains("x = random:1024"));
}

TEST_F(Program, FindsHeadersInTheFoldersThatItIsGiven) {
    tests::TemporaryFolder other;
    other.write("sub/scale.h", "#pragma once\n__device__ inline int scaled(int x) { return 3 * x; }\n");
    runs::ProgramRequest request;
    request.files = {file("#include <sub/scale.h>\n#include <cstdio>\n"
                          "__global__ void k(int* a) { *a = scaled(FACTOR); }\n"
                          "int main() { int h, *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d);\n"
                          "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf(\"%d\\n\", h); cudaFree(d); }\n")};
    request.folders = {other.string()};
    request.defines = {{"FACTOR", "7"}};
    EXPECT_EQ(run_files(request).out, "21\n");
}

// The lab, as it is handed in.
class Lab : public Program, public ::testing::WithParamInterface<int> {};

TEST_P(Lab, Passes) {
    for (const char* const n : {"1000", "70000"}) {
        runs::ProgramRequest request;
        request.files = {(tests::source_dir() / fmt::format("kernels/lab/main0{}.cu", GetParam())).string()};
        if (GetParam() == 7) {
            request.defines = {{"N", n}};
        } else {
            request.arguments = {n};
        }
        const RanProgram ran = run_files(request);
        EXPECT_EQ(ran.result.exit, 0);
        EXPECT_THAT(ran.out, HasSubstr(fmt::format("Vector size: {}\nThreads per block: 512\n", n)));
        EXPECT_THAT(ran.out, HasSubstr("TEST PASS\n"));
        EXPECT_THAT(ran.kinds(), IsEmpty());
        EXPECT_EQ(ran.result.trace.launches.size(), GetParam() == 2 ? 2U : 1U);
        // The last warp's steps are ordered by nothing but habit.
        EXPECT_EQ(ran.result.trace.launches[0].findings.empty(), GetParam() != 6);
    }
}
INSTANTIATE_TEST_SUITE_P(Programs, Lab, ::testing::Range(1, 8));

constexpr const char* kEdited = R"(#include <cstdio>
__global__ void sum(const int* in, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}
int main() {
    int h[100], *in, *out, total = 0;
    for (int i = 0; i < 100; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 256>>>(in, out, 100);
    cudaMemcpy(&total, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return total == 4950 ? 0 : 1;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// As the window runs a file: its text as edited, not as on disk.
class Shown : public Program {
  protected:
    Trace shown(const std::string& text, bool was_program, const std::function<void(RunOptions&)>& change = {}) {
        RunOptions o;
        o.kernel.file = file("int old;\n");
        o.kernel.text = text;
        if (change) {
            change(o);
        }
        RunControl control;
        return runs::run_shown(o, was_program, guess_, control);
    }
    std::optional<runs::Guess> guess_;
};

TEST_F(Shown, IsTheProgramUnlessACallIsSaid) {
    const Trace program = shown(kEdited, false);
    EXPECT_EQ(program.program.entry, "main");
    EXPECT_EQ(program.program.exit, 0);
    ASSERT_EQ(program.launches.size(), 1U);
    const auto back =
        std::find_if(program.program.events.begin(), program.program.events.end(), [](const StoryEvent& e) {
            return e.kind == StoryKind::copy && e.direction == CopyDirection::device_to_host;
        });
    ASSERT_NE(back, program.program.events.end());
    EXPECT_EQ(back->text, "4950") << "what the host gets: 0 + 1 + … + 99";
    for (const auto& change : std::vector<std::function<void(RunOptions&)>>{
             [](RunOptions& o) { ask_for_elements(o, 64); }, [](RunOptions& o) { o.kernel.grid = "2"; },
             [](RunOptions& o) { o.kernel.arguments["n"] = "50"; }, [](RunOptions& o) { o.kernel.expect = "sum"; }}) {
        const Trace alone = shown(kEdited, true, change);
        EXPECT_EQ(alone.program.entry, "");
        EXPECT_EQ(alone.launches.size(), 1U);
    }
    EXPECT_EQ(shown(kEdited, true, [](RunOptions& o) { o.banks = 16; }).program.entry, "main")
        << "says nothing of a call";
    RunOptions said;
    ask_for_block(said, 64);
    said.banks = 16;
    EXPECT_TRUE(runs::states_a_call(said));
    EXPECT_FALSE(runs::states_a_call(runs::without_a_call(said)));
    EXPECT_EQ(runs::without_a_call(said).banks, 16);
}

TEST_F(Shown, RunsAKernelAloneOnlyWhereItWasNoProgram) {
    const std::string broken = replaced(kEdited, "total = 0;", "total = 0");
    EXPECT_THROW(shown(broken, true), runs::SourceError);
    const Trace alone = shown(broken, false);
    EXPECT_EQ(alone.program.entry, "");
    ASSERT_FALSE(alone.chosen.empty());
    EXPECT_THAT(alone.chosen.back(), HasSubstr("its host code does not run"));
}

TEST_F(Shown, TellsWhyItDidNotEndByItself) {
    const Trace t = shown(replaced(kEdited, "    return total", "    *(volatile int*)0 = 1;\n    return total"), true);
    EXPECT_EQ(t.program.exit, 128 + 11);
    EXPECT_EQ(t.program.events.back().kind, StoryKind::exit);
    EXPECT_NE(t.program.events.back().text, "");
    EXPECT_EQ(shown(kEdited, true).program.events.back().text, "");
    // Before it launches anything, too, instead of a kernel alone.
    const Trace early = shown(replaced(kEdited, "    int h[100]", "    __builtin_trap();\n    int h[100]"), false);
    EXPECT_EQ(early.program.entry, "main");
    EXPECT_TRUE(early.launches.empty());
    EXPECT_GT(early.program.exit, 128);
    EXPECT_EQ(early.program.events.back().kind, StoryKind::exit);
}

TEST_F(Shown, KeepsTheGuessWhileTheTextIsEdited) {
    const std::string text = std::string(kEdited).substr(0, std::string(kEdited).find("int main()"));
    const Trace right = shown(text, false);
    EXPECT_EQ(right.launches.front().block, 256U);
    ASSERT_TRUE(guess_);
    const std::string wrong = replaced(text, "if (t < d) s[t] += s[t + d];", "if (t <= d) s[t] += s[t + d];");
    const runs::Guess made = *guess_;
    const Trace edited = shown(wrong, false);
    EXPECT_EQ(edited.launches.front().block, 256U) << "not smaller, so that the mistake would not show";
    EXPECT_EQ(edited.launches.front().grid, right.launches.front().grid);
    EXPECT_FALSE(edited.completed());
    EXPECT_EQ(edited.launches.front().findings.front().kind, FindingKind::out_of_bounds);
    EXPECT_EQ(*guess_, made);
    // Of another kernel, a guess is made anew.
    shown(replaced(text, "int n)", "int n, int m)"), false);
    EXPECT_NE(*guess_, made);
    // Opened so, another choice is tried, and the trace says what the first one showed.
    guess_.reset();
    const Trace opened = shown(wrong, false);
    EXPECT_FALSE(opened.completed() && opened.tried.empty());
}

TEST(ProgramText, FindsTheVariableOfACall) {
    const std::string text = "int main() {\n"
                             "    CHECK(cudaMalloc((void **)&d_in, n * sizeof(float)));\n"
                             "    cudaMemcpy(buffers[1], h.data(), f(a, b), cudaMemcpyHostToDevice);\n"
                             "    cudaMalloc(reinterpret_cast<void**>(&this->d_out), 4);\n";
    EXPECT_EQ(runs::argument_at(text, 2, 5, 0), "d_in");
    EXPECT_EQ(runs::argument_at(text, 3, 5, 0), "buffers[1]");
    EXPECT_EQ(runs::argument_at(text, 3, 5, 1), "h");
    EXPECT_EQ(runs::argument_at(text, 4, 5, 0), "this->d_out");
    EXPECT_EQ(runs::argument_at(text, 99, 1, 0), "");
    EXPECT_EQ(runs::argument_at(text, 2, 5, 9), "");
}

TEST_F(Program, SaysWhatItWasNotGiven) {
    const std::string text =
        "#include <cstdio>\n#include <cstdlib>\nint main(int argc, char** argv) {\n"
        "  std::FILE* f = std::fopen(argc > 1 ? argv[1] : \"none\", \"r\");\n  return f == nullptr ? 4 : 0; }\n";
    const RanProgram none = run(text);
    EXPECT_EQ(none.result.exit, 4);
    EXPECT_THAT(none.result.said, HasSubstr("was given none: they come after --"));
    EXPECT_THAT(none.result.said, HasSubstr("--data DIR"));
    EXPECT_THAT(run(text, {"a.txt"}).result.said, ::testing::Not(HasSubstr("they come after --")));
    EXPECT_EQ(run("int main() { return 4; }\n").result.said, "");
}

TEST_F(Program, ReadsInStridesWithoutLeavingAnyOut) {
    const auto kinds = [&](const char* threads, const char* index) {
        return run(std::string("__global__ void k(const float* in, float* out, int n) {\n"
                               "  int i = (blockIdx.x * blockDim.x + threadIdx.x)") +
                   index + ";\n  if (i < n) out[i] = in[i]; }\n" +
                   "int main() { float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); cudaMemset(a, 0, 4096);\n"
                   "  k<<<1, " +
                   threads + ">>>(a, b, 1024); cudaFree(a); cudaFree(b); }\n")
            .kinds();
    };
    EXPECT_THAT(kinds("32", " * 32"), ::testing::IsEmpty());
    EXPECT_THAT(kinds("960", ""), ElementsAre(FindingKind::uncovered));
}

} // namespace
} // namespace warptree
