// What an edit changed, in words.
#include "app/views/changes.hpp"

#include "tests/support/kernel_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warptree::scene {
namespace {

std::string sum(const std::string& barrier) {
    return "__global__ void sum(const int* in, int* out) {\n    __shared__ int s[64];\n    int t = threadIdx.x;\n"
           "    s[t] = in[t];\n    __syncthreads();\n    for (int d = 32; d > 0; d /= 2) {\n"
           "        if (t < d) s[t] += s[t + d];\n        " +
           barrier + "\n    }\n    if (t == 0) out[0] = s[0];\n}\n";
}

Trace run(const std::string& text) {
    return tests::run_text(text, [](RunOptions& o) { o.n = o.block.emplace(64); });
}

TEST(Changes, SayWhatIsFoundAndCounted) {
    const Trace racy = run(sum("")), right = run(sum("__syncthreads();"));
    ASSERT_FALSE(racy.launches[0].findings.empty());
    const std::string mended = what_changed(racy, right);
    EXPECT_TRUE(mended.starts_with("racing accesses: ")) << mended;
    EXPECT_NE(mended.find(", now none"), std::string::npos) << mended;
    EXPECT_NE(mended.find("barriers: 1, now 7"), std::string::npos) << mended;
    const std::string broken = what_changed(right, racy);
    EXPECT_NE(broken.find("racing accesses: none, now "), std::string::npos) << broken;
    EXPECT_NE(broken.find("barriers: 7, now 1"), std::string::npos) << broken;
}

TEST(Changes, SayTheFirstElementThatDiffers) {
    const std::string twice = "__global__ void k(const int* in, int* out) {\n    int t = threadIdx.x;\n"
                              "    out[t] = t < 3 ? in[t] : 2 * in[t];\n}\n";
    std::string other = twice;
    other.replace(other.find("2 *"), 1, "3");
    EXPECT_EQ(what_changed(run(twice), run(other)), "out[3]: 6, now 9");
    EXPECT_EQ(what_changed(run(twice), run(twice + "\n")), "nothing that is counted");
}

// Of a program that fails its leaks are not told; that one that ends well has them is then no change.
TEST(Changes, SayNothingOfLeaksThatWereNotTold) {
    Trace failed, right;
    Finding leak;
    leak.kind = FindingKind::leak;
    leak.severity = Severity::risk;
    failed.program.exit = 1;
    right.program.findings.push_back(leak);
    EXPECT_EQ(what_changed(failed, right), "exit code: 1, now 0");
    failed.program.exit = 0;
    EXPECT_EQ(what_changed(failed, right), "leak (risk): none, now once");
}

} // namespace
} // namespace warptree::scene
