// The totals of a run, against counts of the algorithms.
#include "app/run/kernel_run.hpp"
#include "app/views/totals.hpp"

#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::scene {
namespace {

std::string value(const RunTotals& totals, const std::string& label) {
    const auto found =
        std::find_if(totals.facts.begin(), totals.facts.end(), [&](const Fact& f) { return f.label == label; });
    return found == totals.facts.end() ? "" : found->value;
}

TEST(Totals, AreThoseOfTheAlgorithm) {
    const RunTotals t = totals(tests::trace_of({"sequential", 64, 64}));
    EXPECT_EQ(value(t, "combines"), "63");
    EXPECT_EQ(value(t, "barriers"), "7") << "after the load and after each of six strides";
    EXPECT_EQ(value(t, "sectors loaded"), "8") << "64 ints of 4 bytes in sectors of 32";
    EXPECT_EQ(value(t, "shuffles"), "");
    // 32 + 16 + 8 + 4 + 2 + 1 threads combine, one warp of 32 lanes in each of six steps.
    EXPECT_NE(t.limit.find("warps issue 192 lanes in steps that combine, and 63 combine"), std::string::npos)
        << t.limit;
}

TEST(Totals, SayWhatExceedsItsIdealMost) {
    // At block 1024 the strided index has up to 32 lanes on one bank.
    const RunTotals t = totals(tests::trace_of({"interleaved-strided", 1024, 1024}));
    const auto found =
        std::find_if(t.facts.begin(), t.facts.end(), [](const Fact& f) { return f.label == "wavefronts"; });
    ASSERT_NE(found, t.facts.end());
    EXPECT_TRUE(found->attention);
    EXPECT_NE(t.limit.find("bank conflicts"), std::string::npos) << t.limit;
}

// 64 threads combine once, and then wait forever: there is no result that their sums reach.
TEST(Totals, DoNotPraiseCombinesOfWhichNoneReachesTheResult) {
    const RunTotals t = totals(tests::trace_of({"barrier-in-branch", 1024, 128}));
    ASSERT_FALSE(value(t, "combines").empty());
    EXPECT_EQ(t.limit.find("useless combine"), std::string::npos) << t.limit;
    EXPECT_NE(t.limit.find("no combine reaches the result"), std::string::npos) << t.limit;
}

Trace traced(const std::string& text) {
    RunOptions o;
    o.kernel.text = text;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// 512 products go to one float: a warp that added up its own first would update it 16 times.
TEST(Totals, CountAtomicsOnOneWord) {
    const RunTotals dot = totals(traced("// n: 512\n__global__ void dot(const int* a, const int* b, int* r, int n) {\n"
                                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                        "    if (i < n) atomicAdd(r, a[i] * b[i]);\n}\n"));
    EXPECT_NE(dot.limit.find("atomics: 512 updates where 16 would do if each warp first combined those of one word, "
                             "32 times as many"),
              std::string::npos)
        << dot.limit;
}

// A sector holds eight floats; what lies across one more is no fault.
TEST(Totals, CountSectorsThatHoldWhatNobodyUses) {
    const auto limit = [](const std::string& index) {
        return totals(traced("__global__ void saxpy(float a, const float* x, float* y, int n) {\n"
                             "    int t = blockIdx.x * blockDim.x + threadIdx.x;\n    int i = " +
                             index + ";\n    if (t < n) y[t] = a * x[i] + 1;\n}\n"))
            .limit;
    };
    EXPECT_EQ(
        limit("(t * 8) % n + t * 8 / n"),
        "Most beyond its ideal are sectors of global memory: 1,152 where 256 would hold what is used, 4.5 times as "
        "many.");
    EXPECT_EQ(limit("t + 1"), "");
    EXPECT_EQ(limit("t / 32"), "") << "one sector for all";
}

// Where a branch splits warps, or the lanes that combine are not known, it is not said that none is inactive.
TEST(Totals, DoNotPraiseLanesThatABranchSplits) {
    const auto limit = [](const char* guard) {
        return totals(traced(std::string("__global__ void k(const int* in, int* out, int n) {\n"
                                         "    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];\n    ") +
                             guard + "for (int k = 0; k < 4; k++) v += in[(i + k) % n];\n    out[i] = v;\n}\n"))
            .limit;
    };
    EXPECT_EQ(limit("if (threadIdx.x % 2 == 0) ").find("no inactive lanes"), std::string::npos);
}

} // namespace
} // namespace warptree::scene
