// Which accesses belong to which step.
#include "app/catalogue/catalogue.hpp"
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/run/exhibit_run.hpp"
#include "tests/support/kernel_text.hpp"

#include <gtest/gtest.h>

namespace warptree {
namespace {

// The last warp's first load, which it keeps in a register, belongs to its first step and not to the one before.
TEST(Steps, TheLastWarpLoadsInItsOwn) {
    for (const char* id : {"unroll-last-warp", "unroll-complete", "multiple-adds", "missing-syncwarp"}) {
        RunOptions o = cpu(id, 3 * 256);
        o.block = 128;
        o.window = {0, 3};
        const Launch l = runs::run_any(o).launches.front();
        ASSERT_EQ(l.grid, 3U) << id;
        const Counters &several = l.steps[step(l, "s = 64")].counters, &last = l.steps[step(l, "s = 32")].counters;
        EXPECT_EQ(several.shared_load_requests, 3U * 2 * 2) << id << ": two warps, two operands";
        EXPECT_EQ(last.shared_load_requests, 3U * 2) << id;
        EXPECT_EQ(l.steps[step(l, "s = 16")].counters.shared_load_requests, 3U)
            << id << ": one operand is in a register";
    }
    for (const std::uint32_t block : {2U, 8U, 32U, 64U}) { // the last warp has no step before
        RunOptions o = cpu("unroll-complete", 2 * block);
        o.block = block;
        const Launch l = runs::run_any(o).launches.front();
        EXPECT_EQ(l.steps[0].counters.shared_load_requests, 0U) << block;
        EXPECT_EQ(l.steps[1].counters.shared_load_requests, 2U) << block;
    }
}

// Warp 1 of block 2 ends the run where it loads, while warp 0, which has loaded, waits at the barrier: for what all warps of
// the blocks before did in the step of loading.
TEST(Steps, LoadsBeforeABarrierThatNeverCompletesAreNoneOfItsIteration) {
    const Trace trace = tests::run_text("__global__ void k(const int* a, int* c, int n) {\n"
                                        "    __shared__ int s[64];\n    int t = threadIdx.x, sum = 0;\n"
                                        "    for (int k = 0; k < 2; ++k) {\n"
                                        "        s[t] = a[blockIdx.x * 128 + k * 64 + t];\n"
                                        "        __syncthreads();\n"
                                        "        for (int i = 0; i < 64; ++i)\n            sum += s[i];\n"
                                        "        __syncthreads();\n    }\n"
                                        "    c[blockIdx.x * 64 + t] = sum;\n}\n",
                                        [](RunOptions& o) {
                                            o.block = 64;
                                            o.kernel.grid = "3";
                                            o.kernel.arguments["a"] = "iota:288";
                                        });
    const Launch& l = trace.launches.front();
    ASSERT_EQ(l.findings.size(), 1U);
    EXPECT_EQ(l.findings[0].kind, FindingKind::out_of_bounds);
    EXPECT_EQ(l.findings[0].block, 2U);
    EXPECT_EQ(l.findings[0].thread, 32U);
    EXPECT_EQ(l.steps[l.findings[0].step].label, "load");
    const Counters &load = l.steps[step(l, "load")].counters, &first = l.steps[step(l, "k = 0")].counters;
    EXPECT_EQ(load.active_threads, 64U + 64 + 32);
    EXPECT_EQ(first.active_threads, 64U + 64);
    EXPECT_EQ(first.global_load_requests, 0U);
}

// Of block 1 the threads 36 to 63 end before they write s[36] to s[63]: threads 4 to 31 add what nothing has written, and take the
// same path as the others.
TEST(Steps, LanesThatAddWhatNothingHasWrittenAreAtWork) {
    const Trace trace = tests::run_text("__global__ void k(const int* in, int* out, int n) {\n"
                                        "    __shared__ int s[64];\n"
                                        "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                                        "    if (i >= n) return;\n    s[t] = in[i];\n    __syncthreads();\n"
                                        "    for (int d = 32; d > 0; d /= 2) {\n"
                                        "        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }\n"
                                        "    if (t == 0) out[blockIdx.x] = s[0];\n}\n",
                                        [](RunOptions& o) {
                                            o.n = 100;
                                            o.block = 64;
                                            o.kernel.grid = "2";
                                        });
    const Launch& l = trace.launches.front();
    const Counters& c = l.steps[step(l, "d = 32")].counters;
    EXPECT_EQ(c.active_threads, 64U);
    EXPECT_EQ(c.active_warps, 2U);
    EXPECT_EQ(c.divergent_warps, 0U);
    EXPECT_EQ(c.combines, 32U + 4);
}

// What the lessons say of steps holds in the runs that open beside them.
TEST(Steps, AreAsTheLessonsSay) {
    const StrategyInfo& matmul = require_strategy("tiled-matmul");
    EXPECT_NE(matmul.lesson.find("Step first = p is the compute phase of the tiles that begin at p"), std::string::npos)
        << matmul.lesson;
    const Launch product = runs::run_any(exhibit("tiled-matmul", 32, 256)).launches.front();
    for (const char* label : {"first = 0", "first = 16"}) { // 32 elements in tiles of 16
        EXPECT_NE(product.steps[step(product, label)].counters.combines, 0U) << label;
    }
    // Of two warps the second has no thread whose index is a multiple of 64, and is idle in the last step.
    const StrategyInfo& modulo = require_strategy("interleaved-modulo");
    EXPECT_NE(modulo.lesson.find("every warp that adds has inactive lanes from the first step"), std::string::npos)
        << modulo.lesson;
    RunOptions o = cpu("interleaved-modulo", 64);
    o.block = 64;
    const Launch l = runs::run_any(o).launches.front();
    for (const char* label : {"s = 1", "s = 2", "s = 4", "s = 8", "s = 16", "s = 32"}) {
        const Counters& c = l.steps[step(l, label)].counters;
        EXPECT_EQ(c.active_warps, label == std::string("s = 32") ? 1U : 2U) << label;
        EXPECT_EQ(c.divergent_warps, c.active_warps) << label;
    }
}

} // namespace
} // namespace warptree
