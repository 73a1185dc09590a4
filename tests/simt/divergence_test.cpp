// How lanes diverge and reconverge, and that waiting lanes do not block the others.
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Divergence, LanesPartAndMeetBehindTheIf) {
    const Trace trace = run_text("__global__ void k(int* a, int* b) {\n  int t = threadIdx.x, v;\n"
                                 "  if (t < 10)\n    v = a[t] + 1;\n  else\n    v = a[2 * t];\n  b[t] = v;\n}",
                                 [](RunOptions& o) { o.kernel.arguments["a"] = "iota:64"; });
    const auto loads = requests(trace, AccessKind::global_load);
    ASSERT_THAT(loads, SizeIs(2));
    EXPECT_EQ(loads[0].mask, 0x3FFU);
    EXPECT_EQ(loads[1].mask, 0xFFFFFC00U);
    const auto stores = requests(trace, AccessKind::global_store);
    ASSERT_THAT(stores, SizeIs(1)) << "one request of all lanes: they have met";
    EXPECT_EQ(stores[0].mask, 0xFFFFFFFFU);
    ASSERT_THAT(trace.launches.front().branches, SizeIs(1));
    EXPECT_EQ(trace.launches.front().branches[0].taken | trace.launches.front().branches[0].not_taken, ~0U);
}

TEST(Divergence, LanesLeaveALoopOneByOneAndMeetBehindIt) {
    const Trace trace = run_text("__global__ void k(int* out) {\n  int t = threadIdx.x, v = 0;\n"
                                 "  for (int i = 0; i <= t; ++i)\n    v += i;\n  out[t] = v;\n}");
    const auto out = values<int>(trace, "out");
    for (int t = 0; t < 32; ++t) {
        EXPECT_EQ(out[static_cast<std::size_t>(t)], t * (t + 1) / 2);
    }
    EXPECT_THAT(requests(trace, AccessKind::global_store), SizeIs(1));
}

TEST(Divergence, SwitchesBreaksAndEarlyReturns) {
    const Trace trace =
        run_text("__device__ int f(int t) {\n  switch (t % 4) {\n  case 0: return 5;\n  case 1: t += 7; // "
                 "falls through\n  case 2: t *= 2; break;\n  default: for (;;) if (++t % 10 == 0) return "
                 "t;\n  }\n  return t;\n}\n__global__ void k(int* out) {\n  int t = threadIdx.x;\n"
                 "  if (t == 30) return;\n  out[t] = f(t);\n}",
                 [](RunOptions& o) { o.kernel.arguments["out"] = "zeros:32"; });
    const auto out = values<int>(trace, "out");
    for (int t = 0; t < 32; ++t) {
        int expected = t % 4 == 0 ? 5 : t % 4 == 1 ? (t + 7) * 2 : t % 4 == 2 ? t * 2 : (t / 10 + 1) * 10;
        expected = t == 30 ? 0 : expected;
        EXPECT_EQ(out[static_cast<std::size_t>(t)], expected) << t;
    }
    EXPECT_THAT(kinds(trace), IsEmpty());
}

// Since Volta, the lane that holds the lock makes progress while the others of its warp spin.
TEST(IndependentThreads, ASpinLockBetweenLanesMakesProgress) {
    const Trace trace =
        run_text("__device__ int lock;\n__global__ void k(int* out) {\n"
                 "  bool done = false;\n"
                 "  while (!done)\n    if (atomicCAS(&lock, 0, 1) == 0) {\n"
                 "      *(volatile int*)out = *(volatile int*)out + (int)threadIdx.x; __threadfence();\n"
                 "      atomicExch(&lock, 0); done = true;\n    }\n}",
                 [](RunOptions& o) { o.kernel.arguments["out"] = "zeros:1"; });
    EXPECT_THAT(values<int>(trace, "out"), ElementsAre(31 * 16));
    EXPECT_TRUE(trace.completed());
}

TEST(IndependentThreads, ALaneThatSpinsWaitsForOneOfItsWarp) {
    const Trace trace = run_text("__global__ void k(volatile int* flag, int* out) {\n"
                                 "  if (threadIdx.x == 7)\n    *flag = 1;\n  else\n    while (*flag == 0) {}\n"
                                 "  out[threadIdx.x] = 1;\n}",
                                 [](RunOptions& o) { o.kernel.arguments["flag"] = "zeros:1"; });
    EXPECT_TRUE(trace.completed());
    EXPECT_THAT(values<int>(trace, "out"), testing::Each(1));
}

// Lanes that wait keep their values, whatever the others compute meanwhile, in rows of either width.
TEST(IndependentThreads, LanesThatWaitKeepTheirValues) {
    const Trace trace =
        run_text("__global__ void k(int* out, const int* in) {\n  int t = threadIdx.x;\n  if (t % 2 == 0) {\n"
                 "    __syncwarp();\n    out[t] = in[t] + 1;\n  } else {\n    int a = in[t], b = a * 3, c = b ^ a;\n"
                 "    for (int i = 0; i < a; ++i) { c += b * i; b -= c; }\n    out[t] = a + b - b + c - c;\n  }\n"
                 "  __syncwarp();\n}",
                 [](RunOptions& o) {
                     o.kernel.arguments = {{"out", "zeros:32"}, {"in", "iota:32"}};
                 });
    EXPECT_TRUE(trace.completed());
    const auto out = values<int>(trace, "out");
    for (int t = 0; t < 32; ++t) {
        EXPECT_EQ(out[static_cast<std::size_t>(t)], t % 2 == 0 ? t + 1 : t) << t;
    }
}

TEST(EarlyReturn, LeavesTheOthersTheBarrier) {
    const Trace trace = run_text("__global__ void k(int* out, int n) {\n  int t = threadIdx.x;\n  if (t >= n) return;\n"
                                 "  __syncthreads();\n  out[t] = t;\n}",
                                 [](RunOptions& o) {
                                     o.block = 128;
                                     o.n = 40;
                                 });
    EXPECT_TRUE(trace.completed());
    EXPECT_THAT(kinds(trace), ElementsAre(FindingKind::barrier_divergence));
    EXPECT_EQ(trace.launches.front().findings.front().severity, Severity::risk);
    EXPECT_THAT(values<int>(trace, "out"), SizeIs(40));
}

TEST(Recursion, GoesAsDeepAsItsData) {
    const Trace trace = run_text("__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); "
                                 "}\n__global__ void k(int* out) { out[threadIdx.x] = fib(threadIdx.x % 12); }");
    const auto out = values<int>(trace, "out");
    const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (std::size_t t = 0; t < 32; ++t) {
        EXPECT_EQ(out[t], fib[t % 12]) << t;
    }
}

} // namespace
} // namespace warptree::tests
