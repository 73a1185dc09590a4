// The smallest n and block that go wrong, against what the kernels' texts say.
#include "app/base/error.hpp"
#include "app/run/tries/smallest_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

runs::SmallestFailure smallest(const std::string& combine, const std::string& expect = "sum") {
    RunOptions o;
    o.kernel.text = "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                    "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  s[t] = i < n ? in[i] : 0;\n"
                    "  __syncthreads();\n" +
                    combine + "  if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    o.kernel.expect = expect;
    RunControl control;
    return runs::smallest_failure(o, "256", control);
}

const std::string kHalvingLoop = "  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n"
                                 "    __syncthreads();\n  }\n";

TEST(SmallestFailure, IsNoneOfAKernelThatIsRight) {
    const auto found = smallest(kHalvingLoop);
    EXPECT_EQ(found.reason, "");
    EXPECT_TRUE(found.compared);
    EXPECT_EQ(found.most_n, 4097U);
}

TEST(SmallestFailure, IsTheFirstSizeWhoseElementsAreLost) {
    // The first 32 words alone are added: n = 33 is the first that loses one.
    const auto lost = smallest("  if (t == 0) for (int i = 1; i < 32; ++i) s[0] += s[i];\n");
    EXPECT_EQ(lost.n, 33U);
    EXPECT_TRUE(lost.of_all);
    EXPECT_EQ(lost.block, "64") << "in blocks of 32 threads nothing is lost";
    EXPECT_THAT(lost.reason, testing::HasSubstr("should be"));
    // An odd number of words loses its last one.
    const auto odd = smallest("  for (int k = n; k > 1; k /= 2) {\n    if (t < k / 2) s[t] += s[t + k / 2];\n"
                              "    __syncthreads();\n  }\n");
    EXPECT_EQ(odd.n, 3U);
    EXPECT_EQ(odd.block, "4") << "a block of two has no odd number";
}

TEST(SmallestFailure, HasFewerElementsWhereTheBlockHasFewerThreads) {
    // One block alone: what is beyond its threads is left.
    RunOptions o;
    o.kernel.text =
        "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n  int t = threadIdx.x;\n"
        "  s[t] = t < n ? in[t] : 0;\n  __syncthreads();\n" +
        kHalvingLoop + "  if (t == 0) out[0] = s[0];\n}\n";
    o.kernel.expect = "sum";
    RunControl control;
    const auto found = runs::smallest_failure(o, "256", control);
    EXPECT_EQ(found.n, 2U);
    EXPECT_EQ(found.block, "1");
}

TEST(SmallestFailure, IsOfARaceTheFirstBlockThatHasTwoWarps) {
    const auto race = smallest("  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n"
                               "    __syncwarp();\n  }\n",
                               "none");
    EXPECT_EQ(race.n, 97U) << "the first with an element past 96, which changes what is read";
    EXPECT_FALSE(race.of_all);
    EXPECT_EQ(race.block, "128") << "with 64 threads only the first warp combines";
    EXPECT_FALSE(race.compared);
    EXPECT_THAT(race.reason, testing::HasSubstr("race"));
}

// Written for 64 threads: with fewer it reads what nobody wrote, whatever n is.
TEST(SmallestFailure, KeepsABlockThatTheKernelIsWrittenFor) {
    RunOptions o;
    o.kernel.text =
        "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[64];\n"
        "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n  s[t] = i < n ? in[i] : 0;\n"
        "  __syncthreads();\n  if (t == 0) {\n    int sum = 0;\n    for (int k = 0; k < 64; ++k) sum += s[k];\n"
        "    if (n != 100) out[blockIdx.x] = sum;\n    else out[blockIdx.x] = 1;\n  }\n}\n";
    o.kernel.expect = "sum";
    RunControl control;
    const auto found = runs::smallest_failure(o, "64", control);
    EXPECT_EQ(found.n, 100U);
    EXPECT_EQ(found.block, "64");
    EXPECT_THAT(found.reason, testing::HasSubstr("should be"));
}

TEST(SmallestFailure, IsOfAMissingGuardThoughNothingIsExpected) {
    RunOptions o;
    o.kernel.text = "__global__ void twice(const int* in, int* out, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = 2 * in[i];\n}\n";
    RunControl control;
    const auto found = runs::smallest_failure(o, "256", control);
    EXPECT_EQ(found.n, 1U);
    EXPECT_EQ(found.block, "2");
    EXPECT_THAT(found.reason, testing::HasSubstr("in line 3, but it may have only n elements, here 1"));
}

TEST(SmallestFailure, RefusesWhatDoesNotCompile) { EXPECT_THROW(smallest("  nothing such;\n"), OptionError); }

} // namespace
} // namespace warptree::tests
