// What the bar says of a run, in the order of what matters.
#include "app/run/kernel_run.hpp"
#include "app/views/verdict.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warptree::scene {
namespace {

using Mark = RunVerdict::Mark;

RunVerdict of(const std::string& load, std::uint64_t n = 0) {
    RunOptions o;
    o.kernel.text = "__global__ void sum(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                    "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n    " +
                    load +
                    "\n    for (int d = 128; d > 0; d /= 2) {\n        __syncthreads();\n"
                    "        if (t < d) s[t] += s[t + d];\n    }\n    if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    if (n != 0) {
        ask_for_elements(o, n);
    }
    RunControl control;
    return verdict(runs::run_kernel_file(o, control));
}

TEST(Verdict, SaysWhatAnotherLaunchFinds) {
    const RunVerdict right = of("s[t] = i < n ? in[i] : 0;");
    EXPECT_EQ(right.text, "not checked: it is the sum of in, from 4 partial results");
    EXPECT_EQ(right.mark, Mark::unchecked);
    const RunVerdict unguarded = of("s[t] = in[i];");
    EXPECT_EQ(unguarded.text,
              "out of bounds (risk) with n = 1000 · not checked: it is the sum of in, from 4 partial results");
    EXPECT_EQ(unguarded.mark, Mark::risk);
    EXPECT_EQ(of("s[t] = in[i];", 1000).text, "not checked: it is the sum of in[0..1023], from 4 partial results · "
                                              "out of bounds (risk)");
    const RunVerdict unwritten = of("if (i < n) s[t] = in[i];");
    EXPECT_TRUE(unwritten.text.starts_with("uninitialised with n = 1000 · not checked")) << unwritten.text;
}

TEST(Verdict, IsSilentOfLaunchesThatShowLess) {
    RunOptions o;
    o.kernel.text = "__global__ void count(const int* x, int* h, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) h[x[i]]++;\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    ASSERT_FALSE(trace.tried.empty()) << "with primes nothing races";
    EXPECT_EQ(verdict(trace).text, "2 races · not checked");
}

} // namespace
} // namespace warptree::scene
