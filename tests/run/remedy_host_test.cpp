// What mends the host's half of a program: the changed program runs to its end, and nothing is found any more.
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

struct BrokenProgram {
    const char* name;
    const char* text;
    const char* line; // that the mended text has and the broken one has not
};

const BrokenProgram kBrokenPrograms[] = {
    {"AWaitBeforeTheHostReads",
     R"cuda(#include <cstdio>
__global__ void twice(int* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }
int main() {
    int n = 1000, *a;
    cudaMallocManaged(&a, n * sizeof(int));
    for (int i = 0; i < n; ++i) a[i] = i;
    twice<<<(n + 255) / 256, 256>>>(a, n);
    long sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i];
    printf("%ld\n", sum);
    cudaFree(a);
    return sum != 999000;
}
)cuda",
     "    cudaDeviceSynchronize();\n    for (int i = 0; i < n; ++i) sum"},
    {"MoreBlocksAndAGuard",
     R"cuda(#include <cstdio>
__global__ void square(int* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = v[i] * v[i];
}
int main() {
    const int n = 100;
    int h[n], *d;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    square<<<n / 32, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h[99] != 99 * 99;
}
)cuda",
     "if (i < n)"},
    {"TheOtherDirection",
     R"cuda(#include <cstdio>
#include <vector>
__global__ void twice(int* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }
int main() {
    const int n = 1000;
    std::vector<int> h(n, 3);
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<4, 256>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyHostToDevice);
    printf("%d\n", h[999]);
    cudaFree(d);
    return h[999] != 6;
}
)cuda",
     "n * sizeof(int), cudaMemcpyDeviceToHost);"},
    {"AnAtomicOperationBesideASecondKernel",
     R"cuda(#include <cstdio>
__global__ void count(const char* text, int n, unsigned* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[text[i] % 4]++;
}
__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }
int main() {
    const char text[] = "the quick brown fox jumps over the lazy dog and then the dog barks at the fox";
    const int n = sizeof text - 1;
    char* d;
    unsigned *b, h[4], sum = 0;
    cudaMalloc(&d, n);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(d, text, n, cudaMemcpyHostToDevice);
    clear<<<1, 4>>>(b);
    count<<<(n + 63) / 64, 64>>>(d, n, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned c : h) sum += c;
    printf("%u\n", sum);
    cudaFree(d);
    cudaFree(b);
    return sum != n;
}
)cuda",
     "if (i < n) atomicAdd(&bins[text[i] % 4], 1);"},
    {"BytesOfAnAllocation",
     R"cuda(#include <cstdio>
__global__ void twice(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }
int main() {
    const int n = 1000;
    float h[n];
    for (int i = 0; i < n; ++i) h[i] = i;
    float* d;
    cudaMalloc((void**)&d, n);
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[999]);
    cudaFree(d);
}
)cuda",
     "cudaMalloc((void**)&d, n * sizeof(*d));"},
    {"AGridThatIsRoundedUp",
     R"cuda(#include <cstdio>
#define BLOCK 256
__global__ void twice(const float* a, float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = 2 * a[i]; }
int main() {
    const int n = 1000;
    float h[n];
    for (int i = 0; i < n; ++i) h[i] = i;
    float *d, *e;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&e, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    int blocks = n / BLOCK;
    twice<<<blocks, BLOCK>>>(d, e, n);
    cudaMemcpy(h, e, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[999]);
    cudaFree(d);
    cudaFree(e);
}
)cuda",
     "int blocks = (n + BLOCK - 1) / BLOCK;"},
    {"ZerosToAddTo",
     R"cuda(#include <cstdio>
__global__ void sum(const int* a, int* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(out, a[i]); }
int main() {
    const int n = 1000;
    int h[n], r;
    for (int i = 0; i < n; ++i) h[i] = i;
    int *d, *out;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    sum<<<4, 256>>>(d, out, n);
    cudaMemcpy(&r, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(d);
    cudaFree(out);
}
)cuda",
     "cudaMalloc(&out, sizeof(int));\n    cudaMemset(out, 0, sizeof(int));"},
    {"BytesOfACopy",
     R"cuda(#include <cstdio>
#include <cstdlib>
__global__ void twice(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }
int main() {
    int n = 1000;
    float* h = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) h[i] = i;
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    twice<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[999]);
    cudaFree(d);
    free(h);
}
)cuda",
     "cudaMemcpy(d, h, n * sizeof(*d), cudaMemcpyHostToDevice);"},
    {"BytesOfACopyBack",
     R"cuda(__global__ void square(double* d, int n) { int i = threadIdx.x; if (i < n) d[i] = d[i] * d[i]; }
int main() {
    const int n = 100;
    double a[n], *d;
    for (int i = 0; i < n; ++i) a[i] = i + 1;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, a, n * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 128>>>(d, n);
    cudaMemcpy(a, d, n, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return 0;
}
)cuda",
     "cudaMemcpy(a, d, n * sizeof(*d), cudaMemcpyDeviceToHost);"},
    {"WhatIsNeverFreed",
     R"cuda(#include <cstdio>
__global__ void sum(const int* a, int* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(out, a[i]); }
int main() {
    const int n = 1000;
    int h[n], r;
    for (int i = 0; i < n; ++i) h[i] = i;
    int *d, *out;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    sum<<<4, 256>>>(d, out, n);
    cudaMemcpy(&r, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
}
)cuda",
     "    cudaFree(d);\n    cudaFree(out);\n}"},
    // The optimised loop reads several elements at once, by code that has no line.
    {"AWaitBeforeALoopOfTheHost", R"cuda(
#include <cstdio>
__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
    const int n = 1000;
    float *x, *y, most = 0;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; ++i) { x[i] = 1; y[i] = 2; }
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    for (int i = 0; i < n; ++i) {
        float e = y[i] - 4.0f;
        if (e < 0) e = -e;
        if (e > most) most = e;
    }
    printf("%g\n", most);
    cudaFree(x);
    cudaFree(y);
}
)cuda",
     "    cudaDeviceSynchronize();\n    for (int i = 0; i < n; ++i) {\n        float e"},
    {"AVariableOfTheDevice", R"cuda(
#include <cstdio>
__constant__ float weights[4];
__global__ void apply(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= weights[i % 4]; }
int main() {
    const int n = 1000;
    float w[4] = {1, 2, 3, 4}, h[n], *a;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMemcpy(weights, w, sizeof w, cudaMemcpyHostToDevice);
    cudaMalloc(&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    apply<<<(n + 127) / 128, 128>>>(a, n);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[999]);
    cudaFree(a);
}
)cuda",
     "    cudaMemcpyToSymbol(weights, w, sizeof w);\n"},
    {"BytesOfDynamicSharedMemory", R"cuda(
#include <cstdio>
__global__ void reverse(float* d) {
    extern __shared__ float s[];
    s[threadIdx.x] = d[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    d[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
int main() {
    const int n = 1024, B = 256;
    float h[n], *d;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    reverse<<<n / B, B, B>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d);
}
)cuda",
     "<<<n / B, B, B * sizeof(float)>>>"},
    {"AGridWhoseSidesAreSwapped", R"cuda(
#include <cstdio>
__global__ void add(const int* a, int* b, int rows, int cols) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < cols) b[i * cols + j] += a[i * cols + j];
}
int main() {
    const int rows = 40, cols = 100, n = rows * cols;
    static int h[n];
    int *a, *b, bad = 0;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    for (int& v : h) v = 1;
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof h);
    dim3 block(16, 16);
    dim3 grid((rows + 15) / 16, (cols + 15) / 16);
    add<<<grid, block>>>(a, b, rows, cols);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    for (int v : h) bad += v != 1;
    printf("%d bad\n", bad);
    cudaFree(a);
    cudaFree(b);
    return bad != 0;
}
)cuda",
     "dim3 grid((cols + 15) / 16, (rows + 15) / 16);"},
    {"ALaunchWhoseTwoValuesAreSwapped", R"cuda(
#include <cstdio>
__global__ void twice(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }
int main() {
    const int n = 4096, threads = 256, blocks = n / threads;
    static float h[n];
    float* d;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<threads, blocks>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[n - 1]);
    cudaFree(d);
}
)cuda",
     "twice<<<blocks, threads>>>(d, n);"},
    {"ALoopThatEndsWithTheElements", R"cuda(
#include <cstdio>
#define CHUNK 128
__global__ void check(const unsigned char* d, unsigned* sum, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c * CHUNK >= n) return;
    unsigned a = 1, b = 0;
    for (int i = c * CHUNK; i < (c + 1) * CHUNK; i++) {
        a = (a + d[i]) % 65521;
        b = (b + a) % 65521;
    }
    sum[c] = b << 16 | a;
}
int main() {
    const int n = 10000, chunks = (n + CHUNK - 1) / CHUNK;
    static unsigned char h[n], *d;
    unsigned *s, r[chunks];
    cudaMalloc(&d, n);
    cudaMalloc(&s, chunks * sizeof(unsigned));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    check<<<(chunks + 31) / 32, 32>>>(d, s, n);
    cudaMemcpy(r, s, chunks * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%08x\n", r[chunks - 1]);
    cudaFree(d);
    cudaFree(s);
}
)cuda",
     "i < (c + 1) * CHUNK && i < n; i++"},
};

class HostRemedies : public testing::TestWithParam<BrokenProgram> {};
INSTANTIATE_TEST_SUITE_P(Programs, HostRemedies, testing::ValuesIn(kBrokenPrograms),
                         [](const auto& info) { return info.param.name; });

Trace traced(const std::string& text) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = text;
    RunControl control;
    auto own = runs::run_own_launches(o, control);
    EXPECT_TRUE(own.trace.has_value()) << own.why;
    return own.trace ? std::move(*own.trace) : Trace();
}

std::size_t found(const Trace& trace) {
    std::size_t count = trace.program.findings.size();
    for (const Launch& launch : trace.launches) {
        count += launch.findings.size();
    }
    return count;
}

std::optional<runs::FoundRemedy> mended(const Trace& trace) {
    RunControl control;
    return runs::first_remedy(trace.options, trace, std::nullopt, control);
}

TEST_P(HostRemedies, LeaveNothingToFind) {
    const Trace before = traced(GetParam().text);
    ASSERT_GT(found(before), 0U);
    EXPECT_THAT(GetParam().text, testing::Not(testing::HasSubstr(GetParam().line)));
    const auto remedy = mended(before);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->remedy.text, testing::HasSubstr(GetParam().line));
    const Trace after = traced(remedy->remedy.text);
    EXPECT_EQ(found(after), 0U);
    EXPECT_EQ(after.program.exit, 0);
    EXPECT_FALSE(mended(after).has_value());
}

// A program that fails before it frees: what comes to its end has a leak that was not told.
TEST(HostRemedy, MendsARaceBesideALeakThatAFailureHid) {
    const Trace trace = traced(R"cuda(
#include <cstdio>
__global__ void add(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    *out += in[i];
}
int main() {
    int h[512], *in, *out, sum = 0;
    for (int& v : h) v = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    add<<<2, 256>>>(in, out);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    if (sum != 512) return 1;
    printf("%d\n", sum);
}
)cuda");
    const auto remedy = mended(trace);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->remedy.text, testing::HasSubstr("atomicAdd(out, in[i]);"));
}

// A guard by a number that is not the array's, or one that leaves unset what is read back.
TEST(HostRemedy, LeavesNoResultUnset) {
    for (const char* text : {R"cuda(
__global__ void decimate(const short* x, short* y, int n, int M) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * M < n)
        y[i] = x[i * M];
}
int main() {
    const int n = 1001, M = 4, m = n / M;
    short x[n] = {}, y[m], *dx, *dy;
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    decimate<<<(n / M + 64) / 64, 64>>>(dx, dy, n, M);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    return y[0];
}
)cuda",
                             R"cuda(
__global__ void slope(const float* k, const float* v, const float* x, float* y, int n, int m) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= m) return;
    int i = x[q];
    y[q] = (v[i + 1] - v[i]) / (k[i + 1] - k[i]);
}
int main() {
    const int n = 33, m = 161;
    float h[n], x[m], y[m], *k, *v, *dx, *dy;
    for (int i = 0; i < n; ++i) h[i] = i;
    for (int i = 0; i < m; ++i) x[i] = i * 0.2f;
    cudaMalloc(&k, sizeof h);
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(k, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    slope<<<3, 64>>>(k, v, dx, dy, n, m);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    for (float* p : {k, v, dx, dy}) cudaFree(p);
    return y[0] != 1;
}
)cuda"}) {
        const Trace trace = traced(text);
        ASSERT_GT(found(trace), 0U);
        const auto remedy = mended(trace);
        EXPECT_FALSE(remedy.has_value()) << remedy->remedy.text;
    }
}

// A part of an array may be copied.
TEST(HostRemedy, IsNotNeededWhereACopySaysBytes) {
    for (const char* size : {"n / 4", "bytes", "25 * sizeof(float)", "row_size", "25 * 4"}) {
        const Trace trace =
            traced("__global__ void k(float* d, int n) { d[threadIdx.x] = n; }\n"
                   "int main() {\n    const int n = 100, bytes = 100, row_size = 100;\n    float h[n], *d;\n"
                   "    cudaMalloc(&d, n * sizeof(float));\n    k<<<1, 100>>>(d, n);\n    cudaMemcpy(h, d, " +
                   std::string(size) +
                   ", cudaMemcpyDeviceToHost);\n    cudaFree(d);\n"
                   "    return bytes + row_size == 0;\n}\n");
        EXPECT_EQ(found(trace), 0U) << size;
    }
}

// What is read was never given: zeros would hide it.
TEST(HostRemedy, IsNoneForAnInputThatWasForgotten) {
    const Trace trace = traced("__global__ void twice(const int* a, int* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }\n"
                               "int main() {\n    int *a, *b, h[64];\n    cudaMalloc(&a, sizeof h);\n"
                               "    cudaMalloc(&b, sizeof h);\n    twice<<<1, 64>>>(a, b);\n"
                               "    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);\n    cudaFree(a);\n"
                               "    cudaFree(b);\n}\n");
    EXPECT_GT(found(trace), 0U);
    EXPECT_FALSE(mended(trace).has_value());
}

// The count is right, and bytes are missing; or the count is another one than the host's array has.
TEST(HostRemedy, IsNamedByWhatWasMissing) {
    const auto words = [](const std::string& size) {
        const Trace trace =
            traced("__global__ void twice(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }\n"
                   "int main() {\n    const int n = 64, few = 32;\n    int h[n], *d;\n"
                   "    for (int i = 0; i < n; ++i) h[i] = i;\n    cudaMalloc(&d, " +
                   size + ");\n    cudaMemcpy(d, h, " + size +
                   ", cudaMemcpyHostToDevice);\n    twice<<<1, 64>>>(d, n);\n"
                   "    cudaMemcpy(h, d, " +
                   size + ", cudaMemcpyDeviceToHost);\n    cudaFree(d);\n    return h[0] + few - 32;\n}\n");
        const auto remedy = mended(trace);
        return remedy ? remedy->remedy.words : std::string("none");
    };
    EXPECT_EQ(words("n"), "as many bytes as its elements have");
    EXPECT_EQ(words("few * sizeof(int)"), "as many elements as the host's array has");
}

} // namespace
} // namespace warptree::tests
