// What mends a program's launches, copies, frees and waits, in the words of its own text.
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

namespace warptree {
namespace {

using testing::HasSubstr;

struct BrokenCall {
    const char* name;
    const char* text;
    const char* line; // that the mended text has
};
void PrintTo(const BrokenCall& it, std::ostream* out) { *out << it.name; }

const BrokenCall kBrokenCalls[] = {
    {"ASwappedGridWithBlocksOfItsOwn", R"cuda(#include <cstdio>
#include <cstdlib>
__global__ void addMat(const float* A, const float* B, float* C, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        C[r * cols + c] = A[r * cols + c] + B[r * cols + c];
}
int main()
{
    const int rows = 100, cols = 200;
    size_t bytes = rows * cols * sizeof(float);
    float *A = (float*)malloc(bytes), *B = (float*)malloc(bytes), *C = (float*)calloc(rows * cols, sizeof(float));
    for (int i = 0; i < rows * cols; i++) { A[i] = i; B[i] = 2 * i; }
    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytes); cudaMalloc(&dB, bytes); cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, A, bytes, cudaMemcpyHostToDevice); cudaMemcpy(dB, B, bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid((rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y);
    addMat<<<grid, block>>>(dA, dB, dC, rows, cols);
    cudaMemcpy(C, dC, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < rows * cols; i++) if (C[i] != 3.0f * i) wrong++;
    printf("%d wrong elements\n", wrong);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
)cuda",
     "dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);"},
    {"BlocksInZByTheBlock", R"cuda(#include <cstdio>
#include <vector>
__global__ void fill(int *v, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz)
        v[(z * ny + y) * nx + x] = x + y + z;
}
int main()
{
    int nx = 16, ny = 16, nz = 9, n = nx * ny * nz;
    std::vector<int> h(n, -1);
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    // launch
    dim3 b(8, 8, 4);
    // blocks
    dim3 g((nx + b.x - 1) / b.x, (ny + b.y - 1) / b.y);
    fill<<<g, b>>>(d, nx, ny, nz);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d (expected %d)\n", h[n - 1], nx + ny + nz - 3);
    cudaFree(d);
}
)cuda",
     "(ny + b.y - 1) / b.y, (nz + b.z - 1) / b.z);"},
    {"OneMoreRowPointer", R"cuda(#include <cstdio>
#include <cstdlib>
__global__ void degree(const int *ptr, int *deg, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        // out degree of v
        deg[v] = ptr[v + 1] - ptr[v];
}
int main()
{
    int n = 300;
    int *ptr = (int *)malloc((n + 1) * sizeof(int)), *deg = (int *)malloc(n * sizeof(int));
    ptr[0] = 0;
    for (int v = 0; v < n; v++) ptr[v + 1] = ptr[v] + v % 4;
    int *d_ptr, *d_deg;
    cudaMalloc(&d_ptr, n * sizeof(int));
    cudaMalloc(&d_deg, n * sizeof(int));
    cudaMemcpy(d_ptr, ptr, n * sizeof(int), cudaMemcpyHostToDevice);
    degree<<<(n + 255) / 256, 256>>>(d_ptr, d_deg, n);
    cudaMemcpy(deg, d_deg, n * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int v = 0; v < n; v++) bad += deg[v] != v % 4;
    printf("bad: %d\n", bad);
    cudaFree(d_ptr); cudaFree(d_deg); free(ptr); free(deg);
    return 0;
}
)cuda",
     "cudaMemcpy(d_ptr, ptr, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);"},
    {"OneMoreRowPointerOfAVector", R"cuda(#include <cstdio>
#include <vector>
__global__ void spmv(const int* rowPtr, const float* val, float* y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int k = rowPtr[r]; k < rowPtr[r + 1]; ++k) s += val[k];
        y[r] = s;
    }
}
int main() {
    const int rows = 100, nnz = 200;
    std::vector<int> ptr(rows + 1);
    std::vector<float> val(nnz, 1.0f), y(rows);
    for (int r = 0; r <= rows; ++r) ptr[r] = 2 * r;
    int* d_ptr; float *d_val, *d_y;
    size_t bytes = rows * sizeof(int);
    cudaMalloc(&d_ptr, bytes);
    cudaMalloc(&d_val, nnz * sizeof(float));
    cudaMalloc(&d_y, rows * sizeof(float));
    cudaMemcpy(d_ptr, ptr.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_val, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
    spmv<<<1, 128>>>(d_ptr, d_val, d_y, rows);
    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", y[99]);
    cudaFree(d_ptr); cudaFree(d_val); cudaFree(d_y);
}
)cuda",
     "cudaMalloc(&d_ptr, (rows + 1) * sizeof(*d_ptr));"},
    {"TheNeighbourOfAStore", R"cuda(#include <cstdio>
#include <vector>
// shift right by one
__global__ void shift(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + 1] = in[i];
}
int main()
{
    int n = 1000;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = i;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemset(b, 0, n * sizeof(int));
    cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    shift<<<(n + 127) / 128, 128>>>(a, b, n);
    cudaMemcpy(r.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = r[0] == 0;
    for (int i = 1; i < n; i++) ok = ok && r[i] == i - 1;
    printf("%s\n", ok ? "ok" : "wrong");
    cudaFree(a); cudaFree(b);
    return 0;
}
)cuda",
     "if (i + 1 < n)"},
    {"AnotherFreeThanASecondOne", R"cuda(#include <cstdio>
__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
int main()
{
    const int n = 300;
    float x[n], y[n];
    for (int i = 0; i < n; i++) { x[i] = i; y[i] = 1; }
    float *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMemcpy(d_a, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, y, n * sizeof(float), cudaMemcpyHostToDevice);
    axpy<<<(n + 63) / 64, 64>>>(2.0f, d_a, d_b, n);
    cudaMemcpy(y, d_b, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("y[10] = %g\n", y[10]);
    cudaFree(d_a); cudaFree(d_a);
    return 0;
}
)cuda",
     "cudaFree(d_a); cudaFree(d_b);"},
    {"AFreeInALoopAsTheOthers", R"cuda(#include <cstdio>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; } } while (0)
__global__ void inc(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i]++; }
int main() {
    int h[64] = {}, *other, sum = 0;
    CHECK(cudaMalloc(&other, 64));
    int round = 0;
    while (round < 2) {
        int *d;
        CHECK(cudaMalloc(&d, sizeof h));
        CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
        inc<<<1, 64>>>(d, 64);
        CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
        ++round;
    }
    for (int v : h) sum += v;
    printf("%d\n", sum);
    CHECK(cudaFree(other));
    return 0;
}
)cuda",
     "        ++round;\n        CHECK(cudaFree(d));\n"},
    {"TheDevicesArrayForTheHosts", R"cuda(#include <cstdio>
#include <vector>
__global__ void scale(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2 * in[i]; }
int main() {
    const int n = 100;
    std::vector<float> input(n, 1.0f), output(n);
    float *devIn, *devOut;
    cudaMalloc((void **)&devIn, n * sizeof(float));
    cudaMalloc((void **)&devOut, n * sizeof(float));
    cudaMemcpy(devIn, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<1, 128>>>(devIn, output.data(), n);
    cudaMemcpy(output.data(), devOut, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", output[5]);
    cudaFree(devIn); cudaFree(devOut);
}
)cuda",
     "scale<<<1, 128>>>(devIn, devOut, n);"},
    {"SwappedArguments", R"cuda(#include <cstdio>
#include <vector>
__global__ void scale(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2 * in[i]; }
int main() {
    const int n = 100;
    std::vector<float> input(n, 1.0f), output(n);
    float *devIn, *devOut;
    cudaMalloc((void **)&devIn, n * sizeof(float));
    cudaMalloc((void **)&devOut, n * sizeof(float));
    cudaMemcpy(devIn, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<1, 128>>>(devOut, devIn, n);
    cudaMemcpy(output.data(), devOut, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", output[5]);
    cudaFree(devIn); cudaFree(devOut);
}
)cuda",
     "scale<<<1, 128>>>(devIn, devOut, n);"},
    {"ACopyBack", R"cuda(#include <cstdio>
#include <vector>
__global__ void scale(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2 * in[i]; }
int main() {
    const int n = 100;
    std::vector<float> input(n, 1.0f), output(n);
    float *devIn, *devOut;
    cudaMalloc((void **)&devIn, n * sizeof(float));
    cudaMalloc((void **)&devOut, n * sizeof(float));
    cudaMemcpy(devIn, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<1, 128>>>(devIn, devOut, n);
    cudaMemcpy(devOut, output.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    printf("%g\n", output[5]);
    cudaFree(devIn); cudaFree(devOut);
}
)cuda",
     "cudaMemcpy(output.data(), devOut, n * sizeof(float), cudaMemcpyDeviceToHost);"},
    {"TheSizeOfAPointer", R"cuda(#include <stdio.h>
#include <stdlib.h>
__global__ void negate(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = -d[i];
}
int main(void) {
    int n = 64;
    int *h = (int *)malloc(n * sizeof(int)), *d;
    for (int i = 0; i < n; i++) h[i] = i + 1;
    cudaMalloc((void **)&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    negate<<<1, n>>>(d, n);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    int ok = 1;
    for (int i = 0; i < n; i++) if (h[i] != -(i + 1)) ok = 0;
    printf("%s\n", ok ? "correct" : "incorrect");
    cudaFree(d);
    free(h);
    return 0;
}
)cuda",
     "cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);"},
    {"AWaitOnOneLine", R"cuda(#include <stdio.h>
__global__ void hello() { printf("Hello from block %d, thread %d\n", blockIdx.x, threadIdx.x); }
int main() { hello<<<2, 3>>>(); return 0; }
)cuda",
     "hello<<<2, 3>>>(); cudaDeviceSynchronize(); return 0; }"},
    {"AWaitForTheStream", R"cuda(#include <cstdio>
__global__ void inc(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i]++;
}
int main()
{
    const int n = 2048;
    int *h, *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s);
    inc<<<n / 256, 256, 0, s>>>(d, n);
    cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    printf("h[5] = %d\n", h[5]);
    cudaStreamDestroy(s);
    cudaFreeHost(h);
    cudaFree(d);
    return 0;
}
)cuda",
     "    cudaStreamSynchronize(s);\n    printf"},
    {"AWaitForTheEvent", R"cuda(#include <cstdio>
__global__ void work(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float v = i; for (int k = 0; k < 50; k++) v = v * 0.99f + 1.0f; a[i] = v; }
}
int main()
{
    int n = 4096;
    float *d, ms, h;
    cudaMalloc(&d, n * sizeof(float));
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    work<<<n / 256, 256>>>(d, n);
    cudaEventRecord(stop, 0);
    cudaEventElapsedTime(&ms, start, stop);
    cudaMemcpy(&h, d, sizeof(float), cudaMemcpyDeviceToHost);
    printf("time measured, first %f\n", h);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d);
    return 0;
}
)cuda",
     "    cudaEventSynchronize(stop);\n    cudaEventElapsedTime"},
};

class CallRemedies : public Program, public testing::WithParamInterface<BrokenCall> {};
INSTANTIATE_TEST_SUITE_P(Programs, CallRemedies, testing::ValuesIn(kBrokenCalls),
                         [](const auto& info) { return info.param.name; });

std::optional<runs::FoundRemedy> mended_call(const std::string& text) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = text;
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    EXPECT_TRUE(own.trace.has_value());
    return own.trace ? runs::first_remedy(own.trace->options, *own.trace, std::nullopt, control) : std::nullopt;
}

TEST_P(CallRemedies, LeaveNothingToFind) {
    const BrokenCall& it = GetParam();
    const auto found = mended_call(it.text);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr(it.line));
    const RanProgram after = run(found->remedy.text);
    EXPECT_THAT(after.kinds(), testing::IsEmpty());
    EXPECT_EQ(after.result.trace.program.exit, 0);
    for (const Launch& launch : after.result.trace.launches) {
        EXPECT_THAT(launch.findings, testing::IsEmpty());
    }
}

// Where no host array says that there is one more.
TEST(CallRemedy, PutsNo0InADifference) {
    const auto found = mended_call(R"cuda(
__global__ void degree(const int* ptr, int* deg, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        int begin = ptr[v], end = ptr[v + 1];
        deg[v] = end - begin;
    }
}
int main() {
    const int n = 300;
    static int deg[n], ptr[n];
    int *d_ptr, *d_deg;
    cudaMalloc(&d_ptr, sizeof ptr);
    cudaMalloc(&d_deg, sizeof deg);
    cudaMemcpy(d_ptr, ptr, sizeof ptr, cudaMemcpyHostToDevice);
    degree<<<2, 256>>>(d_ptr, d_deg, n);
    cudaMemcpy(deg, d_deg, sizeof deg, cudaMemcpyDeviceToHost);
    cudaFree(d_ptr);
    cudaFree(d_deg);
}
)cuda");
    EXPECT_FALSE(found.has_value()) << found->remedy.text;
}

// A kernel alone: nothing that it stored is left out.
TEST(CallRemedy, LeavesNoElementOfAKernelUnset) {
    const auto changed = [](const std::string& body) {
        RunOptions o;
        o.kernel.text = "__global__ void heat(const double* u, double* v, int n, double c) {\n"
                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n" +
                        body + "}\n";
        o.n = 1000;
        o.kernel.n_given = true;
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        EXPECT_FALSE(tests::kinds(trace).empty()) << body;
        const auto found = runs::first_remedy(o, trace, std::nullopt, control);
        return found ? found->remedy.text : std::string();
    };
    const std::string sum = "v[i] = u[i] + c * (u[i - 1] - 2 * u[i] + u[i + 1]);\n";
    EXPECT_THAT(changed("    if (i == 0)\n        v[i] = u[i];\n    else\n        " + sum),
                HasSubstr("if (i == 0 || i == n - 1)\n"));
    EXPECT_THAT(changed("    if (i == n - 1) { v[i] = u[i]; return; }\n    " + sum),
                HasSubstr("if (i == 0 || i == n - 1) {"));
    EXPECT_THAT(changed("    v[i] = u[i + 1] - u[i];\n"), testing::IsEmpty());
}

} // namespace
} // namespace warptree
