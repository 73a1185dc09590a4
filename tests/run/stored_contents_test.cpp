// Kernels that made-up data keeps from storing anything, as those of graphs: with what they are run instead, and what is then
// found. Races of loads that are only compared.
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/order_results.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A level of a search. `seen`: whether a neighbour is not reached yet.
std::string level(const std::string& seen, const std::string& more = "") {
    return "__global__ void visit(const int* begin, const int* next, int* dist, int cur, int n, int* changed) {\n"
           "  int v = blockIdx.x * blockDim.x + threadIdx.x;\n  if (v < n && dist[v] == cur)\n"
           "    for (int e = begin[v]; e < begin[v + 1]; ++e)\n      if (" +
           seen + ") {\n        dist[next[e]] = cur + 1;\n        *changed = 1;\n" + more + "      }\n}";
}

std::vector<Finding> races(const Trace& trace, Severity severity) {
    std::vector<Finding> found;
    for (const Finding& f : trace.launches.front().findings) {
        if (is_race(f.kind) && f.severity == severity) {
            found.push_back(f);
        }
    }
    return found;
}

TEST(StoredContents, OfAGraphsLevelsAreThoseASearchSetsOutFrom) {
    for (const char* seen : {"dist[next[e]] == -1", "dist[next[e]] < 0"}) {
        const Trace trace = chosen(level(seen));
        EXPECT_THAT(trace.chosen, AllOf(Contains("dist = unseen"), Contains("cur = 0"))) << seen;
        EXPECT_THAT(sentences(trace.tried), Contains(HasSubstr("nothing is stored, as its data keeps all threads")))
            << seen;
        EXPECT_THAT(races(trace, Severity::fault), IsEmpty()) << seen;
    }
}

TEST(StoredContents, ShowARaceThatNoDataReachedBefore) {
    const Trace trace = chosen(level("dist[next[e]] == -1", "        changed[1] += 1;\n"));
    EXPECT_THAT(races(trace, Severity::fault), Contains(Field(&Finding::updates, true)));
}

TEST(StoredContents, OfDistancesAreFarAndOfLabelsOnesOwn) {
    const Trace far = chosen("__global__ void relax(const int* from, const int* to, const int* w, int* dist, int m) {\n"
                             "  int e = blockIdx.x * blockDim.x + threadIdx.x;\n  if (e >= m) return;\n"
                             "  int d = dist[from[e]] + w[e];\n  if (d < dist[to[e]]) dist[to[e]] = d;\n}");
    EXPECT_THAT(far.chosen, Contains("dist = far"));
    EXPECT_THAT(races(far, Severity::fault), Not(IsEmpty())) << "the smaller of two may be lost";
    const Trace labels =
        chosen("__global__ void hook(const int* from, const int* to, int* label, int m) {\n"
               "  int e = blockIdx.x * blockDim.x + threadIdx.x;\n  if (e >= m) return;\n"
               "  int a = label[from[e]], b = label[to[e]];\n  if (a < b) atomicMin(&label[to[e]], a);\n}");
    EXPECT_THAT(labels.chosen, Contains("label = iota"));
}

TEST(StoredContents, AreTheUsualWhereNothingCouldBeStored) {
    const Trace trace = chosen("__global__ void never(const int* in, int* out, int n) {\n  int i = threadIdx.x;\n"
                               "  if (in[i] < 0) out[i] = n;\n}");
    EXPECT_THAT(trace.chosen, AllOf(Contains("in = primes"), Contains("out = zeros")));
    EXPECT_THAT(trace.tried, IsEmpty());
}

// Thread 0 writes what the others, of other warps, compare at the same time.
Trace compared(const std::string& begin, const std::string& written, const std::string& test) {
    return run_text("__global__ void k(int* out, int n) {\n  __shared__ int s;\n  if (threadIdx.x == 0) s = " + begin +
                        ";\n  __syncthreads();\n  if (threadIdx.x == 0) s = " + written + ";\n  else if (" + test +
                        ") out[threadIdx.x] = 1;\n}",
                    [](RunOptions& o) {
                        o.n = 64;
                        o.block = 64;
                        o.kernel.arguments["n"] = "7";
                    });
}

TEST(ComparedLoads, AreARiskWhereTheComparisonComesOutTheSame) {
    for (const char* test : {"s == 5", "s != n", "s == n + 1", "5 == s"}) {
        const Trace trace = compared("1", "2", test);
        EXPECT_THAT(races(trace, Severity::fault), IsEmpty()) << test;
        const auto found = races(trace, Severity::risk);
        ASSERT_FALSE(found.empty()) << test;
        EXPECT_TRUE(found[0].compares) << test;
        EXPECT_THAT(sentence(trace, trace.launches.front(), found[0]),
                    HasSubstr("comes out the same before and after"));
    }
}

TEST(ComparedLoads, AreAFaultWhereItDoesNotOrTheValueIsUsed) {
    for (const char* test :
         {"s == 2", "s == 1", "s != 2", "s < 2", "s == 5 || s > 9", "s == threadIdx.x", "(out[0] = s) == 5"}) {
        const Trace trace = compared("1", "2", test);
        EXPECT_THAT(races(trace, Severity::fault), Not(IsEmpty())) << test;
    }
    EXPECT_THAT(races(compared("6", "7", "s == n"), Severity::fault), Not(IsEmpty())) << "an argument";
    const Trace unset = run_text("__global__ void k(int* out) {\n  __shared__ int s;\n  if (threadIdx.x == 0) s = 1;\n"
                                 "  else if (s == 5) out[threadIdx.x] = 1;\n}",
                                 [](RunOptions& o) { o.block = o.n = 64; });
    EXPECT_THAT(races(unset, Severity::fault), Not(IsEmpty())) << "what was there before is chance";
    const Trace loop = run_text("__global__ void k(int* out, int n) {\n  __shared__ int s;\n"
                                "  if (threadIdx.x == 0) s = 1;\n  __syncthreads();\n"
                                "  if (threadIdx.x == 0) s = 2;\n  else\n"
                                "    for (; n > 0; --n)\n      if (s == n) out[threadIdx.x] = 1;\n}",
                                [](RunOptions& o) {
                                    o.block = o.n = 64;
                                    o.kernel.arguments["n"] = "4";
                                });
    EXPECT_THAT(races(loop, Severity::fault), Not(IsEmpty())) << "a number that a loop changes";
}

TEST(UpdatesSpelledOut, RaceAsShortOnesDo) {
    for (const char* update : {"y[row[t]] += v[t];", "y[row[t]] = y[row[t]] + v[t];"}) {
        const Trace trace = chosen("__global__ void k(const int* row, const double* v, double* y, int n) {\n"
                                   "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  if (t < n) " +
                                   std::string(update) + "\n}");
        const auto found = races(trace, Severity::fault);
        ASSERT_EQ(found.size(), 1U) << update;
        EXPECT_TRUE(found[0].updates) << update;
    }
}

TEST(Sizes, OfLongerRowsAreTakenForMeant) {
    const Trace table =
        chosen("__global__ void lcs(const char* x, const char* y, int m, int n, int d, int* L) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;\n"
               "  if (i <= m && j >= 1 && j <= n)\n    L[i * (n + 1) + j] = L[(i - 1) * (n + 1) + j - 1] + "
               "(x[i - 1] == y[j - 1]);\n}");
    EXPECT_THAT(report_text(table), Not(HasSubstr("out of bounds")));
    const Trace begins =
        chosen("__global__ void rows(const int* keys, int* begin, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i > n) return;\n  int lo = 0;\n"
               "  while (lo < 9 && keys[lo] < i) ++lo;\n  begin[i] = lo;\n}",
               [](RunOptions& o) {
                   o.n = 1000;
                   o.kernel.n_given = true;
               });
    EXPECT_THAT(sentences(begins.tried), Contains(HasSubstr("begin has to have")));
    EXPECT_THAT(report_text(begins), Not(HasSubstr("out of bounds")));
}

TEST(Sizes, ThatBoundThreadsAreNoPlaces) {
    const Trace trace =
        chosen("__global__ void k(const float* a, float* b, int nx, int ny, int nz) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;\n"
               "  size_t plane = (size_t)nx * ny;\n  for (int k = 1; k < nz - 1; ++k)\n"
               "    b[k * plane + j * nx + i] = a[k * plane + j * nx + i + 1];\n}");
    EXPECT_THAT(trace.chosen, Contains("ny = n"));
}

TEST(Shuffles, PastTheirSegmentsAreTold) {
    const auto found = [](const std::string& loop) {
        const Trace trace =
            run_text("#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
                     "__global__ void k(const float* x, float* y) {\n"
                     "  auto t = tiled_partition<8>(this_thread_block());\n  float v = x[threadIdx.x];\n  " +
                         loop + "\n  y[threadIdx.x] = v;\n}",
                     [](RunOptions& o) { o.block = o.n = 32; });
        std::vector<std::string> all;
        for (const Finding& f : trace.launches.front().findings) {
            if (f.kind == FindingKind::shuffle_reach) {
                all.push_back(sentence(trace, trace.launches.front(), f));
            }
        }
        return all;
    };
    EXPECT_THAT(found("for (int d = 4; d > 0; d /= 2) v += t.shfl_down(v, d);"), IsEmpty());
    EXPECT_THAT(
        found("for (int d = 8; d > 0; d /= 2) v += t.shfl_down(v, d);"),
        ElementsAre("lanes 0-31 in line 6 take from 8 lanes further, but the segments of the shuffle have 8: each "
                    "gets its own value."));
    EXPECT_THAT(found("v += __shfl_up_sync(~0u, v, 32);"), ElementsAre(HasSubstr("32 lanes back")));
    EXPECT_THAT(found("for (int d = 1; d < 32; d *= 2) v += __shfl_up_sync(~0u, v, d);"), IsEmpty());
    EXPECT_THAT(found("v += __shfl_xor_sync(~0u, v, 16);"), IsEmpty());
}

TEST(Orders, MatterForRoundingOnlyWhereNumbersAreCombined) {
    EXPECT_FALSE(may_depend_on_order(
        chosen("__global__ void k(const float* in, float* out, int* count, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[atomicAdd(count, 1)] = in[i];\n}")));
    EXPECT_TRUE(may_depend_on_order(
        chosen("__global__ void k(const float* in, float* out, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(out, in[i]);\n}")));
}

TEST(Names, OfCopiesHoldWhereSizesDiffer) {
    EXPECT_EQ(chosen("__global__ void k(const int* prev, int* cur, int W, int w, int v) {\n"
                     "  int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  if (c <= W) cur[c] = c >= w ? max(prev[c], prev[c - w] + v) : prev[c];\n}")
                  .equals,
              "");
    EXPECT_EQ(
        chosen("__global__ void k(const int* from, int* to, int count, int threads) {\n"
               "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) to[i] = from[i];\n}")
            .equals,
        "a copy of from");
}

TEST(Fractions, AreHalvesAndBoundsApart) {
    const Trace trace = chosen("__global__ void k(float* x, float p, float lo, float hi, float a) {\n"
                               "  int i = threadIdx.x;\n  x[i] = fminf(fmaxf(x[i], lo), hi) * p + a;\n}");
    EXPECT_THAT(trace.chosen, AllOf(Contains("p = 0.5"), Contains("lo = 1"), Contains("hi = 100"), Contains("a = 1")));
}

TEST(Deadlocks, AreTheOnlyMistakeOfAnArrayThatIsReadFirst) {
    const Trace trace = chosen("__global__ void k(const float* L, float* b, int n) {\n  int i = threadIdx.x;\n"
                               "  for (int k = 0; k < n; k++) {\n    if (i == k) b[k] /= L[k * n + k];\n"
                               "    __syncthreads();\n    if (i > k && i < n) {\n      b[i] -= L[i * n + k] * b[k];\n"
                               "      __syncthreads();\n    }\n  }\n}");
    for (const Finding& f : trace.launches.front().findings) {
        EXPECT_NE(f.kind, FindingKind::uninitialised);
    }
    EXPECT_THAT(trace.launches.front().findings, Contains(Field(&Finding::kind, FindingKind::deadlock)));
}

TEST(Reports, SayWhichOfSeveralOutputsHasTheName) {
    const Trace trace = chosen("__global__ void k(const int* in, int* twice, int* other, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) {\n    twice[i] = in[i];\n    other[i] = i * i % 7;\n  }\n}");
    EXPECT_THAT(report_text(trace), HasSubstr("twice equals a copy of in; other is not checked"));
}

} // namespace
} // namespace warptree::tests
