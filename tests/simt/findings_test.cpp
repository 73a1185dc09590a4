// The machine's findings, each with a kernel that has the fault and a similar one that does not.
#include "app/run/kernel_source.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <ostream>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Pair {
    const char* name;
    FindingKind kind;
    const char* has;
    const char* has_not;
    unsigned threads = 64;
    const char* grid = "1";
    std::uint32_t line = 3; // of the finding in `has`
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

constexpr Pair kPairs[] = {
    {"RaceShared", FindingKind::race_shared,
     "__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t];\n"
     "  out[t] = s[63 - t];\n}",
     "__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t];\n"
     "  __syncthreads();\n  out[t] = s[63 - t];\n}",
     64, "1", 0}, // either access may come second
    {"RaceSharedWithinAWarp", FindingKind::race_shared,
     "__global__ void k(int* out) {\n  __shared__ int s[32]; int t = threadIdx.x; s[t] = t;\n  out[t] = s[31 - t];\n}",
     "__global__ void k(int* out) {\n  __shared__ int s[32]; int t = threadIdx.x; s[t] = t;\n  __syncwarp();\n"
     "  out[t] = s[31 - t];\n}",
     32},
    {"RaceSharedAcrossAShuffle", FindingKind::race_shared, // a shuffle does not order memory accesses
     "__global__ void k(int* out) {\n  __shared__ int s[32]; int t = threadIdx.x; s[t] = t; int v = "
     "__shfl_xor_sync(~0u, t, 1);\n  out[t] = s[31 - t] + v;\n}",
     "__global__ void k(int* out) {\n  __shared__ int s[32]; int t = threadIdx.x; s[t] = t; __syncwarp(); int v = "
     "__shfl_xor_sync(~0u, t, 1);\n  out[t] = s[31 - t] + v;\n}",
     32},
    {"RaceSharedOfStores", FindingKind::race_shared,
     "__global__ void k(int* out) {\n  __shared__ int s; int t = threadIdx.x;\n  s = t;\n  __syncthreads(); out[t] = "
     "s;\n}",
     "__global__ void k(int* out) {\n  __shared__ int s; int t = threadIdx.x;\n  if (t == 0) s = t;\n  "
     "__syncthreads(); out[t] = s;\n}"},
    {"RaceGlobalWithinABlock", FindingKind::race_global,
     "__global__ void k(int* a, int* out) {\n  int t = threadIdx.x; a[t] = t;\n  out[t] = a[63 - t];\n}",
     "__global__ void k(int* a, int* out) {\n  int t = threadIdx.x; a[t] = t; __syncthreads();\n  out[t] = a[63 - "
     "t];\n}",
     64, "1", 0},
    {"RaceGlobalBetweenBlocks", FindingKind::race_global,
     "__global__ void k(int* total, const int* in) {\n  if (threadIdx.x == 0)\n    total[0] += in[blockIdx.x];\n}",
     "__global__ void k(int* total, const int* in) {\n  if (threadIdx.x == 0)\n    atomicAdd(total, "
     "in[blockIdx.x]);\n}",
     32, "4"},
    {"RaceGlobalWithoutAFence", FindingKind::race_global,
     "__device__ volatile int flag; __global__ void k(int* a, int* out) { int t = threadIdx.x;\n"
     "  if (blockIdx.x == 0) { a[t] = t; __syncthreads(); if (t == 0) flag = 1; }\n"
     "  else { if (t == 0) while (flag == 0) {} __syncthreads(); out[t] = a[t]; }\n}",
     "__device__ volatile int flag; __global__ void k(int* a, int* out) { int t = threadIdx.x;\n"
     "  if (blockIdx.x == 0) { a[t] = t; __threadfence(); __syncthreads(); if (t == 0) flag = 1; }\n"
     "  else { if (t == 0) { while (flag == 0) {} __threadfence(); } __syncthreads(); out[t] = a[t]; }\n}",
     32, "2"},
    {"BarrierDivergence", FindingKind::barrier_divergence,
     "__global__ void k(int* out) {\n  if (threadIdx.x < 40)\n    __syncthreads();\n  out[threadIdx.x] = 1;\n}",
     "__global__ void k(int* out) {\n  if (threadIdx.x < 64)\n    __syncthreads();\n  out[threadIdx.x] = 1;\n}"},
    {"Deadlock", FindingKind::deadlock,
     "__global__ void k(int* out) {\n  if (threadIdx.x < 32)\n    __syncthreads();\n  else while (atomicAdd(out, 0) == "
     "0) {}\n  if (threadIdx.x == 0) atomicAdd(out, 1);\n}",
     "__global__ void k(int* out) {\n  if (threadIdx.x < 32) {\n    if (threadIdx.x == 0) atomicAdd(out, 1);\n  }\n"
     "  else while (atomicAdd(out, 0) == 0) {}\n  __syncthreads();\n}",
     64, "1", 0},
    {"Endless", FindingKind::endless,
     "__global__ void k(int* out) {\n  for (unsigned i = 1; i != 0; i += 2)\n    out[threadIdx.x] = i;\n}",
     "__global__ void k(int* out) {\n  for (unsigned i = 1; i < 999; i += 2)\n    out[threadIdx.x] = i;\n}", 32, "1",
     0},
    {"OutOfBoundsShared", FindingKind::out_of_bounds,
     "__global__ void k(int* out) {\n  __shared__ int s[64];\n  s[threadIdx.x + 1] = 1;\n  out[threadIdx.x] = 0;\n}",
     "__global__ void k(int* out) {\n  __shared__ int s[65];\n  s[threadIdx.x + 1] = 1;\n  out[threadIdx.x] = 0;\n}"},
    {"OutOfBoundsGlobal", FindingKind::out_of_bounds,
     "// arg: in = iota:64\n__global__ void k(const int* in, int* out) {\n  out[threadIdx.x] = in[threadIdx.x + 1];\n}",
     "// arg: in = iota:65\n__global__ void k(const int* in, int* out) {\n  out[threadIdx.x] = in[threadIdx.x + "
     "1];\n}"},
    {"OutOfBoundsBefore", FindingKind::out_of_bounds,
     "__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n  out[t] = in[t - 1];\n}",
     "__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n  out[t] = t ? in[t - 1] : 0;\n}"},
    {"OutOfBoundsLocal", FindingKind::out_of_bounds,
     "__global__ void k(const int* in, int* out, int n) {\n  int a[4] = {1, 2, 3, 4};\n  a[in[0] + 999] = n; out[0] = "
     "a[n - "
     "1];\n}",
     "__global__ void k(const int* in, int* out, int n) {\n  int a[4] = {1, 2, 3, 4};\n  a[in[0] & 3] = n; out[0] = "
     "a[(n - 1) & 3];\n}",
     1},
    {"NullPointer", FindingKind::out_of_bounds,
     "__global__ void k(int* out) {\n  int* p = out; if (threadIdx.x == 3) p = nullptr;\n  p[threadIdx.x] = 1;\n}",
     "__global__ void k(int* out) {\n  int* p = out; if (threadIdx.x == 300) p = nullptr;\n  p[threadIdx.x] = 1;\n}"},
    {"Misaligned", FindingKind::misaligned,
     "__global__ void k(const float* in, float4* out) {\n  int t = threadIdx.x;\n  out[t] = *(const float4*)(in + "
     "t);\n}",
     "__global__ void k(const float* in, float4* out) {\n  int t = threadIdx.x;\n  out[t] = *(const float4*)(in + 4 * "
     "t);\n}"},
    {"UninitialisedShared", FindingKind::uninitialised,
     "__global__ void k(int* out) {\n  __shared__ int s[64]; if (threadIdx.x < 63) s[threadIdx.x] = 1; "
     "__syncthreads();\n  out[threadIdx.x] = s[threadIdx.x];\n}",
     "__global__ void k(int* out) {\n  __shared__ int s[64]; if (threadIdx.x < 64) s[threadIdx.x] = 1; "
     "__syncthreads();\n  out[threadIdx.x] = s[threadIdx.x];\n}"},
    {"BadMask", FindingKind::bad_mask,
     "__global__ void k(int* out) {\n  if (threadIdx.x < 16)\n    out[threadIdx.x] = __shfl_down_sync(0xFF, "
     "threadIdx.x, "
     "1);\n}",
     "__global__ void k(int* out) {\n  if (threadIdx.x < 16)\n    out[threadIdx.x] = __shfl_down_sync(0xFFFF, "
     "threadIdx.x, 1, 16);\n}",
     32},
    {"InactiveLane", FindingKind::inactive_lane,
     "__global__ void k(int* out) {\n  if (threadIdx.x < 16)\n    out[threadIdx.x] = __shfl_down_sync(0xFFFF, "
     "threadIdx.x, 1);\n}",
     "__global__ void k(int* out) {\n  if (threadIdx.x < 16)\n    out[threadIdx.x] = __shfl_xor_sync(0xFFFF, "
     "threadIdx.x, 1);\n}",
     32},
    {"LegacyShuffle", FindingKind::legacy_shuffle,
     "__global__ void k(int* out) {\n  int v = threadIdx.x;\n  out[threadIdx.x] = __shfl_down(v, 1);\n}",
     "__global__ void k(int* out) {\n  int v = threadIdx.x;\n  out[threadIdx.x] = __shfl_down_sync(0xFFFFFFFF, v, "
     "1);\n}"},
    {"Assertion", FindingKind::assertion,
     "#include <cassert>\n__global__ void k(int* out) {\n  assert(threadIdx.x < 63);\n  out[0] = 1;\n}",
     "#include <cassert>\n__global__ void k(int* out) {\n  assert(threadIdx.x < 64);\n  out[0] = 1;\n}"},
    {"Trap", FindingKind::trap, "__global__ void k(int* out) {\n  out[0] = 1;\n  if (threadIdx.x == 40) __trap();\n}",
     "__global__ void k(int* out) {\n  out[0] = 1;\n  if (threadIdx.x == 64) __trap();\n}"},
    {"BadFree", FindingKind::bad_free,
     "__global__ void k(int* out) {\n  int* p = (int*)malloc(16); p[0] = 1; out[threadIdx.x] = p[0];\n  free(p + "
     "1);\n}",
     "__global__ void k(int* out) {\n  int* p = (int*)malloc(16); p[0] = 1; out[threadIdx.x] = p[0];\n  free(p);\n}"},
};

class Findings : public testing::TestWithParam<Pair> {};

Trace run_pair(const Pair& pair, const char* text, unsigned workers = 1) {
    return run_text(text, [&](RunOptions& o) {
        o.block = pair.threads;
        o.n = pair.threads;
        o.kernel.grid = pair.grid;
        o.kernel.most_instructions = 1U << 18;
        o.workers = workers;
    });
}

TEST_P(Findings, AreFoundWhereTheyAre) {
    const Trace trace = run_pair(GetParam(), GetParam().has);
    const Finding* const found = first_of(trace, GetParam().kind);
    ASSERT_NE(found, nullptr) << "found " << kinds(trace).size() << " kinds";
    if (GetParam().line != 0) {
        EXPECT_EQ(found->line.line(), GetParam().line);
    }
    const auto all = kinds(trace);
    EXPECT_EQ(trace.completed(),
              std::none_of(all.begin(), all.end(), [](FindingKind kind) { return ends_the_run(kind); }));
    EXPECT_THAT(sentence(trace, trace.launches.front(), *found), testing::EndsWith("."));
}

TEST_P(Findings, AreNotFoundWhereTheyAreNot) {
    const Trace trace = run_pair(GetParam(), GetParam().has_not);
    std::string all;
    for (const Finding& f : trace.launches.front().findings) {
        if (f.severity == Severity::fault) { // several threads may store the same value
            all += sentence(trace, trace.launches.front(), f) + "\n";
        }
    }
    EXPECT_EQ(all, "");
    EXPECT_TRUE(trace.completed());
}

INSTANTIATE_TEST_SUITE_P(Each, Findings, testing::ValuesIn(kPairs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FindingsOfARace, NameBothSides) {
    const Trace trace = run_pair(kPairs[0], kPairs[0].has);
    const Finding* const race = first_of(trace, FindingKind::race_shared);
    ASSERT_NE(race, nullptr);
    EXPECT_EQ(race->array, "s");
    EXPECT_EQ(race->index, 63 - static_cast<int>(race->writes ? race->other_thread : race->thread));
    EXPECT_NE(race->writes, race->other_writes);
    EXPECT_EQ(race->line.line() + race->other_line.line(), 2 + 3U);
    EXPECT_NE(race->thread / 32, race->other_thread / 32);
}

TEST(FindingsOutOfBounds, NameArrayIndexAndThread) {
    const Trace trace = run_text("// arg: in = iota:40\n__global__ void k(const int* in, int* out) {\n"
                                 "  out[threadIdx.x] = in[2 * threadIdx.x];\n}");
    const Finding* const f = first_of(trace, FindingKind::out_of_bounds);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(sentence(trace, trace.launches.front(), *f), "thread 20 reads in[40] in line 3, but in has 40 elements.");
}

std::string said(const Trace& trace, FindingKind kind) {
    const Finding* const f = first_of(trace, kind);
    return f == nullptr ? "nothing" : sentence(trace, trace.launches.front(), *f);
}

Trace run_two_warps(const char* text) {
    return run_text(text, [](RunOptions& o) { o.block = o.n = 64; });
}

TEST(FindingsInWords, HaveTheWholeSizeOfACopy) {
    EXPECT_EQ(said(run_text("struct Pair { double x, y; };\n__global__ void f(const Pair* in) { "
                            "__builtin_memcpy(nullptr, &in[threadIdx.x], sizeof(Pair)); }"),
                   FindingKind::out_of_bounds),
              "thread 0 writes 16 bytes through an invalid pointer in line 2: a null pointer.");
    EXPECT_EQ(said(run_text("__global__ void f(char* p, int n) {\n  if (n == 32) p = nullptr;\n  memset(p, 1, 100 + "
                            "threadIdx.x);\n}"),
                   FindingKind::out_of_bounds),
              "thread 0 writes 100 bytes through an invalid pointer in line 3: a null pointer.");
    EXPECT_EQ(said(run_text("__device__ float* y;\n__global__ void f(float* out) { out[0] = y[2]; }"),
                   FindingKind::out_of_bounds),
              "thread 0 reads 4 bytes through an invalid pointer in line 2: 8 bytes past a null pointer.");
}

TEST(FindingsInWords, CallTheLimitOfGrowthSo) {
    const Trace trace = run_text("__global__ void f(const int* far, int* out) {\n"
                                 "  out[threadIdx.x] = far[8388600 + threadIdx.x];\n}");
    EXPECT_EQ(
        said(trace, FindingKind::growth_limit),
        "thread 8 reads far[8388608] in line 2: an array of unstated size grows to at most 8388608 elements here; "
        "state the size, as in --arg far=8388609.");
    EXPECT_EQ(title(FindingKind::growth_limit), "limit of growth");
    EXPECT_TRUE(run_text("__global__ void f(const int* far, int* out) {\n"
                         "  out[threadIdx.x] = far[8388600 + threadIdx.x];\n}",
                         [](RunOptions& o) { o.kernel.arguments["far"] = "8388632"; })
                    .completed());
}

TEST(FindingsInWords, GiveScalarsNoIndex) {
    EXPECT_THAT(said(run_two_warps("__global__ void f(int* out) {\n  __shared__ int n;\n  n = threadIdx.x;\n"
                                   "  __syncthreads();\n  out[threadIdx.x] = n;\n}"),
                     FindingKind::race_shared),
                testing::MatchesRegex("thread [0-9]+ writes n in line 3;.*"));
    EXPECT_THAT(said(run_two_warps("__device__ int count;\n__global__ void f(const int* in) {\n"
                                   "  count = in[threadIdx.x];\n}"),
                     FindingKind::race_global),
                testing::MatchesRegex("thread [0-9]+ writes count in line 3;.*"));
    EXPECT_THAT(said(run_text("__global__ void f(int* one) {\n  one[0] = threadIdx.x;\n}",
                              [](RunOptions& o) { o.kernel.arguments["one"] = "zeros:1"; }),
                     FindingKind::race_global),
                testing::MatchesRegex("thread [0-9]+ writes one\\[0\\] in line 2;.*"));
}

TEST(FindingsInWords, NameTheRemedyThatMends) {
    const std::string update = "an atomic operation keeps both";
    EXPECT_THAT(
        said(run_two_warps("__global__ void f(const int* a, int* out) {\n  out[0] = out[0] + a[threadIdx.x];\n}"),
             FindingKind::race_global),
        HasSubstr(update));
    EXPECT_THAT(said(run_two_warps("__global__ void f(const int* a, int* out) {\n  __shared__ int s;\n"
                                   "  if (threadIdx.x == 0) s = 0;\n  __syncthreads();\n  s += a[threadIdx.x];\n"
                                   "  __syncthreads();\n  out[threadIdx.x] = s;\n}"),
                     FindingKind::race_shared),
                HasSubstr(update));
    EXPECT_THAT(said(run_two_warps("__global__ void f(int* out) {\n  __shared__ int s;\n  s = threadIdx.x;\n"
                                   "  __syncthreads();\n  out[threadIdx.x] = s;\n}"),
                     FindingKind::race_shared),
                HasSubstr("only one thread may write it"));
    // A step of a tree wants order.
    EXPECT_THAT(said(run_two_warps("__global__ void f(const int* a, int* out) {\n  __shared__ int s[64];\n"
                                   "  s[threadIdx.x] = a[threadIdx.x];\n  for (int d = 32; d > 0; d /= 2)\n"
                                   "    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n"
                                   "  if (threadIdx.x == 0) out[0] = s[0];\n}"),
                     FindingKind::race_shared),
                HasSubstr("no __syncthreads orders the two"));
}

// A lock does keep the updates apart: it is fences that it lacks, before or after what it protects, or both.
TEST(FindingsInWords, WantFencesAroundWhatALockProtects) {
    for (const char* const release : {"", "__threadfence();"}) {
        const std::string text = std::string("__device__ int lock;\n__global__ void f(int* out) {\n"
                                             "  if (threadIdx.x % 32 == 0) {\n"
                                             "    while (atomicCAS(&lock, 0, 1) != 0) {}\n"
                                             "    out[0] += 1;\n    ") +
                                 release + "\n    atomicExch(&lock, 0);\n  }\n}";
        const Trace trace = run_two_warps(text.c_str());
        ASSERT_FALSE(trace.launches.front().findings.empty());
        for (const Finding& f : trace.launches.front().findings) {
            EXPECT_THAT(sentence(trace, trace.launches.front(), f), HasSubstr("a __threadfence() is missing"))
                << release;
        }
    }
    EXPECT_THAT(said(run_two_warps("__global__ void f(int* out) {\n  if (threadIdx.x % 32 == 0) out[0] += 1;\n}"),
                     FindingKind::race_global),
                HasSubstr("an atomic operation keeps both"));
}

// Within a warp and between two: the latter spoils the result on today's GPUs.
TEST(FindingsInWords, TellThePairOfDifferentWarpsFirst) {
    const Trace trace = run_two_warps("__global__ void f(const int* in, int* out) {\n  __shared__ int s[64];\n"
                                      "  s[threadIdx.x] = in[threadIdx.x];\n"
                                      "  out[threadIdx.x] = s[(threadIdx.x + 1) % 64];\n}");
    const auto& findings = trace.launches.front().findings;
    const auto race = std::find_if(findings.begin(), findings.end(),
                                   [](const Finding& f) { return f.kind == FindingKind::race_shared; });
    ASSERT_NE(race, findings.end());
    EXPECT_NE(race->thread / 32, race->other_thread / 32);
    EXPECT_THAT(sentence(trace, trace.launches.front(), *race),
                testing::AllOf(HasSubstr("of another warp"), HasSubstr("no __syncthreads orders the two")));
}

TEST(FindingsInWords, SayWhoWritesLater) {
    EXPECT_EQ(said(run_two_warps("__global__ void f(int* out) {\n  __shared__ int s[64];\n"
                                 "  out[threadIdx.x] = s[0];\n  __syncthreads();\n  s[threadIdx.x] = 1;\n"
                                 "  __syncthreads();\n  out[threadIdx.x] += s[threadIdx.x];\n}"),
                   FindingKind::uninitialised),
              "thread 0 reads s[0] in line 3, which is not yet written: it writes it later, in line 5.");
    EXPECT_EQ(said(run_two_warps("__global__ void f(int* out) {\n  __shared__ int s[64];\n"
                                 "  out[threadIdx.x] = s[63 - threadIdx.x];\n}"),
                   FindingKind::uninitialised),
              "thread 0 reads s[63] in line 3, which nothing has written before.");
}

TEST(FindingsInWords, HaveNoStrayComma) {
    EXPECT_THAT(said(run_text("__global__ void f(int* a) {\n  a[0] = blockIdx.x;\n}",
                              [](RunOptions& o) {
                                  o.kernel.grid = "2";
                                  o.block = 1;
                              }),
                     FindingKind::race_global),
                HasSubstr("thread 0 of block 0 writes it in that line"));
}

TEST(FindingsInWords, ACalledFunctionWithoutABodyIsRefused) {
    const char* const text = "__device__ int weight(int i);\n__global__ void f(int* a) {\n"
                             "  a[threadIdx.x] = weight(threadIdx.x);\n}\n__global__ void g(int* a) { a[0] = 1; }";
    try {
        run_text(text);
        ADD_FAILURE() << "it runs";
    } catch (const runs::SourceError& e) {
        EXPECT_STREQ(e.what(), "kernel.cu:3:20: error: weight(int) is declared but not defined");
    }
    EXPECT_TRUE(run_text(text, [](RunOptions& o) { o.kernel.kernel = "g"; }).completed());
}

// Blocks run on several cores, and the findings are the same.
TEST(FindingsOfManyBlocks, AreTheSameWhateverTheWorkers) {
    const char* const text = "__global__ void k(const int* in, int* out) {\n  __shared__ int s[64];\n"
                             "  int i = blockIdx.x * 64 + threadIdx.x; s[threadIdx.x] = in[i];\n"
                             "  out[i] = s[63 - threadIdx.x];\n}";
    const auto run = [&](unsigned workers) {
        return run_text(text,
                        [&](RunOptions& o) {
                            o.block = 64;
                            o.n = 4096;
                            o.kernel.grid = "64";
                            o.workers = workers;
                        })
            .launches.front()
            .findings;
    };
    const auto one = run(1);
    ASSERT_THAT(one, testing::Not(IsEmpty()));
    EXPECT_EQ(one.front().times, 64 * 32U); // warp 1 stores what warp 0 has read, one word per thread
    EXPECT_EQ(run(2), one);
    EXPECT_EQ(run(4), one);
}

std::vector<std::string> told(const Trace& trace) {
    std::vector<std::string> all;
    for (const Finding& f : trace.launches.front().findings) {
        all.push_back(sentence(trace, trace.launches.front(), f));
    }
    return all;
}

TEST(LocalArrays, EndWhereTheirElementsDo) {
    const auto run = [](const std::string& body) {
        return told(run_text("__device__ void fill(int* a, int n) { for (int k = 0; k < n; ++k) a[k] = k; }\n"
                             "__global__ void k(const int* in, int* out) {\n  " +
                             body + "\n}\n"));
    };
    EXPECT_THAT(
        run("int v[8], w[8]; for (int k = 0; k <= 8; ++k) { v[k] = in[k]; w[k] = k; } out[threadIdx.x] = v[3] + w[2];"),
        ElementsAre(HasSubstr("thread 0 writes v[8] in line 3, but v has 8 elements")));
    EXPECT_THAT(
        run("int v[8], w[8]; for (int k = 0; k < 8; ++k) { v[k] = in[k]; w[k] = k; } out[threadIdx.x] = v[3] + w[2];"),
        IsEmpty());
    EXPECT_THAT(
        run("float w[3] = {1, 2, 1}; float s = 0; for (int k = -1; k <= 1; ++k) s += w[k]; out[threadIdx.x] = s;"),
        ElementsAre(HasSubstr("thread 0 reads w[-1] in line 3, but that is before its first element")));
    EXPECT_THAT(run("double m[2][3]; for (int k = 0; k < 7; ++k) m[k / 3][k % 3] = in[k]; out[threadIdx.x] = m[1][1];"),
                ElementsAre(HasSubstr("thread 0 writes m[6] in line 3, but m has 6 elements")));
    EXPECT_THAT(run("int v[4], x = 7; fill(v, 4); fill(&x, 1); out[threadIdx.x] = v[in[0] & 3] + x;"), IsEmpty());
    EXPECT_THAT(run("struct { int a[2]; int b; } s[4]; for (int k = 0; k < 4; ++k) s[k].b = s[k].a[1] = in[k];\n"
                    "  out[threadIdx.x] = s[in[0] & 3].b;"),
                IsEmpty());
}

TEST(OutOfBounds, NamesWhatComesBeforeTheFirstElement) {
    EXPECT_THAT(told(run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int s[4][8];\n"
                              "  int t = threadIdx.x;\n  s[t / 8][t % 8] = in[t];\n  __syncthreads();\n"
                              "  out[t] = s[t / 8][t % 8 - 1];\n}\n")),
                ElementsAre(HasSubstr("thread 0 reads s[-1][7] in line 6, but that is before its first element")));
    EXPECT_THAT(
        told(chosen("__global__ void k(const int* in, int* out, unsigned n) {\n"
                    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    int s = 0;\n"
                    "    for (unsigned j = i; j >= 0 && i - j < 4; j--) s += in[j];\n    out[i] = s;\n  }\n}\n")),
        ElementsAre(HasSubstr("reads in[4294967295] in line 5, but its index is -1 as an unsigned number: it was "
                              "counted below 0")));
}

// What is read too early, or overwritten, is lost by a missing barrier, also where each side changes what it read.
TEST(LostChanges, AreMendedByABarrierWhereOthersReadThem) {
    const auto run = [](const std::string& body) {
        return told(
            run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int s[256]; __shared__ float m;\n"
                     "  int t = threadIdx.x;\n  s[t] = in[t]; if (t == 0) m = 0;\n  __syncthreads();\n" +
                         body + "\n}\n",
                     [](RunOptions& o) { o.block = 256; }));
    };
    const auto barrier = AllOf(HasSubstr("of another warp"), HasSubstr("no __syncthreads orders the two"));
    EXPECT_THAT(run("  for (int k = 1; k < 256; k *= 2) { int j = 2 * k * t; if (j < 256) s[j] += s[j + k]; }\n"
                    "  __syncthreads();\n  if (t == 0) out[0] = s[0];"),
                ElementsAre(barrier));
    EXPECT_THAT(run("  s[in[t] & 3]++;\n  __syncthreads();\n  out[t] = s[t];"),
                Each(HasSubstr("an atomic operation keeps both")));
    EXPECT_THAT(run("  if (t == 0) { for (int k = 0; k < 256; ++k) m += in[k]; } out[t] = in[t] - m;"), Each(barrier));
}

// What other blocks had stored when one ended the run is chance, and not kept.
TEST(EndedRun, IsTheSameEveryTime) {
    const auto run = [] {
        return chosen(
            "__global__ void k(const int* a, int* b, int n) {\n  __shared__ int s[256];\n"
            "  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n  s[t] = i < n ? a[i] : 0;\n  __syncthreads();\n"
            "  if (i < n) b[i] = s[t] + s[t + 1];\n}\n");
    };
    const Trace first = run();
    EXPECT_THAT(kinds(first), testing::Contains(FindingKind::out_of_bounds));
    EXPECT_THAT(first.outputs, IsEmpty());
    for (int again = 0; again < 12; ++again) {
        ASSERT_TRUE(run() == first) << again;
    }
}

TEST(BarrierInABranch, LeavesNoStepForEveryTurn) {
    const Trace trace =
        run_text("__global__ void sort(int* a) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = a[t];\n"
                 "  __syncthreads();\n  for (int k = 2; k <= 64; k *= 2) for (int j = k / 2; j > 0; j /= 2) {\n"
                 "    int o = t ^ j;\n    if (o > t) {\n      if ((s[t] > s[o]) == ((t & k) == 0)) {\n"
                 "        int x = s[t]; s[t] = s[o]; s[o] = x;\n      }\n      __syncthreads();\n    }\n  }\n"
                 "  a[t] = s[t];\n}\n",
                 [](RunOptions& o) { o.block = 64; });
    EXPECT_THAT(kinds(trace), testing::Contains(FindingKind::barrier_divergence));
    EXPECT_LT(trace.launches.front().steps.size(), 80U) << "the turns of lanes that are apart are not told apart";
}

} // namespace
} // namespace warptree::tests
