// Launches that were tried beside the one shown, asked for by what is said of them.
#include "app/run/kernel_run.hpp"
#include "app/run/tries/other_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

Trace run(const RunOptions& o) {
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// What is said of another launch is what that launch shows.
TEST(OtherLaunch, ShowsWhatIsSaidOfIt) {
    RunOptions o;
    o.kernel.text = "__global__ void scale(const int* a, int* b, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i <= n) b[i] = 2 * a[i];\n}\n";
    const Trace fewer = run(o);
    ASSERT_EQ(fewer.tried.size(), 1U);
    EXPECT_EQ(fewer.tried.front().with, "elements = 1000");
    const auto with = runs::launched_so(o, fewer, fewer.tried.front());
    ASSERT_TRUE(with.has_value());
    const Trace shown = run(*with);
    EXPECT_EQ(shown.options.n, 1000U);
    ASSERT_EQ(shown.launches.front().findings.size(), 1U);
    EXPECT_EQ(shown.launches.front().findings.front().kind, FindingKind::out_of_bounds);

    o.kernel.text = "__global__ void total(const int* data, int* result, int n) {\n  __shared__ int buf[128];\n"
                    "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  buf[t] = i < n ? data[i] : 0;\n"
                    "  __syncthreads();\n  if (t == 0) result[blockIdx.x] = buf[0] + buf[1];\n}\n";
    const Trace smaller = run(o);
    if (!smaller.tried.empty()) {
        EXPECT_EQ(smaller.tried.front().with, "256 threads");
        const auto wide = runs::launched_so(o, smaller, smaller.tried.front());
        ASSERT_TRUE(wide.has_value());
        EXPECT_EQ(wide->kernel.block, "256");
    }
}

TEST(OtherLaunch, IsReadFromItsWords) {
    Trace trace;
    trace.arguments = {{"in", "const int*", "primes", 1024, true}, {"n", "int", "1024", 0, true}};
    const auto of = [&](const std::string& with) {
        OtherLaunch tried;
        tried.with = with;
        return runs::launched_so({}, trace, tried);
    };
    EXPECT_EQ(of("16 \u00d7 8 threads, 96 bytes of shared memory")->kernel.block, "16,8");
    EXPECT_EQ(of("16 \u00d7 8 threads, 96 bytes of shared memory")->kernel.shared, "96");
    EXPECT_EQ(of("in = negative, elements = 1012")->kernel.arguments.at("in"), "negative");
    EXPECT_EQ(of("in = negative, elements = 1012")->n, 1012U);
    EXPECT_EQ(of("100 elements in in")->kernel.arguments.at("in"), "primes:100");
    EXPECT_EQ(of("n = 7")->kernel.arguments.at("n"), "7") << "the kernel's own";
    for (const char* const with : {"", "other = 7", "many threads", "x elements in in", "in", "elements = all"}) {
        EXPECT_FALSE(of(with).has_value()) << with;
    }
}

} // namespace
} // namespace warptree::tests
