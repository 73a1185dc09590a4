// What a course calls a result, a result that its type does not hold, and how many elements a kernel for one block has.
#include "app/run/judge/expectation.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string report_of(const std::string& text, std::uint64_t n = 0, const std::string& expect = {}) {
    RunOptions o;
    o.kernel.text = text;
    o.kernel.expect = expect;
    if (n != 0) {
        o.n = n;
        o.kernel.n_given = true;
    }
    RunControl control;
    return report_text(runs::run_kernel_file(o, control));
}

TEST(ExpectationName, IsWhatACourseCallsIt) {
    EXPECT_EQ(runs::expectation_name("inclusive scan"), "scan");
    EXPECT_EQ(runs::expectation_name("Prefix Sum"), "scan");
    EXPECT_EQ(runs::expectation_name("exclusive_scan"), "exclusive-scan");
    EXPECT_EQ(runs::expectation_name("Maximum"), "max");
    EXPECT_EQ(runs::expectation_name("dot product"), "dot");
    for (const std::string_view same : {"", "sum", "kernel Other", "softmax(32)", "whatever it is", "file a.npy"}) {
        EXPECT_EQ(runs::expectation_name(same), same);
    }
    EXPECT_TRUE(runs::is_expectation("softmax(32)"));
    EXPECT_FALSE(runs::is_expectation("whatever it is"));
}

constexpr const char* kScan = "__global__ void scan(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                              "    int t = threadIdx.x;\n    s[t] = t < n ? in[t] : 0;\n    __syncthreads();\n"
                              "    for (int d = 1; d < blockDim.x; d *= 2) {\n        int v = t >= d ? s[t - d] : 0;\n"
                              "        __syncthreads();\n        s[t] += v;\n        __syncthreads();\n    }\n";

TEST(ExpectationName, ThatIsUnknownInACommentLetsTheKernelRun) {
    const std::string scan = std::string(kScan) + "    if (t < n) out[t] = s[t];\n}\n";
    EXPECT_THAT(report_of("// expect: Inclusive Scan\n" + scan), HasSubstr("correct: result"));
    EXPECT_THAT(
        report_of("// expect: what we did in class\n" + scan),
        AllOf(HasSubstr("no result is expected, as its comment \"expect: what we did in class\" is none of: sum"),
              HasSubstr("it equals the inclusive scan of in")));
    EXPECT_THROW(report_of(scan, 0, "what we did in class"), OptionError) << "asked for";
}

// Of n elements, each of a thread: n is the program's choice.
TEST(OneBlock, HasAnElementAThread) {
    const std::string inclusive = std::string(kScan) + "    if (t < n) out[t] = s[t];\n}\n";
    EXPECT_THAT(report_of(inclusive, 0, "scan"), AllOf(HasSubstr("n = 256"), HasSubstr("correct: result")));
    EXPECT_THAT(report_of(inclusive, 1024, "scan"), HasSubstr("WRONG")) << "asked for";
    const std::string exclusive = std::string(kScan) + "    if (t < n) out[t] = t > 0 ? s[t - 1] : 0;\n}\n";
    EXPECT_THAT(report_of(exclusive), AllOf(HasSubstr("n = 256"), HasSubstr("it equals the exclusive scan of in")));
}

TEST(Overflow, IsToldOfASumThatItsTypeDoesNotHold) {
    const std::string sum =
        "__global__ void sum(const int* in, int* out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicAdd(out, in[i]);\n}\n";
    // The first 10,000 primes add up to 496,165,411, the first 50,000 to more than 2^31.
    EXPECT_THAT(report_of(sum, 10000, "sum"), AllOf(HasSubstr("correct"), Not(HasSubstr("overflow"))));
    EXPECT_THAT(report_of(sum, 50000, "sum"),
                AllOf(HasSubstr("correct"), HasSubstr("integer overflow (risk): the sum of in is "),
                      HasSubstr("which no int holds: what is stored and compared is the rest, modulo 2^32.")));
}

TEST(PartOfABlock, TellsWhatIsWrongBeforeWhatIsARisk) {
    const std::string text =
        report_of("__global__ void sum(const float* in, float* out, int n) {\n    __shared__ float s[256];\n"
                  "    int t = threadIdx.x, i = blockIdx.x * 256 + t;\n    if (i >= n) return;\n    s[t] = in[i];\n"
                  "    __syncthreads();\n    for (int k = 128; k > 0; k /= 2) {\n        if (t < k) s[t] += s[t + k];\n"
                  "        __syncthreads();\n    }\n    if (t == 0) out[blockIdx.x] = s[0];\n}\n");
    const std::size_t fault = text.find("with elements = 1000 (-n 1000): uninitialised"),
                      risk = text.find("with elements = 1000 (-n 1000): barrier in divergent code (risk)");
    ASSERT_NE(risk, std::string::npos) << text;
    EXPECT_LT(fault, risk);
}

// The elements that a block takes stand in the text: another block would hide what goes past the array.
TEST(ChosenBlock, IsThatOfTheTextThoughAHaloIsTooShort) {
    const std::string text =
        report_of("__global__ void smooth(const float* x, float* y, int n) {\n    __shared__ float s[257];\n"
                  "    int t = threadIdx.x, i = blockIdx.x * 256 + t;\n    s[t + 1] = i < n ? x[i] : 0;\n"
                  "    if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;\n    if (t == 255) s[257] = i + 1 < n ? x[i + 1] : 0;\n"
                  "    __syncthreads();\n    if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2]) / 3;\n}\n");
    EXPECT_THAT(text, AllOf(HasSubstr("block 256"), HasSubstr("thread 255 of block 0 writes s[257] in line 6"),
                            Not(HasSubstr("uninitialised"))));
}

TEST(Expectations, AreOfferedForWhatWasRecognised) {
    EXPECT_EQ(runs::expectation_for("the index of the largest element of in"), "argmax");
    EXPECT_EQ(runs::expectation_for("the sum of in"), "sum");
    EXPECT_EQ(runs::expectation_for("the sum of the magnitudes of x"), "");
    EXPECT_EQ(runs::expectation_for("the inclusive scan of X, block by block"), "block-scan");
    EXPECT_EQ(runs::expectation_for("the exclusive scan of in"), "exclusive-scan");
    EXPECT_EQ(runs::expectation_for("a copy of in"), "");
    for (const char* text :
         {"the max of x", "the dot product of x and y", "the softmax of each row of x", "the mean of x"}) {
        EXPECT_TRUE(runs::is_expectation(runs::expectation_for(text))) << text;
    }
}

} // namespace
} // namespace warptree::tests
