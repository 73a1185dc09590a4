// Which values of a block stand below one another where a kernel stores to several arrays.
#include "app/views/tree/tree_index.hpp"
#include "app/views/views.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree::scene {
namespace {

Trace traced(const std::string& text, std::uint64_t n, std::uint32_t block, const char* grid = "1") {
    return tests::chosen(text, [&](RunOptions& o) {
        o.n = n;
        o.kernel.n_given = true;
        o.block = block;
        o.kernel.grid = grid;
    });
}

// By step, the columns of a block's cells.
std::map<std::uint32_t, std::set<std::uint32_t>> columns(const TreeIndex& index, std::uint32_t block) {
    std::map<std::uint32_t, std::set<std::uint32_t>> all;
    for (std::uint32_t step = 0; step < index.steps; ++step) {
        const TreeRow& row = index.row(block, step);
        for (std::uint32_t c = row.first_cell; c < row.first_cell + row.cells; ++c) {
            all[step].insert(index.cells[c].column);
        }
    }
    return all;
}

std::set<std::uint32_t> first(std::uint32_t count) {
    std::set<std::uint32_t> all;
    for (std::uint32_t i = 0; i < count; ++i) {
        all.insert(i);
    }
    return all;
}

const std::string kTurns = "__global__ void k(const float* in, float* out) {\n  __shared__ float A;\n"
                           "  int t = threadIdx.x;\n  X[t] = in[blockIdx.x * 64 + t];\n  __syncthreads();\n"
                           "  for (int d = 32, now = 0; d > 0; d /= 2, now = 1 - now) {\n"
                           "    if (t < d && now == 0) Y[t] = X[t] + X[t + d];\n"
                           "    if (t < d && now == 1) X[t] = Y[t] + Y[t + d];\n    __syncthreads();\n  }\n"
                           "  if (t == 0) out[blockIdx.x] = X[0];\n}\n";
std::string turns(const std::string& arrays, const std::string& x, const std::string& y) {
    std::string text = kTurns;
    const auto replace = [&](const std::string& what, const std::string& by) {
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
            text.replace(at, what.size(), by);
        }
    };
    replace("A;", arrays + ";");
    replace("X[", x + "[");
    replace("Y[", y + "[");
    return text;
}

// Two arrays that take turns, or two rows of one, are one tree.
TEST(TreeColumns, OfArraysThatTakeTurnsAreTheSame) {
    for (const std::string& text : {turns("a[64], b[64]", "a", "b"), turns("buf[2][64]", "buf[0]", "buf[1]")}) {
        const Trace trace = traced(text, 128, 64, "2");
        const TreeIndex index = make_tree_index(trace.launches[0]);
        EXPECT_EQ(index.columns, 64U) << text;
        EXPECT_EQ(index.beside, 1U);
        for (const std::uint32_t block : {0U, 1U}) {
            const auto rows = columns(index, block);
            ASSERT_EQ(rows.size(), 7U) << text;
            for (std::uint32_t step = 0; step < 7; ++step) {
                EXPECT_EQ(rows.at(step), first(64U >> step)) << step;
            }
        }
    }
}

// Arrays that are written in one step stand side by side, an index after the other.
TEST(TreeColumns, OfArraysThatAreWrittenTogetherAreSideBySide) {
    const Trace trace =
        traced("__global__ void k(const int* a, const int* b, int* out) {\n"
               "  __shared__ int x[64], y[64];\n  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
               "  x[t] = a[i];\n  y[t] = b[i];\n  __syncthreads();\n  for (int d = 32; d > 0; d /= 2) {\n"
               "    if (t < d) {\n      x[t] += x[t + d];\n      y[t] += y[t + d];\n    }\n    __syncthreads();\n"
               "  }\n  if (t == 0) out[blockIdx.x] = x[0] * y[0];\n}\n",
               128, 64, "2");
    const TreeIndex index = make_tree_index(trace.launches[0]);
    EXPECT_EQ(index.beside, 2U);
    EXPECT_EQ(index.columns, 128U);
    EXPECT_EQ(columns(index, 1).at(0), first(128));
    // The sums of both are one record, and its cell has both.
    std::set<std::string> written;
    for (const Text& text :
         tests::texts(draw_tree(tests::context_of(trace, {0, 6, 1}, tests::kMeasure), {0, 0, 9000, 500}, {}))) {
        written.insert(text.text);
    }
    const Launch& launch = trace.launches[0];
    const auto total = [&](std::uint32_t block, std::uint16_t allocation) { // of the elements that it loads
        std::uint64_t sum = 0;
        for (const Node& n : launch.nodes) {
            sum += n.kind == NodeKind::leaf && n.block == block && n.allocation == allocation ? n.bits : 0;
        }
        return std::to_string(sum);
    };
    EXPECT_TRUE(written.contains(total(0, 0) + "|" + total(0, 1))) << total(0, 0) << ' ' << total(0, 1);
    EXPECT_TRUE(written.contains(total(1, 0) + "|" + total(1, 1))) << total(1, 0) << ' ' << total(1, 1);
}

// What all elements of a block go into is no scan, though there are as many outputs as elements: every output has its column.
TEST(TreeColumns, OfOutputsThatAllElementsGoIntoAreTheirOwn) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n  __shared__ int lo[64], copy[64];\n"
                               "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n  copy[t] = lo[t] = in[i];\n"
                               "  __syncthreads();\n  for (int d = 32; d > 0; d /= 2) {\n"
                               "    if (t < d) lo[t] = min(lo[t], lo[t + d]);\n    __syncthreads();\n  }\n"
                               "  out[i] = copy[t] - lo[0];\n}\n",
                               128, 64, "2");
    const TreeIndex index = make_tree_index(trace.launches[0]);
    EXPECT_FALSE(index.scan);
    EXPECT_EQ(columns(index, 1).rbegin()->second, first(64));
}

// Neither has a scan's columns: a convolution, of which each thread loads the weights, and a sum in two dimensions, whose block's
// elements lie in several rows.
TEST(TreeColumns, OfWhatLoadsElementsSeveralTimesAreNoScans) {
    const Trace convolution = tests::chosen(
        "__global__ void k(const int* in, const int* weights, int* out, int n) {\n  __shared__ int s[68];\n"
        "  int t = threadIdx.x, o = blockIdx.x * 64 + t, i = o - 2;\n"
        "  s[t] = i >= 0 && i < n ? in[i] : 0;\n"
        "  if (t < 4) s[64 + t] = i + 64 < n ? in[i + 64] : 0;\n  __syncthreads();\n  int v = 0;\n"
        "  for (int j = 0; j < 5; ++j) v += weights[j] * s[t + j];\n  if (o < n) out[o] = v;\n}\n");
    EXPECT_FALSE(make_tree_index(convolution.launches[0]).scan);
    const Trace images = tests::chosen("__global__ void k(const int* a, const int* b, int* c, int w, int h) {\n"
                                       "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
                                       "  if (x < w && y < h) c[y * w + x] = a[y * w + x] + b[y * w + x];\n}\n");
    const TreeIndex index = make_tree_index(images.launches[0]);
    EXPECT_FALSE(index.scan);
    EXPECT_EQ(columns(index, 0).begin()->second, first(256));
}

// Every place has its value after each step of a sort, swapped or not, and is no scan's column, however few there are.
TEST(TreeColumns, OfASortAreThoseOfItsPlaces) {
    for (const char* up : {"true", "(t & k) == 0"}) {
        const Trace trace = tests::chosen(
            std::string(
                "__global__ void sort(int* a) {\n  __shared__ int s[16];\n  int t = threadIdx.x;\n  s[t] = a[t];\n"
                "  __syncthreads();\n  for (int k = 2; k <= 16; k *= 2) for (int j = k / 2; j > 0; j /= 2) {\n"
                "    int o = t ^ j;\n    if (o > t && (s[t] > s[o]) == (") +
            up + ")) { int x = s[t]; s[t] = s[o]; s[o] = x; }\n    __syncthreads();\n  }\n  a[t] = s[t];\n}\n");
        const TreeIndex index = make_tree_index(trace.launches[0]);
        EXPECT_FALSE(index.scan);
        EXPECT_EQ(index.columns, 16U);
        EXPECT_EQ(index.steps, 12U);
        for (const auto& [step, its] : columns(index, 0)) {
            EXPECT_EQ(its, first(16)) << step;
        }
    }
}

// What a block changes in global memory has its columns from the first element of the block on.
TEST(TreeColumns, OfGlobalMemoryBeginWithTheBlocksFirst) {
    const Trace trace =
        traced("__global__ void k(int* a, int* out) {\n  int t = threadIdx.x, i = blockIdx.x * 32 + t;\n"
               "  for (int s = 16; s > 0; s /= 2) {\n    if (t < s) a[i] += a[i + s];\n"
               "    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = a[i];\n}\n",
               128, 32, "4");
    const TreeIndex index = make_tree_index(trace.launches[0]);
    EXPECT_EQ(index.columns, 32U);
    EXPECT_EQ(columns(index, 3).at(0), first(16));
}

// A race on the second of two arrays is marked at its element.
TEST(TreeColumns, OfARaceAreThoseOfItsElement) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n  __shared__ int a[64], b[64];\n"
                               "  int t = threadIdx.x;\n  a[t] = in[t];\n  __syncthreads();\n"
                               "  b[t] = a[t] + a[63 - t];\n  if (t < 32) b[t] = b[t] + b[t + 32];\n"
                               "  __syncthreads();\n  if (t == 0) out[0] = b[0];\n}\n",
                               64, 64);
    const Launch& launch = trace.launches[0];
    const PlacedInColumns columns = columns_of_tree(launch);
    ASSERT_FALSE(launch.hazards.empty());
    for (std::size_t h = 0; h < launch.hazards.size(); ++h) {
        const std::uint32_t word = launch.hazards[h].word - 64; // of b, which lies behind a
        EXPECT_EQ(columns.of_race[h], word * columns.beside) << h;
    }
}

// Where rows of the matrix go with threadIdx.x, a sum stays below its own products.
TEST(TreeColumns, OfABlockInTwoDimensionsAreItsThreads) {
    const Trace trace = tests::chosen(
        "__global__ void k(const float* A, const float* B, float* C, int N) {\n"
        "  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (row < N && col < N) {\n    float sum = 0;\n"
        "    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * N + col];\n    C[row * N + col] = sum;\n  "
        "}\n}\n",
        [](RunOptions& o) {
            o.n = 12;
            o.kernel.n_given = true;
            o.kernel.block = "4,4";
        });
    const Launch& launch = trace.launches[0];
    const PlacedInColumns columns = columns_of_tree(launch);
    for (std::size_t i = 0; i < launch.nodes.size(); ++i) {
        if (launch.nodes[i].kind == NodeKind::combine) {
            EXPECT_EQ(columns.of_node[i], launch.nodes[i].thread * columns.beside) << i;
        }
    }
}

// The values in the row of the last step, the lowest one, from left to right.
std::vector<Text> row_of_stores(const Trace& trace) {
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    const auto context = tests::context_of(trace, {0, last, 1}, tests::kMeasure);
    std::vector<Text> row = tests::texts(draw_tree(context, {0, 0, 9000, 500}, {}));
    std::erase_if(row,
                  [](const Text& text) { return text.text.find_first_not_of("0123456789-") != std::string::npos; });
    float lowest = 0;
    for (const Text& text : row) {
        lowest = std::max(lowest, text.anchor.y);
    }
    std::erase_if(row, [&](const Text& text) { return text.anchor.y < lowest - 5; });
    std::ranges::sort(row, {}, [](const Text& text) { return text.anchor.x; });
    return row;
}

// Each thread's result stands in a place of its own, in the order of the elements that they are stored to.
void expect_results_in_order(const std::string& kernel, std::uint64_t n, std::uint32_t block, const char* grid = "1") {
    const Trace trace = traced(kernel, n, block, grid);
    const std::vector<Text> row = row_of_stores(trace);
    const std::vector<std::uint64_t>& out = trace.outputs.front().values;
    ASSERT_EQ(row.size(), trace.launches[0].outputs.size()) << kernel;
    for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_EQ(row[i].text, std::to_string(static_cast<std::int32_t>(out[i]))) << i << kernel;
        EXPECT_TRUE(i == 0 || row[i].anchor.x - row[i - 1].anchor.x > 5) << i << kernel;
    }
}

TEST(TreeColumns, OfResultsAreThoseOfTheirElements) {
    expect_results_in_order("__global__ void shift(int* a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  int v = a[(i + 1) % n];\n  if (i < n - 1) a[i] = v;\n}\n",
                            32, 32);
    expect_results_in_order("__global__ void dbl(const int* in, int* out) {\n  __shared__ int s[64], c[64 * 3];\n"
                            "  int t = threadIdx.x;\n  s[t] = in[t];\n"
                            "  c[3 * t] = t; c[3 * t + 1] = 0; c[3 * t + 2] = 1;\n  __syncthreads();\n"
                            "  out[t] = s[63 - t] + c[(t * 2) % 64];\n}\n",
                            64, 64);
    expect_results_in_order("__global__ void gather(const int* in, int* out) {\n  __shared__ int s[64];\n"
                            "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n  s[t] = in[i];\n  __syncthreads();\n"
                            "  int a = s[0], b = s[(t * 17) % 64], c = in[(i * 33) % 128];\n  out[i] = a + b + c;\n}\n",
                            128, 64, "2");
    expect_results_in_order("__global__ void stencil(const int* in, int* out, int n) {\n  __shared__ int s[66];\n"
                            "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n  s[t + 1] = in[i];\n"
                            "  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;\n"
                            "  if (t == 63) s[65] = i + 1 < n ? in[i + 1] : 0;\n  __syncthreads();\n"
                            "  out[i] = s[t] + s[t + 1] + s[t + 2];\n}\n",
                            128, 64, "2");
}

// Of threads that overwrite one another's element each has its own value.
TEST(TreeColumns, OfThreadsThatOverwriteOneElementAreTheirOwn) {
    const Trace trace = traced("__global__ void h(const int* data, int* bins, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) {\n    int b = data[i] % 8;\n    bins[b] = bins[b] + 1;\n  }\n}\n",
                               128, 64, "2");
    const Launch& launch = trace.launches[0];
    const PlacedInColumns columns = columns_of_tree(launch);
    for (std::size_t i = 0; i < launch.nodes.size(); ++i) {
        EXPECT_EQ(columns.of_node[i], launch.nodes[i].thread) << i;
    }
}

} // namespace
} // namespace warptree::scene
