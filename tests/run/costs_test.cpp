// Lines that cost several times what would do, against counts by hand.
#include "app/run/remedy/remedy.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A transpose of 32 x 32 floats by way of a tile whose rows have so many.
Trace transposed(const std::string& row) {
    return chosen("__global__ void t(const float* in, float* out, int n) {\n  __shared__ float tile[32][" + row +
                  "];\n  int x = threadIdx.x, y = threadIdx.y;\n  tile[y][x] = in[y * n + x];\n  __syncthreads();\n"
                  "  out[y * n + x] = tile[x][y];\n}");
}

TEST(Costs, OfAColumnOfATileAreItsBankConflicts) {
    const Trace trace = transposed("32"); // 32 warps, whose lanes are all in one bank
    EXPECT_THAT(costs(trace), ElementsAre("line 6: bank conflicts: 1024 wavefronts where 32 would do"));
    EXPECT_THAT(report_text(trace), HasSubstr("\ncost: line 6: bank conflicts"));
    EXPECT_THAT(costs(transposed("33")), IsEmpty());
}

TEST(Costs, OfStridesAreTheSectorsTouched) {
    const auto of = [](const std::string& index) {
        return costs(chosen("__global__ void k(const float* in, float* out, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n    out[i] = in[" +
                            index + "];\n}"));
    };
    // 32 warps: each takes 4 sectors of 8 elements, or one a lane.
    EXPECT_THAT(of("i"), IsEmpty());
    EXPECT_THAT(of("i + 1"), IsEmpty()) << "across the bounds of a sector";
    EXPECT_THAT(of("2 * i"), IsEmpty()) << "pairs";
    EXPECT_THAT(of("i / 32"), IsEmpty()) << "one element for all";
    EXPECT_THAT(of("8 * i"),
                ElementsAre("line 4: lanes do not load neighbouring elements: 1024 sectors of global memory "
                            "where 128 would hold what they use"));
}

TEST(Costs, OfBarriersAreThoseThatOrderNothing) {
    const auto of = [](const std::string& store, const std::string& load) {
        return costs(chosen("__global__ void k(const float* in, float* out, int n) {\n  __shared__ float s[256];\n"
                            "  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n  s[t] = " +
                            store + ";\n  __syncthreads();\n  out[i] = " + load + ";\n}"));
    };
    EXPECT_THAT(
        of("in[i]", "2 * s[t]"),
        ElementsAre("line 5: barriers that order nothing: no thread uses an element that another one may change"));
    EXPECT_THAT(of("in[i]", "s[255 - t]"), IsEmpty());
    EXPECT_THAT(of("0; out[i] = 1", "s[t] + out[i ^ 1]"), IsEmpty()) << "in global memory";
}

// What makes it cheaper, with the same results.
TEST(Costs, AreMendedByOneChange) {
    const auto mended = [](const std::string& text) {
        RunOptions o;
        o.kernel.text = text;
        RunControl control;
        const auto found = runs::cheaper_remedy(o, chosen(text), control);
        return found ? found->text : "";
    };
    const auto transpose = [](const std::string& row) {
        return "#define T 32\n__global__ void t(const float* in, float* out, int w, int h) {\n"
               "    __shared__ float tile[T][" +
               row +
               "];\n"
               "    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;\n"
               "    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];\n    __syncthreads();\n"
               "    x = blockIdx.y * T + threadIdx.x;\n    y = blockIdx.x * T + threadIdx.y;\n"
               "    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];\n}\n";
    };
    EXPECT_EQ(mended(transpose("T")), transpose("T + 1"));
    EXPECT_EQ(mended(transpose("T + 1")), "");
    const auto added = [](const std::string& row, const std::string& col) {
        return "__global__ void add(const float* a, const float* b, float* c, int rows, int cols) {\n"
               "    int row = blockIdx." +
               row + " * blockDim." + row + " + threadIdx." + row +
               ";\n"
               "    int col = blockIdx." +
               col + " * blockDim." + col + " + threadIdx." + col +
               ";\n"
               "    if (row < rows && col < cols) c[row * cols + col] = a[row * cols + col] + b[row * cols + "
               "col];\n}\n";
    };
    EXPECT_EQ(mended(added("x", "y")), added("y", "x"));
    EXPECT_EQ(mended(added("y", "x")), "");
    const auto reduced = [](const std::string& loop, const std::string& test) {
        return "__global__ void k(const int* in, int* out) {\n    __shared__ int s[256];\n    int t = threadIdx.x;\n"
               "    s[t] = in[blockIdx.x * blockDim.x + t];\n    __syncthreads();\n"
               "    for (int d = " +
               loop + ") {\n        if (t" + test +
               ") s[t] += s[t + d];\n        __syncthreads();\n    }\n"
               "    if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    };
    EXPECT_EQ(mended(reduced("1; d < blockDim.x; d *= 2", " % (2 * d) == 0")),
              reduced("blockDim.x / 2; d > 0; d /= 2", " < d"));
    const std::string lone =
        "__global__ void k(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    float v = 0;\n    if (i < n) v = x[i];\n";
    EXPECT_EQ(mended(lone + "    __syncthreads();\n    if (i < n) y[i] = 2 * v;\n}\n"),
              lone + "    if (i < n) y[i] = 2 * v;\n}\n");
}

TEST(Costs, OfAtomicsAreThoseOfAllThreadsToAFewElements) {
    const auto of = [](const std::string& change) {
        return costs(chosen("__global__ void k(const int* in, int* out, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  " +
                            change + "\n}"));
    };
    EXPECT_THAT(of("atomicMin(&out[0], in[i]);\n  atomicMax(&out[1], in[i]);"),
                ElementsAre("line 4 and 1 more: 2048 atomics to 2 elements of out: combined in each block first, 8 "
                            "would do"));
    EXPECT_THAT(of("if (in[i] % 2) atomicAdd(out, 1);"), ElementsAre(HasSubstr("1023 atomics to 1 element of out")));
    EXPECT_THAT(of("atomicAdd(&out[in[i] % 64], 1);"), IsEmpty()) << "as of a histogram";
    EXPECT_THAT(of("int place = atomicAdd(out, 1);\n  out[1 + place] = in[i];"), IsEmpty()) << "a ticket";
    EXPECT_THAT(of("if (threadIdx.x == 0) atomicAdd(out, in[i]);"), IsEmpty());
}

TEST(Costs, OfDivergenceAreWarpsWithFewThreadsThatCombine) {
    const auto of = [](const char* which, const char* element) {
        return costs(
            chosen(std::string("__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                               "  int t = threadIdx.x;\n  s[t] = in[blockIdx.x * blockDim.x + t];\n"
                               "  __syncthreads();\n  for (int d = 1; d < 256; d *= 2) {\n    if (") +
                       which + ")\n      s[" + element + "] += s[" + element +
                       " + d];\n    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = s[0];\n}",
                   [](RunOptions& o) { o.block = 256; }));
    };
    // Of 1024 elements in four blocks: 32 warps in five steps, then 16, 8, 4; their threads would fit into 16, 8 and 4 as often as
    // a block has one.
    EXPECT_THAT(
        of("t % (2 * d) == 0", "t"),
        ElementsAre("line 7: warps diverge: in the steps where fewer would do, 184 warps, counted in each, have "
                    "lanes at work and others idle where 44 would hold those at work, if they were neighbours"));
    EXPECT_THAT(of("2 * d * t < 256", "2 * d * t"), Not(Contains(HasSubstr("diverge")))) << "neighbours";
}

TEST(Reports, LeaveTheMiddleOfAVeryLongTableOut) {
    const auto of = [](const char* rounds) {
        return chosen(
            std::string("__global__ void k(int* a, int n) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
                        "  s[t] = a[t];\n  __syncthreads();\n  for (int r = 0; r < ") +
                rounds +
                "; ++r) {\n    int x = s[(t + 1) % 64];\n    __syncthreads();\n    s[t] += x;\n"
                "    __syncthreads();\n  }\n  a[t] = s[t];\n}",
            [](RunOptions& o) { o.block = o.n = 64; });
    };
    const Trace many = of("200"), few = of("20");
    ASSERT_GT(many.launches.front().steps.size(), 200U);
    const std::string text = report_text(many);
    EXPECT_THAT(text, HasSubstr("more lines; --format csv has all\n"));
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 100);
    EXPECT_THAT(text, testing::AllOf(HasSubstr("\nload "), HasSubstr("\ntotal ")));
    EXPECT_THAT(report_text(few), testing::Not(HasSubstr("more lines")));
}

// What another block waits for, and what other data would change, is ordered by them.
TEST(Costs, OfBarriersAreNotThoseOfFlagsAndOfWhatDataDecide) {
    const auto barriers = [](const std::string& text) {
        const std::vector<std::string> all = costs(chosen(text));
        return std::ranges::any_of(all,
                                   [](const std::string& c) { return c.find("order nothing") != std::string::npos; });
    };
    EXPECT_FALSE(
        barriers("__global__ void k(const int* in, int* part, int* out, volatile int* flag) {\n"
                 "  int t = threadIdx.x;\n  if (blockIdx.x == 0) {\n    part[t] = in[t];\n    __threadfence();\n"
                 "    __syncthreads();\n    if (t == 0) *flag = 1;\n  } else if (blockIdx.x == 1) {\n"
                 "    if (t == 0) { while (*flag == 0); __threadfence(); }\n    __syncthreads();\n"
                 "    out[t] = part[blockDim.x - 1 - t];\n  }\n}"));
    const auto found = [&](const std::string& change) {
        return barriers(
            "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int where;\n  int t = threadIdx.x;\n"
            "  if (t == 0) where = n;\n  __syncthreads();\n  if (in[t] == 4)\n    " +
            change + "\n  __syncthreads();\n  if (t == 0) *out = where;\n}");
    };
    EXPECT_FALSE(found("atomicMin(&where, t);")) << "no prime is 4";
    EXPECT_FALSE(found("where = t;"));
}

} // namespace
} // namespace warptree::tests
