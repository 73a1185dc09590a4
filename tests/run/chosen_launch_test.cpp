// The launch options that are chosen where none are given.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

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
    EXPECT_THAT(sentences(with("").tried), testing::Contains(testing::HasSubstr("it may have only n * n elements")));
    EXPECT_THAT(sentences(with(" - 1").tried), IsEmpty());
}

TEST(ChosenKernel, OfSeveralIsTheFirstWithSharedMemory) {
    const std::string fill = "__global__ void fill(int* a) {\n  a[threadIdx.x] = 1;\n}\n";
    const std::string sum = "__global__ void sum(const int* in, int* out) {\n  __shared__ int s[256];\n"
                            "  s[threadIdx.x] = in[threadIdx.x]; __syncthreads();\n"
                            "  if (threadIdx.x == 0) out[0] = s[0] + s[1];\n}\n";
    EXPECT_THAT(chosen(fill + sum).kernel, HasSubstr("sum"));
    EXPECT_THAT(chosen(fill + "__global__ void last(int* b) {\n  b[threadIdx.x] = 2;\n}\n").kernel, HasSubstr("fill"));
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

// All members that are read before they are written are data, however many share a line; a window is narrow; a texture is refused.
TEST(ChosenLaunch, GivesParametersWhatTheyAreFor) {
    const Trace members =
        chosen("struct P { float *x, *y, *vx, *vy; };\n__global__ void k(P p, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) {\n    p.x[i] += p.vx[i];\n    p.y[i] += p.vy[i];\n    p.vx[i] *= 0.5f;\n  }\n}");
    EXPECT_THAT(kinds(members), IsEmpty());
    EXPECT_THAT(sentences(members.tried), IsEmpty());
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
        EXPECT_EQ(warps.launches.front().grid, 8U) << "64 rows, 8 of which are a block's";
        EXPECT_EQ(values<float>(warps, "y").size(), 64U);
        EXPECT_THAT(kinds(warps), IsEmpty());
    }
    const Trace guarded =
        chosen("__global__ void k(const float* A, const float* x, float* y, int rows, int cols) {\n"
               "  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;\n  float acc = 0;\n"
               "  if (r < rows) for (int c = lane; c < cols; c += 32) acc += A[r * cols + c] * x[c];\n"
               "  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);\n"
               "  if (lane == 0 && r < rows) y[r] = acc; }");
    EXPECT_EQ(guarded.launches.front().grid, 8U) << "rows of registers that are used again say nothing";
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

// One element that all threads change is a count, not data; a whole array that they change is data.
TEST(ChosenLaunch, BeginsACounterWithZero) {
    const Trace counter = chosen("__global__ void k(const int* in, int* count, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (i < n && in[i] > 0) (*count)++; }");
    EXPECT_EQ(counter.arguments.at(1).value, "zeros");
    EXPECT_THAT(sentences(counter.tried), IsEmpty());
    EXPECT_FALSE(kinds(counter).contains(FindingKind::uninitialised));
    const Trace data = chosen("__global__ void k(const int* in, int* sums, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) sums[i] += in[i]; }");
    EXPECT_NE(data.arguments.at(1).value, "zeros");
}

// What minima go to begins with the largest number, also beside what maxima go to.
TEST(Choices, OfWhatMinimaGoToAreTheLargest) {
    const Trace both = chosen("__global__ void k(const int* in, int* low, int* high, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) {\n    atomicMin(low, in[i]);\n    atomicMax(high, in[i]);\n  }\n}\n");
    EXPECT_THAT(both.chosen, Contains("low = largest"));
    EXPECT_EQ(values<int>(both, "low").front(), 2);
    EXPECT_EQ(both.equals, "the min of in");
}

// Only what bounds or spaces indices is how many elements there are.
TEST(Choices, OfAFactorAreNotHowManyElementsThereAre) {
    for (const std::string use : {"a[i] * by", "a[i] + by", "a[i] == by", "a[i] > by", "(a[i] >> by) & 1"}) {
        const Trace trace = chosen("__global__ void k(const int* a, int* out, int by) {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = " +
                                   use + ";\n}\n");
        EXPECT_THAT(sentences(trace.tried), IsEmpty()) << use;
    }
    const Trace count =
        chosen("__global__ void k(const int* a, int* out, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  int v = a[i];\n  if (i < n) out[i] = v;\n}\n");
    EXPECT_THAT(sentences(count.tried), Contains(HasSubstr("out of bounds")));
}

// Where a block takes several tiles, as many elements as it takes are the fewest that are right.
TEST(Choices, OfElementsAreWhatABlockOfSeveralTilesTakes) {
    const Trace trace =
        chosen("__global__ void k(const float* in, float* out, int w) {\n"
               "  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
               "  __shared__ float tile[16][16];\n"
               "  for (int c = 0; c < 64; c += 16) {\n    tile[threadIdx.y][threadIdx.x] = in[y * w + x + c];\n"
               "    __syncthreads();\n    out[y * w + x + c] = tile[threadIdx.y][15 - threadIdx.x];\n"
               "    __syncthreads();\n  }\n}\n");
    EXPECT_THAT(trace.chosen, IsSupersetOf({"n = 64", "block 16 × 16", "grid 1 × 4"}));
    EXPECT_THAT(trace.launches[0].findings, IsEmpty());
}

// How often something is done again is no size: it leaves a grid of several blocks.
TEST(Choices, OfIterationsAreFew) {
    const Trace sweeps =
        chosen("__global__ void k(float* u, float* v, int n, int iters) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  for (int k = 0; k < iters; k++) {\n"
               "    if (i > 0 && i < n - 1) v[i] = 0.5f * (u[i - 1] + u[i + 1]);\n    __syncthreads();\n"
               "    float* t = u;\n    u = v;\n    v = t;\n  }\n}\n");
    EXPECT_THAT(sweeps.chosen, IsSupersetOf({"n = 1024", "grid 4", "iters = 3"}));
    EXPECT_THAT(kinds(sweeps), Contains(FindingKind::race_global));
    const Trace bound =
        chosen("__global__ void k(const int* in, int* out, int n, int maxIterations) {\n  int v = in[threadIdx.x];\n"
               "  for (int k = 0; k < maxIterations && v < n; ++k) v += v;\n  out[threadIdx.x] = v;\n}\n");
    EXPECT_THAT(bound.chosen, Contains("maxIterations = n"));
}

// Of 1024 elements each thread would go through too many; in several blocks still, and what takes long is not called endless.
TEST(Choices, AreFewerElementsWhereEachThreadGoesThroughAll) {
    const Trace all =
        chosen("__global__ void forces(const double* x, double* f, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  double a = 0;\n"
               "  for (int j = 0; j < n; j++) {\n    if (j == i) continue;\n"
               "    double d = x[j] - x[i], r = d * d + 1e-9;\n    a += d / (r * sqrt(r));\n  }\n  f[i] = a;\n}");
    EXPECT_TRUE(all.completed());
    EXPECT_EQ(all.options.n, 256U);
    EXPECT_EQ(all.launches.front().grid, 4U);
    EXPECT_THAT(sentences(all.tried), IsEmpty());
    const Trace diagonals = chosen(
        "#define MOST 256\n__global__ void lcs(const char* a, const char* b, int* out, int n) {\n"
        "  __shared__ int d[3][MOST + 1];\n  int t = threadIdx.x;\n"
        "  for (int k = 0; k < 3; k++) { d[k][t] = 0; if (t == 0) d[k][MOST] = 0; }\n  __syncthreads();\n"
        "  for (int s = 2; s <= 2 * n; s++) {\n    int i = t + 1, j = s - i;\n"
        "    int *now = d[s % 3], *p = d[(s + 2) % 3], *q = d[(s + 1) % 3];\n"
        "    if (i <= n && j >= 1 && j <= n) now[i] = a[i - 1] == b[j - 1] ? q[i - 1] + 1 : max(p[i - 1], p[i]);\n"
        "    else if (i <= n && j == 0) now[i] = 0;\n    __syncthreads();\n  }\n  if (t == 0) *out = d[(2 * n) % "
        "3][n];\n}");
    EXPECT_TRUE(diagonals.completed());
    EXPECT_THAT(sentences(diagonals.tried), IsEmpty());
    // One that does not end whatever n is, is.
    const Trace never = chosen(
        "__global__ void k(volatile int* go, int* out) {\n  while (*go == 0) { }\n  out[0] = 1;\n}", [](RunOptions& o) {
            o.kernel.arguments = {{"go", "zeros:1"}};
        });
    EXPECT_FALSE(never.completed());
}

TEST(Choices, AreThreeForAWindowAndAllForAWidth) {
    const auto value = [](const Trace& trace, std::size_t k) { return trace.arguments.at(k).value; };
    const Trace columns =
        chosen("__global__ void im2col(const float* im, float* col, int C, int H, int W, int K) {\n"
               "  int OH = H - K + 1, OW = W - K + 1, t = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (t < C * OH * OW) {\n    int c = t / (OH * OW), s = t % (OH * OW), h = s / OW, w = s % OW;\n"
               "    for (int p = 0; p < K; p++) for (int q = 0; q < K; q++)\n"
               "      col[((c * K + p) * K + q) * OH * OW + h * OW + w] = im[(c * H + h + p) * W + w + q];\n  }\n}");
    EXPECT_EQ(value(columns, 5), "3");
    EXPECT_EQ(value(columns, 3), value(columns, 4));
    const Trace stencil = chosen(
        "__global__ void k(const float* in, float* out, int nx, int ny, int nz) {\n"
        "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;\n  for (int z = 1; z < nz - 1; z++) {\n"
        "    int c = (z * ny + y) * nx + x;\n"
        "    out[c] = in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx] + in[c - nx * ny] + in[c + nx * ny];\n  }\n}");
    EXPECT_EQ(value(stencil, 2), "32");
    EXPECT_EQ(value(stencil, 3), "32");
    EXPECT_NE(stencil.launches.front().totals().global_store_requests, 0U);
}

// What races between warps shows only where more than one is at work.
TEST(Choices, AreTwoWarpsWhereTwoNumbersAreTold) {
    const Trace trace = chosen("__global__ void k(const float* x, const float* c, float* y, int n, int taps) {\n"
                               "  __shared__ float s[64]; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                               "  if (t < taps) s[t] = c[t];\n  float a = 0;\n"
                               "  for (int k = 0; k < taps; k++) if (i - k >= 0 && i < n) a += s[k] * x[i - k];\n"
                               "  if (i < n) y[i] = a;\n}");
    EXPECT_EQ(trace.options.n, 64U);
    const auto& found = trace.launches.front().findings;
    EXPECT_TRUE(std::ranges::any_of(found, [&](const Finding& f) {
        return sentence(trace, trace.launches.front(), f).find("__syncthreads") != std::string::npos;
    }));
}

} // namespace
} // namespace warptree::tests
