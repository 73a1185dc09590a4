// The launch options that are chosen where none are given, and the effect of given ones.
#include "app/base/error.hpp"
#include "app/catalogue/launch_expression.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include <sys/stat.h>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string refusal(const std::string& text, const std::function<void(RunOptions&)>& change = {}) {
    try {
        chosen(text, change);
    } catch (const Error& e) {
        return e.what();
    }
    return "taken";
}

constexpr const char* kCopy = "__global__ void copy(const float* in, float* out, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i];\n}";

TEST(Choices, AreSensibleAndSaid) {
    const Trace trace = chosen(kCopy);
    EXPECT_EQ(trace.options.n, 1024U);
    EXPECT_EQ(trace.launches.front().block, 256U);
    EXPECT_EQ(trace.launches.front().grid, 4U);
    EXPECT_THAT(trace.chosen, testing::IsSupersetOf({"n = 1024", "block 256", "grid 4", "in = primes", "out = zeros"}));
    EXPECT_EQ(trace.equals, "a copy of in");
    EXPECT_TRUE(trace.completed());
    ASSERT_EQ(trace.arguments.size(), 3U);
    EXPECT_EQ(trace.arguments[2].value, "1024");
    EXPECT_TRUE(trace.arguments[2].chosen);
}

TEST(Choices, FollowWhatIsSaid) {
    const Trace trace = chosen(kCopy, [](RunOptions& o) {
        o.n = 100;
        o.kernel.n_given = true;
        o.kernel.block = "64";
        o.kernel.grid = "ceil(n / B) + 1";
        o.kernel.arguments = {{"in", "ones:200"}, {"n", "B + 10"}};
    });
    EXPECT_EQ(trace.launches.front().grid, 3U);
    EXPECT_EQ(values<float>(trace, "out").size(), 74U);
    EXPECT_THAT(values<float>(trace, "out"), testing::Each(1.0F));
    EXPECT_THAT(trace.chosen, ElementsAre("out = zeros"));
}

TEST(Choices, OfSeveralDimensionsFollowTheKernel) {
    const Trace trace =
        chosen("__global__ void add(const float* a, const float* b, float* c, int rows, int columns) {\n"
               "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
               "threadIdx.y;\n  if (x < columns && y < rows) c[y * columns + x] = a[y * columns + x] + "
               "b[y * columns + x];\n}");
    EXPECT_EQ(trace.launches.front().block_shape, (std::array<std::uint32_t, 3>{16, 16, 1}));
    EXPECT_EQ(trace.launches.front().grid_shape, (std::array<std::uint32_t, 3>{2, 2, 1}));
    const auto c = values<float>(trace, "c");
    ASSERT_EQ(c.size(), 1024U);
    EXPECT_EQ(c[33], 139.0F + 379.0F) << "two arrays never have the same contents";
    EXPECT_THAT(kinds(trace), IsEmpty());
}

// The block gets the shape of the tile in shared memory.
TEST(Choices, TakeABlockOfTheTilesSize) {
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
TEST(Choices, TakeTheBlockThatTheArithmeticSays) {
    const auto block_of = [](const Trace& trace) { return trace.launches.front().block_shape; };
    using Block = std::array<std::uint32_t, 3>;
    const Trace plain = chosen("__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n"
                               "  out[blockIdx.x * 96 + t] = in[blockIdx.x * 96 + t];\n}");
    EXPECT_EQ(block_of(plain), (Block{96, 1, 1}));
    EXPECT_THAT(kinds(plain), IsEmpty());
    EXPECT_THAT(plain.tried, IsEmpty());
    const Trace two_each = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n"
                                  "  int t = threadIdx.x; long i = (long)blockIdx.x * 256 + t;\n"
                                  "  s[t] = in[i] + in[i + 128]; __syncthreads();\n"
                                  "  if (t == 0) { int sum = 0; for (int k = 0; k < 128; ++k) sum += s[k]; "
                                  "out[blockIdx.x] = sum; }\n}");
    EXPECT_EQ(block_of(two_each), (Block{128, 1, 1}));
    EXPECT_THAT(two_each.tried, IsEmpty());
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

TEST(ChosenKernel, OfSeveralIsTheFirstWithSharedMemory) {
    const std::string fill = "__global__ void fill(int* a) {\n  a[threadIdx.x] = 1;\n}\n";
    const std::string sum = "__global__ void sum(const int* in, int* out) {\n  __shared__ int s[256];\n"
                            "  s[threadIdx.x] = in[threadIdx.x]; __syncthreads();\n"
                            "  if (threadIdx.x == 0) out[0] = s[0] + s[1];\n}\n";
    EXPECT_THAT(chosen(fill + sum).kernel, HasSubstr("sum"));
    EXPECT_THAT(chosen(fill + "__global__ void last(int* b) {\n  b[threadIdx.x] = 2;\n}\n").kernel, HasSubstr("fill"));
}

TEST(AnotherTry, TakesTheBlockThatTheKernelIsWrittenFor) {
    const Trace trace = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = "
                               "threadIdx.x;\n  s[t] = in[blockIdx.x * blockDim.x + t]; __syncthreads();\n"
                               "  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_EQ(trace.launches.front().block, 64U);
    EXPECT_THAT(trace.tried, IsEmpty()) << "that 256 threads were tried first says nothing of the kernel";
    EXPECT_THAT(trace.chosen, Contains("block 64 as s has an element a thread"));
}

TEST(AnotherTry, GivesAsMuchSharedMemoryAsIsReached) {
    const Trace trace = chosen("__global__ void k(int* out) {\n  extern __shared__ int s[]; int t = threadIdx.x;\n"
                               "  s[t] = t; s[t + 2 * blockDim.x] = 1; out[t] = s[t];\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_GE(trace.launches.front().shared_bytes, 3 * 256 * 4U);
}

TEST(AnotherTry, TakesFewerElementsWhereThereIsNoEnd) {
    if (tests::kFewCases) GTEST_SKIP() << "too slow; Check.ReportsFiftySubmissions has an endless kernel";
    const Trace trace =
        chosen("__global__ void k(const int* in, int* out, int n) {\n  int v = 0;\n"
               "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) for (int l = 0; l < 64; ++l)\n"
               "    v += in[j] ^ l;\n  out[threadIdx.x] = v;\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_LT(trace.options.n, 1024U);
}

// An array that is read before it is written gets input: it is not only an output.
TEST(AnotherTry, FillsWhatIsReadBeforeItIsWritten) {
    const Trace trace =
        chosen("__global__ void add(const int* in, int* data, int n) {\n  int i = blockIdx.x * blockDim.x "
               "+ threadIdx.x;\n  if (i < n) data[i] += in[i];\n}");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(values<int>(trace, "data")[0], 2 + 181);
    EXPECT_THAT(trace.tried, IsEmpty()) << "that it was taken for an output at first says nothing of the kernel";
    // Also where other contents had to be found first: rows and columns of a sparse matrix.
    const Trace sparse = chosen("__global__ void k(const int* rows, const int* at, const float* x, float* y, int n) {\n"
                                "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (r < n) for (int j = rows[r]; j < rows[r + 1]; ++j) y[r] += x[at[j]]; }",
                                [](RunOptions& o) {
                                    o.n = 31;
                                    o.kernel.n_given = true;
                                    o.input = InputKind::random;
                                });
    EXPECT_TRUE(sparse.completed());
    EXPECT_FALSE(kinds(sparse).contains(FindingKind::uninitialised));
}

// Half of the block's stride is added to its first element's number, or a template's argument says the threads.
TEST(ChosenLaunch, TakesTheThreadsThatTheArithmeticSays) {
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

// A tile of 32 by 32 is filled by as many threads; one of which each thread fills four elements, by a quarter of them; and where
// a kernel does not ask for its block's row there is but one.
TEST(ChosenLaunch, CoversTilesAsTheirIndicesSay) {
    const std::string product =
        "__global__ void k(const float* A, const float* B, float* C, int n) {\n"
        "  __shared__ float a[32][32], b[32][32];\n  int x = threadIdx.x, y = threadIdx.y;\n"
        "  int row = blockIdx.y * blockDim.y + y, col = blockIdx.x * blockDim.x + x;\n  float v = 0;\n"
        "  for (int m = 0; m < (n - 1) / 32 + 1; ++m) {\n"
        "    a[y][x] = row < n && m * 32 + x < n ? A[row * n + m * 32 + x] : 0;\n"
        "    b[y][x] = col < n && m * 32 + y < n ? B[(m * 32 + y) * n + col] : 0;\n    __syncthreads();\n"
        "    for (int k = 0; k < 32; ++k) v += a[y][k] * b[k][x];\n    __syncthreads();\n  }\n"
        "  if (row < n && col < n) C[row * n + col] = v; }";
    const Trace tiled = chosen(product);
    EXPECT_EQ(tiled.launches.front().block, 1024U);
    EXPECT_THAT(kinds(tiled), IsEmpty());
    EXPECT_EQ(tiled.equals, "the matrix product of A and B");
    const Trace transpose =
        chosen("__global__ void k(float* out, const float* in, int w, int h) {\n  __shared__ float tile[32][33];\n"
               "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
               "  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];\n"
               "  __syncthreads();\n  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;\n"
               "  for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j]; }");
    EXPECT_THAT(kinds(transpose), IsEmpty());
    EXPECT_EQ(transpose.equals, "the transpose of in");
    const Trace means = chosen(
        "__global__ void k(const float* m, float* mean, int rows, int cols) {\n  __shared__ float part[32][33];\n"
        "  int c = blockIdx.x * 32 + threadIdx.x;\n  float s = 0;\n"
        "  if (c < cols) for (int r = threadIdx.y; r < rows; r += 32) s += m[r * cols + c];\n"
        "  part[threadIdx.y][threadIdx.x] = s;\n  __syncthreads();\n  s = part[threadIdx.x][threadIdx.y];\n"
        "  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);\n"
        "  if (threadIdx.x == 0 && blockIdx.x * 32 + threadIdx.y < cols) mean[blockIdx.x * 32 + threadIdx.y] = s / "
        "rows; }");
    EXPECT_EQ(means.launches.front().block, 1024U);
    EXPECT_THAT(kinds(means), IsEmpty());
    EXPECT_EQ(means.equals, "the mean of each column of m");
}

TEST(Choices, OfADistanceGoToTheNeighbourToTheOtherHalfOrPastAllThreads) {
    const Trace neighbours = chosen("__global__ void step(float* data, int stride) {\n"
                                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "  if (i % (2 * stride) == 0) data[i] += data[i + stride];\n}\n");
    EXPECT_THAT(neighbours.chosen, testing::IsSupersetOf({"n = 1024", "stride = 1"}));
    EXPECT_THAT(neighbours.launches[0].findings, testing::IsEmpty());
    EXPECT_EQ(neighbours.launches[0].totals().combines, 512);

    const Trace halves = chosen("__global__ void step(float* data, int offset) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < offset) data[i] += data[i + offset];\n}\n");
    EXPECT_THAT(halves.chosen, testing::IsSupersetOf({"n = 1024", "offset = 512"}));
    EXPECT_EQ(halves.launches[0].totals().combines, 512);

    const Trace past_all =
        chosen("__global__ void sum(const int* in, int* out, int n, int stride) {\n  int v = 0;\n"
               "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v += in[i];\n"
               "  atomicAdd(out, v);\n}\n");
    EXPECT_THAT(past_all.chosen, testing::IsSupersetOf({"n = 1024", "grid 4", "stride = 1024"}));
    EXPECT_EQ(past_all.equals, "the sum of in");
}

// A host launches it for one pivot after the other: for that past the last nothing is left to do.
TEST(Choices, OfATurnIsTheFirst) {
    const Trace first =
        chosen("__global__ void eliminate(float* a, int n, int pivot) {\n"
               "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (row > pivot && row < n && col >= pivot && col < n)\n"
               "    a[row * n + col] -= a[row * n + pivot] / a[pivot * n + pivot] * a[pivot * n + col];\n}\n");
    EXPECT_THAT(first.chosen, testing::Contains("pivot = 0"));
    EXPECT_GT(first.launches[0].totals().global_store_sectors, 0U);
}

// What goes past one of several arrays lies in the next, where it would be told as a race.
TEST(Choices, OfTheBlockAreAnElementAThreadOfArraysInSharedMemory) {
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

// As many blocks as cover n, where each takes several times its threads.
TEST(Choices, OfTheGridCoverNWhereABlockTakesTwiceItsThreads) {
    for (const std::string index : {"blockIdx.x * blockDim.x * 2 + t", "blockIdx.x * (blockDim.x * 2) + t",
                                    "2 * blockDim.x * blockIdx.x + t", "t + blockIdx.x * 2 * blockDim.x"}) {
        const Trace trace = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                                   "  int t = threadIdx.x, i = " +
                                   index +
                                   ";\n"
                                   "  s[t] = in[i] + in[i + blockDim.x];\n  __syncthreads();\n"
                                   "  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
                                   "    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }\n"
                                   "  if (t == 0) atomicAdd(out, s[0]);\n}\n");
        EXPECT_THAT(trace.chosen, testing::Contains("grid 2")) << index;
        EXPECT_EQ(trace.equals, "the sum of in") << index;
    }
}

// A stencil's neighbours are past an array that has as many elements as the other one.
TEST(Choices, TellOfANeighbourPastWidthTimesHeight) {
    const char* const kernel =
        "__global__ void k(const float* in, float* out, int width, int height) {\n"
        "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (x > 0 && y > 0 && x < width%s && y < height%s)\n"
        "    out[y * width + x] = in[(y - 1) * width + x] + in[(y + 1) * width + x];\n}\n";
    const auto with = [&](const std::string& less) {
        std::string text = kernel;
        for (std::size_t at = 0; (at = text.find("%s")) != std::string::npos;) {
            text.replace(at, 2, less);
        }
        return chosen(text);
    };
    EXPECT_THAT(with("").tried, testing::Contains(testing::HasSubstr("it may have only n * n elements")));
    EXPECT_THAT(with(" - 1").tried, IsEmpty());
}

// All members that are read before they are written are data, however many share a line; a window is narrow; a texture is refused.
TEST(ChosenLaunch, GivesParametersWhatTheyAreFor) {
    const Trace members =
        chosen("struct P { float *x, *y, *vx, *vy; };\n__global__ void k(P p, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) {\n    p.x[i] += p.vx[i];\n    p.y[i] += p.vy[i];\n    p.vx[i] *= 0.5f;\n  }\n}");
    EXPECT_THAT(kinds(members), IsEmpty());
    EXPECT_THAT(members.tried, IsEmpty());
    const Trace window =
        chosen("__global__ void k(const int* x, const int* mask, int* y, int width, int mask_width) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;\n"
               "  for (int j = 0; j < mask_width; ++j) {\n    int at = i - mask_width / 2 + j;\n"
               "    if (at >= 0 && at < width) sum += x[at] * mask[j];\n  }\n  if (i < width) y[i] = sum; }");
    EXPECT_EQ(window.arguments.back().value, "3");
    EXPECT_EQ(window.options.n, 1024U) << "there is but one size beside it";
    EXPECT_EQ(window.equals, "the correlation of x and mask, with zeros at the ends");
    const Trace image =
        chosen("__global__ void k(const float* in, const float* mask, float* out, int w, int h, int mask_width) {\n"
               "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "  if (r >= h || c >= w) return;\n  float s = 0;\n"
               "  for (int i = 0; i < mask_width; ++i) for (int j = 0; j < mask_width; ++j) {\n"
               "    int y = r - mask_width / 2 + i, x = c - mask_width / 2 + j;\n"
               "    if (y >= 0 && y < h && x >= 0 && x < w) s += in[y * w + x] * mask[i * mask_width + j];\n  }\n"
               "  out[r * w + c] = s; }");
    EXPECT_EQ(image.equals, "the correlation of in and mask in two dimensions, with zeros at the edges");
    EXPECT_THROW(chosen("__global__ void k(cudaTextureObject_t t, float* out) { out[threadIdx.x] = "
                        "tex1Dfetch<float>(t, threadIdx.x); }"),
                 OptionError);
}

// A block that takes a row gets as many blocks as there are rows; one block, a thread for each element of its array; and minima
// begin with the largest number.
TEST(ChosenLaunch, TakesARowABlockAndAnElementAThread) {
    const Trace rows =
        chosen("__global__ void k(const float* a, float* s, int rows, int columns) {\n"
               "  __shared__ float part[128];\n  float sum = 0;\n"
               "  for (int j = threadIdx.x; j < columns; j += 128) sum += a[blockIdx.x * columns + j];\n"
               "  part[threadIdx.x] = sum;\n  __syncthreads();\n"
               "  for (int d = 64; d > 0; d /= 2) {\n"
               "    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];\n    __syncthreads();\n  }\n"
               "  if (threadIdx.x == 0) s[blockIdx.x] = part[0]; }");
    EXPECT_EQ(rows.launches.front().grid, 32U);
    EXPECT_EQ(rows.equals, "the sum of each row of a");
    for (const char* row :
         {"(blockIdx.x * blockDim.x + threadIdx.x) / 32", "(blockIdx.x * blockDim.x + threadIdx.x) >> 5"}) {
        const Trace warps =
            chosen(std::string("__global__ void k(const float* a, const float* x, float* y, int m, int n) {\n"
                               "  int row = ") +
                   row +
                   ", lane = threadIdx.x % 32;\n  if (row >= m) return;\n  float s = 0;\n"
                   "  for (int c = lane; c < n; c += 32) s += a[row * n + c] * x[c];\n"
                   "  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);\n"
                   "  if (lane == 0) y[row] = s; }");
        EXPECT_EQ(warps.launches.front().grid, 4U) << "32 rows, 8 of which are a block's";
        EXPECT_EQ(values<float>(warps, "y").size(), 32U);
        EXPECT_THAT(kinds(warps), IsEmpty());
    }
    const Trace guarded =
        chosen("__global__ void k(const float* A, const float* x, float* y, int rows, int cols) {\n"
               "  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;\n  float acc = 0;\n"
               "  if (r < rows) for (int c = lane; c < cols; c += 32) acc += A[r * cols + c] * x[c];\n"
               "  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);\n"
               "  if (lane == 0 && r < rows) y[r] = acc; }");
    EXPECT_EQ(guarded.launches.front().grid, 4U) << "rows of registers that are used again say nothing";
    const Trace part = chosen("__global__ void k(const int* a, int* sums, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? a[i] : 0;\n"
                              "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
                              "  if (threadIdx.x % 32 == 0) sums[i / 32] = v; }");
    EXPECT_EQ(part.launches.front().grid, 4U) << "an element a thread, a result a warp";
    const Trace usual =
        chosen("__global__ void k(const int* a, int* b, int n) {\n"
               "  int block = blockIdx.y * gridDim.x + blockIdx.x, i = block * blockDim.x + threadIdx.x;\n"
               "  if (i < n) b[i] = a[i]; }");
    EXPECT_EQ(usual.options.n, 1024U) << "a block's number among all is no row's";
    const Trace block = chosen("__global__ void k(const int* a, int* sum) {\n  __shared__ int s[1024];\n"
                               "  int t = threadIdx.x;\n  s[t] = a[t];\n"
                               "  for (int d = 512; d > 0; d /= 2) { __syncthreads(); if (t < d) s[t] += s[t + d]; }\n"
                               "  if (t == 0) *sum = s[0]; }");
    EXPECT_EQ(block.launches.front().block, 1024U);
    EXPECT_THAT(kinds(block), IsEmpty());
    EXPECT_EQ(block.equals, "the sum of a");
    const Trace least =
        chosen("__global__ void k(const int* a, int* least, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicMin(least, a[i]); }");
    EXPECT_EQ(values<int>(least, "least").front(), 2);
    EXPECT_EQ(least.equals, "the min of a");
    EXPECT_EQ(least.arguments.at(1).value, "largest");
    const TemporaryFolder folder;
    folder.write("numbers.txt", "7 5 9 6\n");
    const Trace given = chosen("__global__ void k(const int* a, int* least, int n) {\n"
                               "  int i = threadIdx.x;\n  if (i < n) atomicMin(least, a[i]); }",
                               [&](RunOptions& o) {
                                   o.n = 4;
                                   o.kernel.n_given = o.kernel.input_given = true;
                                   o.input = InputKind::file;
                                   o.input_file = (folder.path() / "numbers.txt").string();
                               });
    EXPECT_EQ(values<int>(given, "least").front(), 5) << "a file is input, and no beginning of a result";
}

// Values that atomics combine are combined, be it into an argument or into a variable of the file.
TEST(ChosenLaunch, CountsWhatAtomicsCombine) {
    const Trace argument = chosen("__global__ void k(const int* in, int* out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) atomicAdd(out + i % 4, in[i]); }");
    EXPECT_EQ(argument.tree.useful_combines, 1024U - 4);
    const Trace variable = chosen("__device__ int total, lock;\n__global__ void k(const int* in, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i == 0) lock = 1;\n"
                                  "  if (i < n) atomicAdd(&total, in[i]); }");
    EXPECT_EQ(variable.tree.useful_combines, 1023U);
    EXPECT_EQ(variable.equals, "the sum of in");
    ASSERT_EQ(variable.outputs.size(), 1U) << "the lock holds nothing that is made of elements";
    EXPECT_EQ(variable.outputs[0].name, "total");
    const Trace record = chosen("struct S { float a; int b; };\n__device__ S s;\n__device__ float first;\n"
                                "__global__ void k(const float* in) { s.a = in[0]; s.b = 3; first = in[1]; }");
    ASSERT_EQ(record.outputs.size(), 1U) << "a structure is no number";
    EXPECT_EQ(record.outputs[0].name, "first");
}

// What is given is not replaced; and where a result is expected, nothing but a block larger than the kernel's array is.
TEST(AnotherTry, IsNotMadeOfWhatWasAskedFor) {
    const char* const text =
        "__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = threadIdx.x;\n"
        "  s[t] = in[t]; out[t] = s[t];\n}";
    EXPECT_FALSE(chosen(text, [](RunOptions& o) { o.kernel.block = "128"; }).completed());
    EXPECT_FALSE(chosen(std::string("// block: 128\n") + text).completed());
    const Trace fits = chosen(std::string("// expect: sum\n") + text);
    EXPECT_EQ(fits.launches.front().block, 64U);
    EXPECT_THAT(fits.tried, IsEmpty()) << "its array says how many threads";
    EXPECT_FALSE(fits.pass) << "it is no sum";
    EXPECT_FALSE(chosen("// expect: sum\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                        "  int t = threadIdx.x;\n  s[t] = in[t]; out[t] = s[t + 1];\n}")
                     .completed())
        << "the kernel's own mistake, with a block that fits";
}

// Elements that nobody has: a kernel that reads or writes one too many is told so.
TEST(AnotherTry, NeverReplacesAStatedSize) {
    const char* const text = "__global__ void k(const int* in, int* out, int n) {\n  int i = blockIdx.x * blockDim.x + "
                             "threadIdx.x;\n  if (i <= n) out[i] = in[i];\n}";
    const auto of = [&](const std::map<std::string, std::string, std::less<>>& arguments, std::uint64_t n) {
        return chosen(text, [&](RunOptions& o) {
            o.kernel.n_given = n != 0;
            o.n = n;
            o.kernel.arguments = arguments;
        });
    };
    for (const auto& [arguments, n] : {std::pair{std::map<std::string, std::string, std::less<>>{{"out", "100"}}, 100},
                                       {{{"out", "1000"}}, 0},
                                       {{{"n", "100"}, {"in", "iota:100"}}, 0}}) {
        const Trace trace = of(arguments, static_cast<std::uint64_t>(n));
        EXPECT_THAT(kinds(trace), ElementsAre(FindingKind::out_of_bounds));
        EXPECT_THAT(trace.arguments[2].value, AnyOf("100", "1024"));
        EXPECT_EQ(trace.launches.front().block, 256U);
    }
    const Trace header = chosen(std::string("// n: 100\n// arg: out = 100\n") + text);
    EXPECT_THAT(kinds(header), ElementsAre(FindingKind::out_of_bounds));
    EXPECT_EQ(header.arguments[2].value, "100");
    const Trace stated = chosen("__global__ void k(const int* at, int* out) { out[0] = at[1 << 20 * at[0]]; }",
                                [](RunOptions& o) { ask_for_input(o, InputKind::iota); });
    EXPECT_EQ(stated.arguments[0].value, "iota");
}

// Threads without an element skip barriers at which the others wait.
TEST(AnotherTry, DoesNotHideABarrierThatSomeThreadsSkip) {
    const char* const text =
        "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
        "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  if (i < n) {\n    s[t] = in[i]; "
        "__syncthreads();\n    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
        "      if (t < d) s[t] += s[t + d];\n      __syncthreads();\n    }\n  }\n"
        "  if (t == 0) out[blockIdx.x] = s[0];\n}";
    const Trace stated = chosen(text, [](RunOptions& o) {
        o.kernel.n_given = true;
        o.n = 100;
    });
    EXPECT_EQ(stated.launches.front().block, 256U);
    EXPECT_THAT(kinds(stated), Contains(FindingKind::barrier_divergence));
    const Trace guessed = chosen(text); // 1024 elements fill their blocks
    EXPECT_THAT(guessed.tried, ElementsAre(StartsWith("with n = 1000: barrier in divergent code")));
}

TEST(AnotherTry, SaysOfAThreadThatLeavesBeforeABarrier) {
    const std::string head = "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                             "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n",
                      tail = "  __syncthreads();\n  out[i] = s[255 - t];\n}";
    EXPECT_THAT(chosen(head + "  if (i >= n) return;\n  s[t] = in[i];\n" + tail).tried,
                ElementsAre(StartsWith("with n = 1000: barrier in divergent code (risk): ")));
    EXPECT_THAT(chosen(head + "  s[t] = i < n ? in[i] : 0;\n" + tail).tried, IsEmpty());
}

TEST(AnotherTry, SaysWhatReachesPastTheLastElement) {
    const auto tried = [](const std::string& body) {
        return chosen("__global__ void k(const float* in, float* out, int n) {\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                      body + "\n}")
            .tried;
    };
    EXPECT_THAT(tried("if (i < n) out[i] = 2 * in[i];"), IsEmpty());
    EXPECT_THAT(
        tried("if (i <= n) out[i] = 2 * in[i];"),
        ElementsAre("with n = 1000: out of bounds (risk) if out has n elements: the kernel stores to out[1000], one "
                    "past the last"));
    EXPECT_THAT(
        tried("out[i] = 2 * in[i];"),
        ElementsAre("with n = 1000: out of bounds (risk) if in has n elements: threads beyond n load in[1000] to "
                    "in[1023]; a guard as if (i < n) keeps them out"));
    EXPECT_THAT(tried("float sum = 0; for (int k = i; k < n; k += gridDim.x * blockDim.x) sum += in[k]; out[i] = sum;"),
                IsEmpty())
        << "an element a thread";
}

TEST(AnotherTry, SaysWhatThreadsThatHaveEndedLeaveOut) {
    const auto tried = [](const std::string& body) {
        return chosen("__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                      "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n" +
                      body + "}")
            .tried;
    };
    const std::string shuffles = "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
                                 "  if (t % 32 == 0) atomicAdd(out, v);\n";
    EXPECT_THAT(
        tried("  if (i >= n) return;\n  int v = in[i];\n" + shuffles),
        ElementsAre(StartsWith("with n = 1000: inactive lane: thread 224 of block 3 reads the value of lane 16")));
    EXPECT_THAT(tried("  int v = i < n ? in[i] : 0;\n" + shuffles), IsEmpty());
    const std::string tree = "  __syncthreads();\n  for (int d = 128; d > 0; d /= 2) {\n"
                             "    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }\n"
                             "  if (t == 0) out[blockIdx.x] = s[0];\n";
    EXPECT_THAT(tried("  if (i < n) s[t] = in[i];\n" + tree),
                ElementsAre(StartsWith("with n = 1000: uninitialised: thread")));
    EXPECT_THAT(tried("  s[t] = i < n ? in[i] : 0;\n" + tree), IsEmpty());
}

TEST(AnotherTry, FindsWhatIsPastAStatedEnd) {
    const auto found = [](std::uint64_t n, const std::string& body) {
        const Trace trace = chosen("__global__ void k(const float* in, float* out, int n) {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                                       body + "\n}",
                                   [&](RunOptions& o) { ask_for_elements(o, n); });
        std::vector<std::string> said;
        for (const Finding& f : trace.launches.front().findings) {
            said.push_back(title(f) + ": " + sentence(trace, trace.launches.front(), f));
        }
        return said;
    };
    const std::string may = "but it may have only n elements, here ",
                      guard = ": a guard as if (i < n) keeps threads from what is past them.";
    for (const std::uint64_t n : {1, 31, 33, 1000}) {
        EXPECT_THAT(found(n, "if (i < n) out[i] = 2 * in[i];"), IsEmpty()) << n;
        EXPECT_THAT(found(n, "out[i] = 2 * in[i];"),
                    ElementsAre(fmt::format("out of bounds (risk): thread {}{} reads in[{}] in line 3, {}{}{}", n % 256,
                                            n < 256 ? "" : " of block 3", n, may, n, guard)))
            << n;
        EXPECT_THAT(found(n, "if (i <= n) out[i] = 2 * in[i];"),
                    ElementsAre(fmt::format("out of bounds (risk): thread {}{} writes out[{}] in line 3, {}{}{}",
                                            n % 256, n < 256 ? "" : " of block 3", n, may, n, guard)))
            << n;
        EXPECT_THAT(found(n, "if (i < n) out[i] = in[2 * i] + in[2 * i + 1];"), IsEmpty()) << n << ", pairs";
        EXPECT_THAT(found(n, "if (i < n) out[i] = in[i]; if (i == 0) out[n] = 7;"), IsEmpty()) << n << ", one more";
        EXPECT_THAT(found(n, "if (i < n) out[i + 2] = in[i] + in[i + 1] + in[i + 2];"), IsEmpty()) << n << ", a halo";
    }
    EXPECT_THAT(found(1024, "out[i] = 2 * in[i];"), IsEmpty()) << "as many threads as elements";
    EXPECT_THAT(found(1024, "out[i] = in[i]; if (i == 0) out[n] = 7;"), IsEmpty()) << "and one more";
}

TEST(AnotherTry, GivesOneBlockAsManyElementsAsItTakes) {
    const Trace trace = chosen(
        "__global__ void scan(const int* in, int* out, int n) {\n  extern __shared__ int s[];\n"
        "  int t = threadIdx.x, off = 1;\n  s[2 * t] = in[2 * t]; s[2 * t + 1] = in[2 * t + 1];\n"
        "  for (int d = n >> 1; d > 0; d >>= 1) {\n    __syncthreads();\n    if (t < d) s[off * (2 * t + 2) - 1] += "
        "s[off * (2 * t + 1) - 1];\n    off *= 2;\n  }\n  if (t == 0) s[n - 1] = 0;\n"
        "  for (int d = 1; d < n; d *= 2) {\n    off >>= 1; __syncthreads();\n    if (t < d) {\n"
        "      int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1, x = s[a];\n      s[a] = s[b]; s[b] += x;\n"
        "    }\n  }\n  __syncthreads();\n  out[2 * t] = s[2 * t]; out[2 * t + 1] = s[2 * t + 1];\n}");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(trace.options.n, 512U);
    EXPECT_EQ(trace.equals, "the exclusive scan of in");
}

TEST(Kernels, AreChosenByName) {
    const char* const text = "template <class T, unsigned B> __global__ void t(T* out) { out[0] = B; }\n"
                             "__global__ void a(int* out) { out[0] = 1; }\n__global__ void b(int* out) { out[0] = 2; }";
    const auto run = [&](const std::string& kernel) {
        return chosen(text, [&](RunOptions& o) { o.kernel.kernel = kernel; });
    };
    EXPECT_EQ(run("").kernel, "a");
    EXPECT_THAT(run("").chosen, Contains("kernel a"));
    EXPECT_EQ(run("b").kernel, "b");
    EXPECT_EQ(values<double>(run("t<double, 64>"), "out").front(), 64.0);
    EXPECT_EQ(run("t").kernel, "t<float, 256>");
    EXPECT_THAT(refusal(text, [](RunOptions& o) { o.kernel.kernel = "c"; }),
                HasSubstr("no kernel 'c'; it has a; b; t<"));
    EXPECT_THAT(refusal("int main() {}"), HasSubstr("no __global__ function"));
}

TEST(Launches, OfALongLoopKeepTheirSize) {
    const Trace trace =
        chosen("__global__ void relax(const float* in, float* out, int n) {\n"
               "  __shared__ float s[256];\n  int t = threadIdx.x;\n  s[t] = in[t];\n  __syncthreads();\n"
               "  for (int k = 0; k < 6000; ++k) {\n    float v = s[(t + 1) % 256];\n    __syncthreads();\n"
               "    s[t] = 0.5f * v;\n    __syncthreads();\n  }\n  out[t] = s[t];\n}",
               [](RunOptions& o) {
                   o.window = {0, 0};
               });
    EXPECT_EQ(trace.block(), 256U);
    EXPECT_TRUE(trace.completed());
    EXPECT_THAT(kinds(trace), IsEmpty()) << "with fewer threads it would read what nobody wrote";
}

TEST(Kernels, HaveIntegersForTypesThatIndex) {
    const std::string text = "template <class Index> __global__ void t(const float* in, float* out, Index n) {\n"
                             "  Index i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}";
    EXPECT_EQ(chosen(text.c_str(), [](RunOptions&) {}).kernel, "t<int>");
    EXPECT_THAT(refusal((text + "\ntemplate <class T> __global__ void u(T* out) { out->x = 1; }").c_str(),
                        [](RunOptions& o) { o.kernel.kernel = "u"; }),
                HasSubstr("u<float>: not an instance"))
        << "what fits neither is told of the first";
}

TEST(Arguments, ThatCannotBeAreRefused) {
    const auto with = [](const std::string& name, const std::string& value) {
        return refusal(kCopy, [&](RunOptions& o) { o.kernel.arguments[name] = value; });
    };
    EXPECT_THAT(with("size", "3"), HasSubstr("copy has no parameter 'size'; it has in, out, n"));
    EXPECT_THAT(with("in", "lots"), HasSubstr("lots"));
    EXPECT_THAT(with("in", "iota:0"), HasSubstr("1 to 2^31 elements"));
    EXPECT_THAT(with("n", "1 +"), HasSubstr("'1 +'"));
    EXPECT_THAT(with("in", "/nowhere/x.npy"), HasSubstr("/nowhere/x.npy"));
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.block = "2048"; }), HasSubstr("the limit is 1024"));
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.grid = "0"; }), HasSubstr("it must be 1 or more"));
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.grid = "1,2,3,4"; }), HasSubstr("three dimensions"));
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.shared = "1 << 30"; }), HasSubstr("shared memory"));
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.grid = "n / 0"; }), HasSubstr("zero"));
    EXPECT_THAT(refusal("// block: 0\n" + std::string(kCopy)), HasSubstr("every dimension must be at least 1"));
    // 2^66 threads wrap around to 0 in 64 bits.
    EXPECT_THAT(refusal(kCopy, [](RunOptions& o) { o.kernel.block = "4194304x4194304x4194304"; }),
                HasSubstr("the limit is 1024"));
    for (const char* n : {"0", "-5", "1 << 40"}) {
        EXPECT_THAT(refusal(std::string("// n: ") + n + "\n" + kCopy), HasSubstr("it must be 1 to 2^31")) << n;
    }
}

TEST(Expressions, AreThoseOfALaunch) {
    const std::map<std::string, std::int64_t, std::less<>> names{{"n", 1000}, {"B", 256}};
    const auto value = [&](const char* text) { return catalogue::evaluate(text, names, "double"); };
    EXPECT_EQ(value("ceil(n / B)"), 4);
    EXPECT_EQ(value("ceil((n + 24) / (2 * B))"), 2);
    EXPECT_EQ(value("min(n, B) * sizeof(T)"), 2048);
    EXPECT_EQ(value("max(1, n / 1001) + sizeof(float4)"), 17);
    EXPECT_THROW(value("m + 1"), OptionError);
    EXPECT_THROW(value("sizeof(Matrix)"), OptionError);
    EXPECT_THROW(value("ceil(n / 0)"), OptionError);
    EXPECT_THROW(value("n * 9223372036854775807"), OptionError);
    EXPECT_THROW(value(""), OptionError);
}

template <class T> std::vector<T> filled(const char* fill, ValueType type, std::uint64_t seed = 1, unsigned place = 0) {
    std::vector<T> out(6);
    if (const auto f = runs::array_fill(fill, type, seed, place)) {
        f(0, 6, reinterpret_cast<std::byte*>(out.data()));
    }
    return out;
}

TEST(Fills, AreWhatTheyAreCalled) {
    EXPECT_THAT(filled<int>("iota", ValueType::i32), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(filled<double>("iota", ValueType::f64), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(filled<int>("primes", ValueType::i32), ElementsAre(2, 3, 5, 7, 11, 13));
    EXPECT_THAT(filled<float>("primes", ValueType::f32, 1, 1), ElementsAre(181, 191, 193, 197, 199, 211));
    EXPECT_THAT(filled<char>("letters", ValueType::i8), ElementsAre('t', 'h', 'e', 'q', 'u', 'i'));
    EXPECT_THAT(filled<float>("ones", ValueType::f32), testing::Each(1.0F));
    EXPECT_THAT(filled<short>("alternating", ValueType::i16), ElementsAre(1, -1, 1, -1, 1, -1));
    EXPECT_THAT(filled<unsigned>("alternating", ValueType::u32), ElementsAre(1, 0, 1, 0, 1, 0));
    EXPECT_THAT(filled<int>("zeros", ValueType::i32), testing::Each(0));
    EXPECT_EQ(filled<int>("random", ValueType::i32), filled<int>("random", ValueType::i32));
    EXPECT_NE(filled<int>("random", ValueType::i32), filled<int>("random", ValueType::i32, 2));
    EXPECT_EQ(runs::scalar_bits(ValueType::u8, 300), 255U) << "cut to the range of the type";
    EXPECT_EQ(runs::scalar_bits(ValueType::f16, 1), 0x3C00U);
    EXPECT_EQ(runs::scalar_bits(ValueType::i32, -1), 0xFFFFFFFFU);
}

// Each number of a structure is filled by its own type, those of an inner one and of a base, too; the room between them
// stays zero.
TEST(Fills, OfMixedStructuresGoByTheTypeOfEachNumber) {
    const std::string text = "struct Base { short kind; };\n"
                             "struct Inner { float x[2]; };\n"
                             "struct Particle : Base { int id; Inner at; double energy; };\n"
                             "// arg: p = iota\n"
                             "__global__ void k(const Particle* p, float* out) {\n"
                             "  int i = threadIdx.x;\n"
                             "  out[6 * i] = p[i].kind;\n  out[6 * i + 1] = p[i].id;\n"
                             "  out[6 * i + 2] = p[i].at.x[0];\n  out[6 * i + 3] = p[i].at.x[1];\n"
                             "  out[6 * i + 4] = (float)p[i].energy;\n"
                             "  out[6 * i + 5] = ((const unsigned short*)&p[i])[1];\n}\n";
    for (const std::uint32_t block : {1U, 31U, 33U}) {
        const Trace trace = run_text(text, [&](RunOptions& o) { o.block = block; });
        const std::vector<float> out = values<float>(trace, "out");
        ASSERT_GE(out.size(), 6U * block);
        for (std::uint32_t i = 0; i < block; ++i) {
            const auto number = static_cast<float>(i);
            EXPECT_THAT(std::vector<float>(out.begin() + 6 * i, out.begin() + 6 * i + 6),
                        ElementsAre(number, number, number, number, number, 0))
                << i;
        }
    }
}

// No two results of the usual contents are equal, none is zero, and no two arrays share them.
TEST(Fills, OfPrimesTellResultsApart) {
    std::set<std::uint32_t> firsts;
    for (unsigned place = 0; place < 6; ++place) {
        for (const std::size_t n : {3, 8, 32, 33, 100, 256, 1000, 1024, 4096}) {
            std::vector<std::uint32_t> in(n);
            runs::array_fill("primes", ValueType::u32, 1, place)(0, n, reinterpret_cast<std::byte*>(in.data()));
            std::uint32_t sum = 0, product = 1, all_xor = 0, squares = 0;
            for (const std::uint32_t v : in) {
                sum += v;
                product *= v;
                all_xor ^= v;
                squares += v * v;
            }
            const std::set<std::uint32_t> results{0,       sum,        product,   all_xor,
                                                  squares, in.front(), in.back(), static_cast<std::uint32_t>(n)};
            EXPECT_EQ(results.size(), 8U) << n << " elements, place " << place;
            EXPECT_EQ(std::set<std::uint32_t>(in.begin(), in.end()).size(), n) << "each may be an index once";
            firsts.insert(in.front());
        }
    }
    EXPECT_EQ(firsts.size(), 6U);
    for (const ValueType type : {ValueType::i8, ValueType::u8, ValueType::f16}) { // they repeat before they overflow
        std::vector<std::uint16_t> in(100, 0xFFFF);
        runs::array_fill("primes", type, 1)(0, 100, reinterpret_cast<std::byte*>(in.data()));
        for (std::size_t i = 0; i < 100; ++i) {
            const std::uint64_t bits = type == ValueType::f16 ? in[i] : reinterpret_cast<std::uint8_t*>(in.data())[i];
            EXPECT_GT(runs::as_number(type, bits), 1);
        }
    }
    std::vector<int> late(2);
    runs::array_fill("primes", ValueType::i32, 1)((1U << 19) - 1, 2, reinterpret_cast<std::byte*>(late.data()));
    EXPECT_THAT(late, ElementsAre(7754077, 2)) << "an index into an array of unstated size, which has 2^23 elements";
}

TEST(Fills, ComeFromNpyFiles) {
    const TemporaryFolder folder;
    std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
    head.resize(117, ' ');
    head += '\n';
    std::string file =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) + std::string(1, '\0') + head;
    const std::int32_t numbers[] = {7, -8, 9};
    file.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    folder.write("three.npy", file);
    folder.write("cut.npy", file.substr(0, 20));
    folder.write("no.npy", "text");
    const auto run = [&](const std::string& name, const char* type) {
        return chosen("__global__ void k(const " + std::string(type) + "* in, " + type +
                          "* out) { int t = threadIdx.x; "
                          "out[t] = in[t]; }",
                      [&](RunOptions& o) {
                          o.kernel.block = "3";
                          o.kernel.grid = "1";
                          o.kernel.arguments["in"] = (folder.path() / name).string();
                      });
    };
    EXPECT_THAT(values<int>(run("three.npy", "int"), "out"), ElementsAre(7, -8, 9));
    EXPECT_THROW(run("three.npy", "float"), FileError);
    EXPECT_THROW(run("cut.npy", "int"), FileError);
    EXPECT_THROW(run("no.npy", "int"), FileError);
    // The header and the file's size have to agree, before memory is taken.
    folder.write("sparse.npy", file);
    std::filesystem::resize_file(folder.path() / "sparse.npy", 8ULL << 30);
    EXPECT_THROW(run("sparse.npy", "int"), FileError);
    std::string lies = file;
    folder.write("lies.npy", lies.replace(lies.find("(3,)"), 21, "(17592186044416,), } "));
    EXPECT_THROW(run("lies.npy", "int"), FileError);

    // Paths in the header are relative to the kernel file, not to the working directory, and must not leave its folder.
    const auto of_header = [&](const std::string& name, const std::string& file) {
        return refusal("// arg: in = " + name +
                           "\n__global__ void k(const int* in, int* out) { int t = threadIdx.x; "
                           "if (t < 3) out[t] = in[t]; }",
                       [&](RunOptions& o) { o.kernel.file = file; });
    };
    const std::string own = (folder.path() / "own/k.cu").string();
    folder.write("own/three.npy", file);
    folder.write("own/below/three.npy", file);
    std::filesystem::create_symlink(folder.path() / "three.npy", folder.path() / "own/link.npy");
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "own/up");
    std::filesystem::create_symlink("three.npy", folder.path() / "own/same.npy");
    for (const char* name : {"three.npy", "below/three.npy", "./three.npy", "same.npy"}) {
        EXPECT_EQ(of_header(name, own), "taken") << name;
    }
    for (const std::string name : {"../three.npy", "below/../../three.npy", "link.npy", "up/three.npy"}) {
        EXPECT_THAT(of_header(name, own), HasSubstr("in its own folder only")) << name;
    }
    EXPECT_THAT(of_header((folder.path() / "own/three.npy").string(), own), HasSubstr("in its own folder only"));
    EXPECT_THAT(of_header("none.npy", own), HasSubstr("no such file"));
    EXPECT_THAT(of_header("three.npy", ""), HasSubstr("has no file yet"));
    ASSERT_EQ(mkfifo((folder.path() / "own/pipe.npy").c_str(), 0600), 0);
    EXPECT_THAT(of_header("pipe.npy", own), HasSubstr("not a regular file"));
}

TEST(Fills, ComeFromTextOfNumbers) {
    const TemporaryFolder folder;
    folder.write("four.txt", "1 -2\n3,\t4\n");
    folder.write("words.txt", "1 two 3 4");
    folder.write("wide.txt", "1 2 3 4000000000");
    const auto run = [&](const std::string& name, const std::string& type, std::uint64_t n) {
        return chosen("__global__ void k(const " + type + "* in, " + type +
                          "* out) { int t = threadIdx.x; out[t] = in[t]; }",
                      [&](RunOptions& o) {
                          o.n = n;
                          o.kernel.n_given = o.kernel.input_given = true;
                          o.input = InputKind::file;
                          o.input_file = (folder.path() / name).string();
                          o.kernel.block = std::to_string(n);
                          o.kernel.grid = "1";
                      });
    };
    EXPECT_THAT(values<int>(run("four.txt", "int", 4), "out"), ElementsAre(1, -2, 3, 4));
    EXPECT_THAT(values<int>(run("four.txt", "int", 2), "out"), ElementsAre(1, -2)) << "as many as are asked for";
    EXPECT_THROW(run("four.txt", "int", 5), FileError) << "fewer than are asked for";
    EXPECT_THROW(run("four.txt", "unsigned", 4), FileError);
    EXPECT_THROW(run("words.txt", "int", 4), FileError);
    EXPECT_THROW(run("wide.txt", "int", 4), FileError) << "nothing is cut to its range";
    EXPECT_THAT(values<long long>(run("wide.txt", "long long", 4), "out"), ElementsAre(1, 2, 3, 4000000000LL));
    EXPECT_THROW(run("none.txt", "int", 4), FileError);
}

// One element that all threads change is a count, not data; a whole array that they change is data.
TEST(ChosenLaunch, BeginsACounterWithZero) {
    const Trace counter = chosen("__global__ void k(const int* in, int* count, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (i < n && in[i] > 0) (*count)++; }");
    EXPECT_EQ(counter.arguments.at(1).value, "zeros");
    EXPECT_THAT(counter.tried, IsEmpty());
    EXPECT_FALSE(kinds(counter).contains(FindingKind::uninitialised));
    const Trace data = chosen("__global__ void k(const int* in, int* sums, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) sums[i] += in[i]; }");
    EXPECT_NE(data.arguments.at(1).value, "zeros");
}

} // namespace
} // namespace warptree::tests
