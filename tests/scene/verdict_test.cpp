// What the bar says of a run, in the order of what matters.
#include "app/run/kernel_run.hpp"
#include "app/views/verdict.hpp"
#include "tests/support/kernel_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(Verdict, IsShortenedByItsParts) {
    const auto shortened = [](const std::string& text, std::size_t most) {
        return in_parts(text, [most](const std::string& shown) { return shown.size() <= most; });
    };
    const std::string risk = "out of bounds (risk) with w = 32, h = 64 · not checked";
    EXPECT_EQ(shortened(risk, 100), risk);
    EXPECT_EQ(shortened(risk, 50), "out of bounds (risk) with w = 32, h = 64");
    EXPECT_EQ(shortened(risk, 38), "out of bounds (risk) with w = 32 …");
    EXPECT_EQ(shortened(risk, 30), "out of bounds (risk)");
    EXPECT_EQ(shortened(risk, 15), "out of bounds");
    EXPECT_EQ(shortened(risk, 5), "");
    const std::string name = "not checked: it is the correlation of N and M, with zeros at the ends";
    EXPECT_EQ(shortened(name, 62), "not checked: it is the correlation of N and M …");
    EXPECT_EQ(shortened(name, 40), "not checked");
    EXPECT_EQ(shortened("wrong: 5, expected 6 · leak (risk)", 12), "wrong: 5 …");
    EXPECT_EQ(shortened("wrong: 5, expected 6 · leak (risk)", 6), "wrong");
}

TEST(Verdict, SaysWhatAnotherLaunchFinds) {
    const RunVerdict right = of("s[t] = i < n ? in[i] : 0;");
    EXPECT_EQ(right.text, "not checked: it is the sum of in, from 4 partial results");
    EXPECT_EQ(right.mark, Mark::unchecked);
    const RunVerdict unguarded = of("s[t] = in[i];");
    EXPECT_EQ(unguarded.text,
              "out of bounds (risk) with elements = 1000 · not checked: it is the sum of in, from 4 partial results");
    EXPECT_EQ(unguarded.mark, Mark::risk);
    EXPECT_EQ(of("s[t] = in[i];", 1000).text, "not checked: it is the sum of in[0..1023], from 4 partial results · "
                                              "out of bounds (risk)");
    const RunVerdict unwritten = of("if (i < n) s[t] = in[i];");
    EXPECT_TRUE(unwritten.text.starts_with("uninitialised with elements = 1000 · not checked: it is the sum"))
        << unwritten.text;
}

TEST(Verdict, IsSilentOfLaunchesThatShowLess) {
    RunOptions o;
    o.kernel.text = "__global__ void count(const int* x, int* h, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) h[x[i]]++;\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    ASSERT_FALSE(trace.tried.empty()) << "with primes nothing races";
    EXPECT_EQ(verdict(trace).text, "1 race · not checked");
}

// A program that ended by itself is judged by its last line: by the word, what denies it, and what it counts.
TEST(Verdict, ReadsWhatAProgramSaysOfItself) {
    const auto says = [](const char* line) {
        Trace trace;
        trace.program.entry = "main";
        trace.program.printed = std::string("Vector size: 4096\n") + line + "\n";
        return verdict(trace).mark;
    };
    for (const char* line :
         {"TEST PASS", "PASSED", "Results are correct", "0 of 1000 are wrong", "0 wrong", "errors: 0 (n = 1000)",
          "errors = 0", "no errors", "There were no mismatches", "Success!", "ok", "failed: 0, passed: 12"}) {
        EXPECT_EQ(says(line), Mark::right) << line;
    }
    for (const char* line : {"TEST FAIL", "FAILED", "3 of 1000 are wrong", "1000 wrong", "errors: 3",
                             "Results are not correct", "do not match", "Error: out of memory", "mismatch at 0: 3 != 4",
                             "wrong at element 0", "10 errors, 0 warnings"}) {
        EXPECT_EQ(says(line), Mark::wrong) << line;
    }
    for (const char* line : {"sum = 499500", "max error 0.000001", "Error: 1e-7", "", "no mistakes, 0"}) {
        EXPECT_EQ(says(line), Mark::unchecked) << line;
    }
}

// What is right of an n that was chosen is held against one whose last block is not full.
TEST(Verdict, AResultThatIsExpectedIsCheckedOfAPartOfABlock) {
    const auto expecting_a_sum = [](const std::string& turns) {
        RunOptions o;
        o.kernel.text = "__global__ void sum(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                        "    int t = threadIdx.x, v = 0;\n" +
                        turns +
                        "    s[t] = v;\n    for (int d = 128; d > 0; d /= 2) {\n        __syncthreads();\n"
                        "        if (t < d) s[t] += s[t + d];\n    }\n    if (t == 0) out[0] = s[0];\n}\n";
        o.kernel.expect = "sum";
        RunControl control;
        return verdict(runs::run_kernel_file(o, control));
    };
    const RunVerdict some = expecting_a_sum("    for (int k = 0; k < n / 256; k++) v += in[k * 256 + t];\n");
    EXPECT_EQ(some.mark, Mark::risk) << some.text;
    EXPECT_TRUE(some.text.starts_with("wrong with elements = 1000 · right: ")) << some.text;
    const RunVerdict all = expecting_a_sum("    for (int i = t; i < n; i += 256) v += in[i];\n");
    EXPECT_EQ(all.mark, Mark::right) << all.text;
}

// Races of a loop are marked in each of its steps, not only in the one that the finding names.
TEST(Verdict, MarksEveryStepThatRaces) {
    RunOptions o;
    o.kernel.text = "__global__ void scan(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                    "    int t = threadIdx.x;\n    s[t] = in[t];\n    __syncthreads();\n"
                    "    for (int d = 1; d < 256; d *= 2) {\n        if (t >= d) s[t] += s[t - d];\n"
                    "        __syncthreads();\n    }\n    out[t] = s[t];\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const Launch& launch = trace.launches.front();
    unsigned wrong = 0;
    for (std::uint32_t step = 0; step < launch.steps.size(); ++step) {
        EXPECT_EQ(goes_wrong(launch, step), launch.steps[step].counters.hazards != 0) << launch.steps[step].label;
        wrong += goes_wrong(launch, step) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 7U) << "distances 1 to 64: at 128 whole warps read what others do not write";
}

// A wrong mask in a loop is marked in each step of it.
TEST(Verdict, MarksEachStepWithAWrongMask) {
    const Trace trace =
        tests::run_text("__global__ void most(const int* in, int* out) {\n  int t = threadIdx.x, m = in[t];\n"
                        "  for (int d = 16; d > 0; d /= 2)\n"
                        "    m = max(m, __shfl_xor_sync(0xffff, m, d));\n  out[t] = m;\n}\n");
    const Launch& launch = trace.launches[0];
    std::vector<std::string> wrong;
    for (std::uint32_t step = 0; step < launch.steps.size(); ++step) {
        if (goes_wrong(launch, step)) {
            wrong.push_back(launch.steps[step].label);
        }
    }
    EXPECT_EQ(wrong, (std::vector<std::string>{"d = 16", "d = 8", "d = 4", "d = 2", "d = 1"}));
}

} // namespace
} // namespace warptree::scene
