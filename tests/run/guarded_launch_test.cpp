// How many threads a guard asks for, and which block an array in shared memory, where nobody says.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

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

const std::string kThread = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

TEST(GuardedLaunch, CoversAMultipleOfN) {
    const Trace rows =
        chosen("const int B = 8;\n__global__ void k(const float* M, const float* x, float* y, int blocks) "
               "{ " +
               kThread +
               " if (i >= blocks * B) return;\n int b = i / B, r = i % B; float s = 0;\n"
               " for (int c = 0; c < B; c++) s += M[(b * B + c) * B + r] * x[b * B + c];\n"
               " y[i] = s; }");
    EXPECT_THAT(rows.chosen, IsSupersetOf({"n = 1024", "grid 32"}));
    EXPECT_EQ(rows.launches.front().outputs_total, 8192U);
    EXPECT_THAT(sentences(rows.tried), IsEmpty());
    const Trace strided = chosen("__global__ void k(float* rgb, float f, int pixels) {\n for (" + kThread +
                                 " i < 3 * pixels; i += gridDim.x * blockDim.x) rgb[i] *= f; }");
    EXPECT_THAT(strided.chosen, Contains("grid 12"));
    EXPECT_THAT(kinds(strided), IsEmpty());
}

TEST(GuardedLaunch, CoversMultiplesInTwoDimensions) {
    const Trace twice =
        chosen("__global__ void k(const float* in, float* out, int w, int h) {\n"
               " int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
               " if (x >= 2 * w || y >= 2 * h) return;\n"
               " out[y * 2 * w + x] = in[y / 2 * w + x / 2]; }");
    EXPECT_EQ(twice.launches.front().outputs_total, 4096U);
    EXPECT_THAT(kinds(twice), IsEmpty());
    EXPECT_THAT(sentences(twice.tried), IsEmpty());
}

TEST(GuardedLaunch, HasABlockForEachNumberThatAGuardAllows) {
    const Trace lags = chosen("__global__ void k(const float* x, float* r, int n, int lags) {\n int lag = blockIdx.x;\n"
                              " __shared__ float part[128]; float s = 0;\n"
                              " for (int i = threadIdx.x; i + lag < n; i += 128) s += x[i] * x[i + lag];\n"
                              " part[threadIdx.x] = s; __syncthreads();\n"
                              " if (threadIdx.x == 0 && lag < lags) { for (int k = 1; k < 128; ++k) s += part[k];\n"
                              " r[lag] = s; } }");
    EXPECT_THAT(lags.chosen, IsSupersetOf({"n = 32", "grid 32", "block 128"}));
    EXPECT_EQ(lags.launches.front().outputs_total, 32U);
}

TEST(GuardedLaunch, TellsTwoRowsOfTwoNumbers) {
    const Trace rows =
        chosen("__global__ void k(double* A, int p, int q, int n) { " + kThread +
               " if (i < n) { double t = A[p * n + i]; A[p * n + i] = A[q * n + i]; A[q * n + i] = t; } }");
    EXPECT_THAT(rows.chosen, IsSupersetOf({"p = 0", "q = 1"}));
    EXPECT_THAT(kinds(rows), IsEmpty());
}

TEST(GuardedLaunch, IsOfNWhereABlockTakesARow) {
    const Trace rows = chosen("__global__ void k(const float* in, float* out, int n) {\n"
                              " for (int j = threadIdx.x; j < 4 * n; j += blockDim.x)\n"
                              "  out[blockIdx.x * 4 * n + j] = in[blockIdx.x * 4 * n + j]; }");
    EXPECT_THAT(rows.chosen, IsSupersetOf({"n = 1024", "grid 4"})) << "j is no number of a thread in the grid";
}

TEST(ChosenNumbers, AreAFewWhereAnArrayOfStatedSizeHoldsNoMore) {
    const Trace trace =
        chosen("__global__ void k(const float* x, float* y, const float* c, int order, int n) {\n"
               "  __shared__ float s[16];\n  if (threadIdx.x < order) s[threadIdx.x] = c[threadIdx.x];\n"
               "  __syncthreads();\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) { float v = 0; for (int j = 0; j < order; ++j) if (i >= j) v += s[j] * x[i - j];\n"
               "    y[i] = v; } }");
    EXPECT_THAT(trace.chosen, IsSupersetOf({"order = 3", "block 256"}));
    EXPECT_THAT(trace.launches.front().findings, IsEmpty());
}

TEST(ChosenNumbers, AreARadiusWhereTheyLeadToBothSides) {
    const Trace trace = chosen("__global__ void k(const int* p, float* out, int n, int r) { " + kThread +
                               " if (i < n) { int lo = max(i - r, 0), hi = min(i + r + 1, n);\n"
                               "  out[i] = (float)(p[hi] - p[lo]) / (hi - lo); } }");
    EXPECT_THAT(trace.chosen, Contains("r = 1"));
    EXPECT_THAT(sentences(trace.tried), IsEmpty()) << "the sums before each element are one more";
}

TEST(ChosenBlock, IsAWarpWhereALoopGoesOnByOne) {
    const Trace trace = chosen("__global__ void k(const int* x, int* y, int n) {\n"
                               "  int lane = threadIdx.x, carry = 0;\n  for (int b = 0; b < n; b += 32) {\n"
                               "    int v = b + lane < n ? x[b + lane] : 0;\n    for (int d = 1; d < 32; d *= 2) {\n"
                               "      int t = __shfl_up_sync(0xffffffffu, v, d);\n      if (lane >= d) v += t; }\n"
                               "    v += carry;\n    if (b + lane < n) y[b + lane] = v;\n"
                               "    carry = __shfl_sync(0xffffffffu, v, 31); } }");
    EXPECT_THAT(trace.chosen, Contains("block 32"));
    EXPECT_THAT(trace.launches.front().findings, IsEmpty());
}

TEST(GuardedLaunch, TellsWhatIsPastTheMultiple) {
    const Trace trace = chosen("__global__ void k(float* x, const float* y, int n) { " + kThread +
                               " float v = y[i]; if (i < n * 2) x[i] = v; }");
    EXPECT_THAT(
        sentences(trace.tried),
        ElementsAre("with elements = 1000: out of bounds (risk) if y has n * 2 elements: threads beyond n * 2 load "
                    "y[2000] to y[2047]; a guard as if (i < n * 2) keeps them out"));
}

TEST(GuardedLaunch, TellsWhatTheOneThatIsShownHasToo) {
    const Trace trace = chosen("__global__ void k(const int* x, int* out, int n) { " + kThread +
                               " if (i < n) out[i] = x[i + 1] - x[i]; }");
    EXPECT_THAT(sentences(trace.tried),
                ElementsAre(HasSubstr("the kernel loads x[1000], one past the last, as x[1024] is with n = 1024")));
}

// Two elements a thread, as the arithmetic says: a smaller block would only hide what goes past the array.
TEST(GuardedLaunch, KeepsTheBlockThatItsArithmeticSays) {
    const auto sweep = [](const std::string& guard) {
        return chosen("#define BLK 128\n__global__ void k(const int* in, int* out, int n) {\n"
                      "  __shared__ int s[2 * BLK];\n  int t = threadIdx.x, i = 2 * blockIdx.x * BLK + t;\n"
                      "  s[t] = i < n ? in[i] : 0;\n  s[t + BLK] = i + BLK < n ? in[i + BLK] : 0;\n"
                      "  for (int d = BLK / 2; d > 0; d /= 2) {\n    __syncthreads();\n"
                      "    int at = (t + 1) * 2 * d - 1;\n    if (" +
                      guard +
                      " < 2 * BLK) s[at + d] += s[at];\n  }\n  __syncthreads();\n"
                      "  if (i < n) out[i] = s[t];\n  if (i + BLK < n) out[i + BLK] = s[t + BLK];\n}");
    };
    const Trace wrong = sweep("at");
    EXPECT_THAT(wrong.chosen, IsSupersetOf({"n = 1024", "block 128"}));
    EXPECT_THAT(kinds(wrong), Contains(FindingKind::out_of_bounds));
    EXPECT_THAT(kinds(sweep("at + d")), IsEmpty());
}

TEST(GuardedLaunch, HasTheBlockThatATileWithAHaloSays) {
    const auto stencil = [](int block, const std::string& left) {
        return chosen(
            "#define R 2\n#define BLOCK " + std::to_string(block) +
            "\n__global__ void k(const int* in, int* out, int n) {\n  __shared__ int tile[BLOCK + 2 * R];\n  " +
            kThread +
            "\n  int l = threadIdx.x + R;\n  tile[l] = in[i];\n  if (threadIdx.x < R) {\n"
            "    tile[l - R] = " +
            left +
            ";\n    tile[l + BLOCK] = in[i + BLOCK];\n  }\n  __syncthreads();\n  int sum = 0;\n"
            "  for (int o = -R; o <= R; ++o) sum += tile[l + o];\n  out[i] = sum;\n}");
    };
    for (const int block : {64, 96, 128, 192}) {
        const Trace trace = stencil(block, "i - R >= 0 ? in[i - R] : 0");
        EXPECT_THAT(trace.chosen, Contains("block " + std::to_string(block) + " as tile has " +
                                           std::to_string(block + 4) + " elements"));
        EXPECT_THAT(kinds(trace), IsEmpty());
    }
}

// What goes wrong besides is shown of the block that fits, not the array of the one that does not.
TEST(GuardedLaunch, TellsWhatIsWrongOfTheBlockThatFits) {
    const Trace trace =
        chosen("__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[64];\n  " + kThread +
               "\n  s[threadIdx.x] = in[i];\n  __syncthreads();\n"
               "  out[i - 1] = s[63 - threadIdx.x];\n}");
    EXPECT_THAT(trace.chosen, Contains(HasSubstr("block 64")));
    ASSERT_THAT(kinds(trace), ElementsAre(FindingKind::out_of_bounds));
    EXPECT_EQ(first_of(trace, FindingKind::out_of_bounds)->array, "out");
}

} // namespace
} // namespace warptree::tests
