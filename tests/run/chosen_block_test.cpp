// The block that is chosen where none is given, and how many elements its blocks take.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

// The block gets the shape of the tile in shared memory.
TEST(ChosenBlock, HasTheTilesSize) {
    const Trace trace =
        chosen("__global__ void turn(const float* in, float* out, int n) {\n  __shared__ float "
               "tile[8][9];\n  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n"
               "  tile[threadIdx.y][threadIdx.x] = in[y * n + x]; __syncthreads();\n"
               "  out[(blockIdx.x * 8 + threadIdx.y) * n + blockIdx.y * 8 + threadIdx.x] = "
               "tile[threadIdx.x][threadIdx.y];\n}");
    EXPECT_EQ(trace.launches.front().block_shape, (std::array<std::uint32_t, 3>{8, 8, 1}));
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(values<float>(trace, "out")[1], 137.0F) << "the 33rd prime";
}

// Blocks that overlap would race; with a block of the stated width each element has its thread.
TEST(ChosenBlock, IsWhatTheArithmeticSays) {
    const auto block_of = [](const Trace& trace) { return trace.launches.front().block_shape; };
    using Block = std::array<std::uint32_t, 3>;
    const Trace plain = chosen("__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n"
                               "  out[blockIdx.x * 96 + t] = in[blockIdx.x * 96 + t];\n}");
    EXPECT_EQ(block_of(plain), (Block{96, 1, 1}));
    EXPECT_THAT(kinds(plain), IsEmpty());
    EXPECT_THAT(sentences(plain.tried), IsEmpty());
    const Trace two_each = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n"
                                  "  int t = threadIdx.x; long i = (long)blockIdx.x * 256 + t;\n"
                                  "  s[t] = in[i] + in[i + 128]; __syncthreads();\n"
                                  "  if (t == 0) { int sum = 0; for (int k = 0; k < 128; ++k) sum += s[k]; "
                                  "out[blockIdx.x] = sum; }\n}");
    EXPECT_EQ(block_of(two_each), (Block{128, 1, 1}));
    EXPECT_THAT(sentences(two_each.tried), IsEmpty());
    const Trace tile = chosen("__global__ void turn(const float* in, float* out, int n) {\n"
                              "  __shared__ float tile[32][33];\n"
                              "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                              "  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x]; __syncthreads();\n"
                              "  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;\n"
                              "  if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];\n}");
    EXPECT_EQ(block_of(tile), (Block{32, 32, 1}));
    EXPECT_EQ(tile.equals, "the transpose of in");
    const Trace rows =
        chosen("__global__ void turn(const float* in, float* out, int n) {\n"
               "  __shared__ float tile[32][33];\n"
               "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
               "  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + "
               "x];\n  __syncthreads();\n"
               "  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;\n"
               "  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + "
               "j];\n}");
    EXPECT_EQ(block_of(rows), (Block{32, 8, 1})) << "four rows a thread";
    const Trace asks = chosen("__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n"
                              "  for (int i = blockIdx.x * 1024 + t; i < blockIdx.x * 1024 + 1024; i += blockDim.x) "
                              "out[i] = in[i];\n}");
    EXPECT_EQ(block_of(asks), (Block{256, 1, 1})) << "it asks for its block";
}

// What goes past one of several arrays lies in the next, where it would be told as a race.
TEST(ChosenBlock, HasAThreadForEachElementOfArraysInSharedMemory) {
    const Trace two =
        chosen("__global__ void k(const int* in, int* out, int n) {\n"
               "  __shared__ int lo[64], hi[64];\n  extern __shared__ int copy[];\n"
               "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
               "  copy[t] = lo[t] = hi[t] = i < n ? in[i] : in[0];\n  __syncthreads();\n"
               "  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
               "    if (t < d) {\n      lo[t] = min(lo[t], lo[t + d]);\n      hi[t] = max(hi[t], hi[t + d]);\n    }\n"
               "    __syncthreads();\n  }\n  if (i < n) out[i] = 2 * copy[t] - lo[0] + hi[0];\n}\n");
    EXPECT_THAT(two.chosen, testing::Contains("block 64"));
    EXPECT_THAT(two.launches[0].findings, testing::IsEmpty());
    const Trace warps =
        chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int low[32], high[32];\n"
               "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
               "  if (t % 32 == 0) low[t / 32] = in[i], high[t / 32] = in[i + 31];\n  __syncthreads();\n"
               "  out[i] = low[t / 32] + high[t / 32];\n}\n");
    EXPECT_THAT(warps.chosen, testing::Contains("block 256"));
}

// A tile with its halo in shared memory has a thread for each of its elements, and neighbouring blocks are apart by what they store.
TEST(ChosenBlock, HasAThreadForEachElementOfATileWithItsHalo) {
    const Trace line =
        chosen("__global__ void k(const float* N, const float* M, float* P, int width) {\n"
               "  __shared__ float Ns[128];\n  int o = blockIdx.x * 124 + threadIdx.x, i = o - 2;\n"
               "  Ns[threadIdx.x] = i >= 0 && i < width ? N[i] : 0;\n  __syncthreads();\n"
               "  if (threadIdx.x < 124 && o < width) {\n    float sum = 0;\n"
               "    for (int j = 0; j < 5; ++j) sum += M[j] * Ns[threadIdx.x + j];\n    P[o] = sum;\n  }\n}\n");
    EXPECT_THAT(line.chosen, Contains("block 128"));
    EXPECT_THAT(line.chosen, Contains("grid 9"));
    EXPECT_THAT(line.launches[0].findings, IsEmpty());
    const Trace tile =
        chosen("__global__ void k(const float* N, float* P, int w, int h) {\n  __shared__ float s[32][32];\n"
               "  int x = blockIdx.x * 28 + threadIdx.x - 2, y = blockIdx.y * 28 + threadIdx.y - 2;\n"
               "  bool in = x >= 0 && x < w && y >= 0 && y < h;\n"
               "  s[threadIdx.y][threadIdx.x] = in ? N[y * w + x] : 0;\n  __syncthreads();\n"
               "  int tx = threadIdx.x - 2, ty = threadIdx.y - 2;\n"
               "  if (in && tx >= 0 && tx < 28 && ty >= 0 && ty < 28) {\n    float sum = 0;\n"
               "    for (int r = 0; r < 5; ++r)\n      for (int c = 0; c < 5; ++c) sum += s[ty + r][tx + c];\n"
               "    P[y * w + x] = sum;\n  }\n}\n");
    EXPECT_EQ(tile.launches[0].block, 1024U);
    EXPECT_THAT(tile.launches[0].findings, IsEmpty());
}

// What a block of the usual size would leave unset in its array.
TEST(ChosenBlock, SetsAllOfItsArray) {
    const Trace section = chosen("__global__ void k(float* X, float* Y, unsigned N) {\n  __shared__ float s[1024];\n"
                                 "  unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  s[threadIdx.x] = i < N ? X[i] : 0;\n"
                                 "  s[threadIdx.x + blockDim.x] = i + blockDim.x < N ? X[i + blockDim.x] : 0;\n"
                                 "  for (unsigned d = 512; d > 0; d /= 2) {\n    __syncthreads();\n"
                                 "    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n  }\n"
                                 "  if (threadIdx.x == 0) Y[blockIdx.x] = s[0];\n}\n");
    EXPECT_THAT(section.chosen, Contains("block 512, which set all of s"));
    EXPECT_THAT(section.launches[0].findings, IsEmpty());
    EXPECT_THAT(sentences(section.tried), IsEmpty());
    const Trace halves =
        chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[512];\n"
               "  int t = threadIdx.x, base = blockIdx.x * 512;\n  s[t] = in[base + t];\n"
               "  s[t + 256] = in[base + t + 256];\n  __syncthreads();\n  out[base + t] = s[511 - t];\n"
               "  out[base + t + 256] = s[255 - t];\n}\n");
    EXPECT_THAT(halves.chosen, Contains("block 256"));
    EXPECT_THAT(halves.launches[0].findings, IsEmpty());
}

// Threads that have one number share the rows of an array: as many of them as a row has elements, in one dimension.
TEST(ChosenBlock, IsARowOfAnArrayWhoseRowsTheThreadsShare) {
    for (const std::string kind : {"float", "double", "unsigned char"}) {
        const Trace turns =
            chosen("__global__ void k(const " + kind + "* in, " + kind + "* out) {\n  __shared__ " + kind +
                   " buf[2][64];\n  int t = threadIdx.x, now = 0;\n"
                   "  buf[0][t] = in[blockIdx.x * blockDim.x + t];\n  __syncthreads();\n"
                   "  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
                   "    if (t < d) buf[1 - now][t] = buf[now][t] + buf[now][t + d];\n    now = 1 - now;\n"
                   "    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = buf[now][0];\n}\n");
        EXPECT_THAT(turns.chosen, Contains("block 64 as buf has an element a thread"));
        EXPECT_THAT(turns.launches[0].findings, IsEmpty());
        EXPECT_THAT(sentences(turns.tried), IsEmpty());
    }
    const Trace tile = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int tile[32][33];\n"
                              "  int t = threadIdx.x;\n  for (int r = 0; r < 32; ++r) tile[r][t] = in[r * 32 + t];\n"
                              "  __syncthreads();\n  for (int r = 0; r < 32; ++r) out[r * 32 + t] = tile[t][r];\n}\n");
    EXPECT_EQ(tile.launches[0].block, 32U);
    EXPECT_THAT(tile.launches[0].findings, IsEmpty());
}

// A warp, or as many threads, to a row: the block, and how many rows its blocks take, as the text says them.
TEST(ChosenBlock, TakesARowAWarp) {
    const auto rows = [](unsigned lanes, const std::string& row) {
        return chosen(fmt::format("__device__ int n_of(int a, int b) {{ return a > b ? a : b; }}\n"
                                  "__global__ void k(const int* m, int* o, int rows) {{\n"
                                  "  int lane = threadIdx.x % {0}, row = {1};\n"
                                  "  int v = row < rows ? m[row * {0} + lane] : 0;\n"
                                  "  for (int d = {0} / 2; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);\n"
                                  "  if (lane == 0 && row < rows) o[row] = v;\n}}\n",
                                  lanes, row));
    };
    const Trace of_number = rows(32, "blockIdx.x * 8 + (threadIdx.x >> 5)");
    EXPECT_THAT(of_number.chosen, IsSupersetOf({"n = 256", "block 256", "grid 32"}));
    EXPECT_EQ(of_number.equals, "the sum of each row of m");
    const Trace of_width = rows(16, "blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16");
    EXPECT_THAT(of_width.chosen, IsSupersetOf({"n = 256", "block 256", "grid 16"}));
    // Of several the kernel does not say.
    EXPECT_THAT(rows(32, "n_of(blockIdx.x * 4 + threadIdx.x / 32, blockIdx.x * 2 + threadIdx.x / 64)").chosen,
                Contains("block 256"));
    const Trace by_y =
        chosen("__global__ void k(const int* m, int* o, int rows, int cols) {\n"
               "  int row = blockIdx.x * blockDim.y + threadIdx.y;\n  if (row >= rows) return;\n  int v = 0;\n"
               "  for (int c = threadIdx.x; c < cols; c += 32) v += m[row * cols + c];\n"
               "  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);\n"
               "  if (threadIdx.x == 0) o[row] = v;\n}\n");
    EXPECT_THAT(by_y.chosen, IsSupersetOf({"n = 32", "block 32 × 8", "grid 4"}));
    EXPECT_EQ(by_y.equals, "the sum of each row of m");
    for (const Trace& trace : {of_number, of_width, by_y}) {
        EXPECT_THAT(trace.launches[0].findings, IsEmpty());
        EXPECT_THAT(sentences(trace.tried), IsEmpty());
    }
}

// A loop that begins with the thread's number and goes on by a number has so many threads; by the block's width, any.
TEST(ChosenBlock, IsWhatItsLoopsGoOnBy) {
    const auto with_step = [](const std::string& step) {
        return chosen("__global__ void k(const int* in, int* out, int n) {\n  int v = 0;\n"
                      "  for (int i = threadIdx.x; i < n; i += " +
                      step + ") v += in[i];\n  atomicAdd(out, v);\n}\n");
    };
    EXPECT_THAT(with_step("128").chosen, Contains("block 128"));
    EXPECT_EQ(with_step("128").equals, "the sum of in");
    EXPECT_THAT(with_step("blockDim.x").chosen, Contains("block 256"));
    EXPECT_THAT(with_step("2").chosen, Contains("block 256")); // its own stride, not the threads'
}

// Half of the block's stride is added to its first element's number, or a template's argument says the threads.
TEST(ChosenBlock, TakesTheThreadsThatTheArithmeticSays) {
    const auto text = [](const char* head, const char* threads) {
        return fmt::format(
            "{}__global__ void k(const float* in, float* out, int n) {{\n"
            "  extern __shared__ float s[];\n  unsigned t = threadIdx.x, i = blockIdx.x * ({} * 2) + t;\n"
            "  s[t] = (i < n ? in[i] : 0) + (i + {} < n ? in[i + {}] : 0);\n  __syncthreads();\n"
            "  for (unsigned d = {} / 2; d > 0; d /= 2) {{ if (t < d) s[t] += s[t + d]; __syncthreads(); }}\n"
            "  if (t == 0) out[blockIdx.x] = s[0]; }}",
            head, threads, threads, threads, threads);
    };
    const Trace literal = chosen(text("", "128"));
    EXPECT_EQ(literal.launches.front().block, 128U);
    EXPECT_EQ(literal.launches.front().grid, 4U) << "a block has 256 elements";
    EXPECT_THAT(kinds(literal), IsEmpty());
    EXPECT_EQ(literal.equals, "the sum of in, from 4 partial results");
    const Trace argument = chosen(text("template <unsigned size> ", "size"));
    EXPECT_EQ(argument.launches.front().block, 256U);
    EXPECT_EQ(argument.launches.front().grid, 2U);
    EXPECT_EQ(argument.equals, "the sum of in, from 2 partial results");
}

// Two warps fill what two others take: each barrier waits for all four.
TEST(ChosenBlock, HasTheThreadsThatItsBarriersWaitFor) {
    const Trace trace = chosen("__global__ void roles(const float* in, float* out, int tiles) {\n"
                               "  __shared__ float box[64];\n  int t = threadIdx.x % 64;\n"
                               "  if (threadIdx.x < 64) {\n    for (int k = 0; k < tiles; k++) {\n"
                               "      if (k > 0) asm volatile(\"bar.sync 2, 128;\" ::: \"memory\");\n"
                               "      box[t] = in[k * 64 + t];\n"
                               "      asm volatile(\"bar.arrive 1, 128;\" ::: \"memory\");\n    }\n  } else {\n"
                               "    for (int k = 0; k < tiles; k++) {\n"
                               "      asm volatile(\"bar.sync 1, 128;\" ::: \"memory\");\n"
                               "      out[k * 64 + t] = box[63 - t] + 1.f;\n"
                               "      if (k + 1 < tiles) asm volatile(\"bar.arrive 2, 128;\" ::: \"memory\");\n"
                               "    }\n  }\n}");
    EXPECT_EQ(trace.launches.front().block_shape, (std::array<std::uint32_t, 3>{128, 1, 1}));
    EXPECT_THAT(kinds(trace), IsEmpty());
}

TEST(ChosenBlock, TheNumberOfElementsIsSaidAsANumber) {
    const Trace trace = chosen("__global__ void k(const int* in, int* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] + 1;\n}",
                               [](RunOptions& o) {
                                   o.n = 1000;
                                   o.kernel.n_given = true;
                               });
    EXPECT_NE(std::find(trace.chosen.begin(), trace.chosen.end(), "n = 1000"), trace.chosen.end());
    EXPECT_EQ(std::find(trace.chosen.begin(), trace.chosen.end(), "n = n"), trace.chosen.end());
}

} // namespace
} // namespace warptree::tests
