// Guards of rows and columns: the changed program is right by what its host computes, and nothing is found in it.
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

namespace warptree {
namespace {

using testing::HasSubstr;

struct Unguarded {
    const char* name;
    const char* kernel; // k(const int* a, const int* b, int* c, …)
    const char* host;   // is_right(a, b, c, w, h) of 100 x 70 elements each
    const char* call;
    const char* line; // that the mended text has
};
void PrintTo(const Unguarded& it, std::ostream* out) { *out << it.name; }

constexpr const char* kAdds = "for (int i = 0; i < w * h; ++i) if (c[i] != a[i] + b[i]) return false;\n return true;";
constexpr const char* kTransposes =
    "for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) if (c[x * h + y] != a[y * w + x]) return false;\n"
    "return true;";
constexpr const char* kMultiplies = "for (int y = 0; y < 50; ++y) for (int x = 0; x < 50; ++x) {\n int sum = 0;\n"
                                    "for (int k = 0; k < 50; ++k) sum += a[y * 50 + k] * b[k * 50 + x];\n"
                                    "if (c[y * 50 + x] != sum) return false; }\n return true;";
constexpr const char* kAddsNeighbours =
    "const auto at = [&](int y, int x) { return y < 0 || x < 0 || y >= h || x >= w ? 0 : a[y * w + x]; };\n"
    "for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x)\n"
    "if (c[y * w + x] != at(y, x) + at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x)) return false;\n"
    "return true;";
constexpr const char* kOfRows = "k<<<dim3(7, 5), dim3(16, 16)>>>(a, b, c, w, h);";
constexpr const char* kOfASquare = "k<<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, 50);";

const Unguarded kUnguarded[] = {
    {"Both",
     "__global__ void k(const int* a, const int* b, int* c, int w, int h) {\n"
     "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
     "    c[y * w + x] = a[y * w + x] + b[y * w + x];\n}\n",
     kAdds, kOfRows, "    if (x >= w || y >= h) return;\n    c[y"},
    {"BehindAVariable",
     "__global__ void k(const int* a, const int* b, int* c, int width, int height) {\n"
     "    int col = threadIdx.x + blockIdx.x * blockDim.x;\n    int row = threadIdx.y + blockIdx.y * blockDim.y;\n"
     "    if (col < width) {\n        int at = col + width * row;\n        c[at] = a[at] + b[at];\n    }\n}\n",
     kAdds, kOfRows, "if (col < width && row < height) {"},
    {"InAnEarlierReturn",
     "__global__ void k(const int* a, const int* b, int* c, int w, int h) {\n"
     "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
     "    if (x >= w) return;\n    c[y * w + x] = a[y * w + x] + b[y * w + x];\n}\n",
     kAdds, kOfRows, "    if (x >= w || y >= h) return;\n    c[y"},
    {"AProduct",
     "__global__ void k(const int* A, const int* B, int* C, int N) {\n"
     "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    int sum = 0;\n    for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * N + col];\n"
     "    C[row * N + col] = sum;\n}\n",
     kMultiplies, kOfASquare, "    if (row >= N || col >= N) return;\n    for"},
    {"ATiledProduct",
     "#define T 16\n__global__ void k(const int* A, const int* B, int* C, int N) {\n"
     "    __shared__ int As[T][T], Bs[T][T];\n    int tx = threadIdx.x, ty = threadIdx.y, sum = 0;\n"
     "    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;\n"
     "    for (int p = 0; p < (N + T - 1) / T; ++p) {\n        As[ty][tx] = A[row * N + p * T + tx];\n"
     "        Bs[ty][tx] = B[(p * T + ty) * N + col];\n        __syncthreads();\n"
     "        for (int i = 0; i < T; ++i) sum += As[ty][i] * Bs[i][tx];\n        __syncthreads();\n    }\n"
     "    C[row * N + col] = sum;\n}\n",
     kMultiplies, kOfASquare, "(p * T + ty < N && col < N ? B[(p * T + ty) * N + col] : 0);"},
    {"AStencilOfSeveralStatements",
     "__global__ void k(const int* a, const int* b, int* c, int w, int h) {\n"
     "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
     "    if (x < w && y < h) {\n        int s = a[y * w + x];\n        s += a[y * w + x - 1];\n        s += a[y * w + "
     "x + 1];\n"
     "        s += a[(y - 1) * w + x];\n        s += a[(y + 1) * w + x];\n        c[y * w + x] = s;\n    }\n}\n",
     kAddsNeighbours, kOfRows, "s += (y + 1 < h ? a[(y + 1) * w + x] : 0);"},
    {"ATransposition",
     "__global__ void k(const int* in, const int*, int* out, int cols, int rows) {\n    __shared__ int s[16][17];\n"
     "    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n"
     "    s[threadIdx.y][threadIdx.x] = in[r * cols + c];\n    __syncthreads();\n"
     "    c = blockIdx.y * 16 + threadIdx.x;\n    r = blockIdx.x * 16 + threadIdx.y;\n"
     "    out[r * rows + c] = s[threadIdx.x][threadIdx.y];\n}\n",
     kTransposes, kOfRows, "if (r < cols && c < rows) out[r * rows + c] = s["},
};

class RowGuards : public Program, public testing::WithParamInterface<Unguarded> {};
INSTANTIATE_TEST_SUITE_P(Kernels, RowGuards, testing::ValuesIn(kUnguarded),
                         [](const auto& info) { return info.param.name; });

TEST_P(RowGuards, LeaveTheResultThatTheHostComputes) {
    const Unguarded& it = GetParam();
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text =
        std::string("#include <cstdio>\n") + it.kernel + "bool is_right(const int* a, const int* b, const int* c) {\n" +
        "    const int w = 100, h = 70;\n    (void)b; (void)h; (void)w;\n" + it.host +
        "\n}\nint a_[7000], b_[7000], c_[7000];\nint main() {\n    const int w = 100, h = 70;\n    (void)h; (void)w;\n"
        "    int *a, *b, *c;\n    cudaMalloc(&a, sizeof a_);\n    cudaMalloc(&b, sizeof b_);\n"
        "    cudaMalloc(&c, sizeof c_);\n    for (int i = 0; i < 7000; ++i) a_[i] = i % 91, b_[i] = i % 17;\n"
        "    cudaMemcpy(a, a_, sizeof a_, cudaMemcpyHostToDevice);\n"
        "    cudaMemcpy(b, b_, sizeof b_, cudaMemcpyHostToDevice);\n    cudaMemset(c, 0, sizeof c_);\n    " +
        it.call +
        "\n    cudaMemcpy(c_, c, sizeof c_, cudaMemcpyDeviceToHost);\n"
        "    puts(is_right(a_, b_, c_) ? \"right\" : \"wrong\");\n"
        "    cudaFree(a);\n    cudaFree(b);\n    cudaFree(c);\n}\n";
    // Of a square the arrays are as large as it is.
    if (std::string(it.call) == kOfASquare) {
        for (std::size_t at = 0; (at = o.kernel.text->find("7000", at)) != std::string::npos;) {
            o.kernel.text->replace(at, 4, "2500");
        }
    }
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    const auto found = runs::first_remedy(runs::in_same_block(*own.trace), *own.trace, std::nullopt, control);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr(it.line));
    const RanProgram mended = run(found->remedy.text);
    EXPECT_EQ(mended.out, "right\n");
    EXPECT_THAT(mended.kinds(), testing::IsEmpty());
    for (const Launch& launch : mended.result.trace.launches) {
        EXPECT_THAT(launch.findings, testing::IsEmpty());
    }
}

} // namespace
} // namespace warptree
