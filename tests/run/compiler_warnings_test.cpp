// What the compiler sees in a text: told of what is hardly ever meant, of the kernel that runs, and of nothing that is right.
#include "app/run/compiler_warnings.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Doubt {
    const char* name;
    const char* body; // of a kernel, from line 2 on
    unsigned line;
    const char* words;
};
const Doubt kDoubts[] = {
    {"AnAssignmentForAComparison", "    if (n = 5) out[t] = 1;", 2, "'==' compares"},
    {"ASemicolonBehindAnIf", "    if (t < n); out[t] = 1;", 2, "the ';' ends the 'if'"},
    {"ASemicolonBehindALoop", "    for (int i = 0; i < n; ++i);\n        out[t] = 1;", 2, "the ';' ends the loop"},
    {"ARowThatEnds", "    __shared__ float s[4][5];\n    s[1][5] = t;\n    out[t] = 1;", 3, "array index 5 is past"},
    {"AProductTooLarge", "    out[t] = 100000 * 100000;", 2, "overflow"},
    {"AShiftTooFar", "    out[t] = 1 << 33;", 2, "shift count"},
    {"AComparisonForAnAssignment", "    t == 3;\n    out[t] = 1;", 2, "forgets the result"},
    {"APrecedence", "    if (t & 1 == 0) out[t] = 1;", 2, "'&' binds weaker than '=='"},
    {"TwoIndicesAsOne",
     "    __shared__ float s[32][32];\n    s[t][t] = 1;\n    float* row = s[t, t];\n    out[t] = row[0];", 4,
     "a[i, j] is a[j]"},
    {"MissingBraces", "    if (t > 3)\n        out[0] = 1;\n        out[t] = 2;", 4, "no part of the 'if'"},
    {"AnIntegerQuotient", "    out[t] = (1 / 9) * out[t];", 2, "the quotient of the integers 1 and 9 is 0"},
    {"AnIntegerReciprocalOfAProduct", "    out[t] = 1 / (n * n);", 2,
     "the quotient of the integers 1 and n * n is 0 where"},
    {"AQuotientWithinAProduct", "    __shared__ int h[64];\n    h[t % 64] = n;\n    out[t] = 4 * (h[t % 64] / n);", 4,
     "cut off to a whole number before it becomes a float"},
    {"AChainedComparison", "    if (0 < t < n) out[t] = 1;", 2, "'a < x < b' compares the outcome of the first"},
    {"TheSizeOfAPointer", "    int size = sizeof(out);\n    out[t] = size;", 2, "sizeof(out) is the size of a pointer"},
    {"AnIntegerReciprocal", "    out[t] = (1 / n) * out[t];", 2, "the quotient of the integers 1 and n is 0 where n"},
    {"AQuotientOfAnIntegerElement", "    __shared__ int h[64];\n    h[t % 64] = n;\n    out[t] = h[t % 64] / n;", 4,
     "cut off to a whole number before it becomes a float"},
    {"AQuotientOfAnIntegerSum",
     "    __shared__ int h[64];\n    h[t % 64] = n;\n    int sum = 0;\n    for (int i = 0; i < 2; ++i) sum += h[t % "
     "64];\n"
     "    out[t] = 100 * sum / n;",
     6, "a cast of the first one, (float), keeps"},
    {"AnIntegerQuotientOfNames", "    const int k = 9;\n    float f = 2 / k;\n    out[t] = f;", 3, "2 and 9 is 0"},
};
class Doubtful : public ::testing::TestWithParam<Doubt> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Doubtful, ::testing::ValuesIn(kDoubts),
                         [](const auto& info) { return info.param.name; });

std::vector<Finding> of_kind(const std::vector<Finding>& all, FindingKind kind) {
    std::vector<Finding> found;
    std::ranges::copy_if(all, std::back_inserter(found), [&](const Finding& f) { return f.kind == kind; });
    return found;
}

TEST_P(Doubtful, IsTold) {
    const Trace trace = run_text("__global__ void k(float* out, int n) { int t = threadIdx.x;\n" +
                                 std::string(GetParam().body) + "\n}\n");
    const auto found = of_kind(trace.launches.front().findings, FindingKind::doubtful_code);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity, Severity::risk);
    EXPECT_EQ(found[0].line.line(), GetParam().line);
    EXPECT_THAT(sentence(trace, trace.launches.front(), found[0]), HasSubstr(GetParam().words));
}

TEST(CompilerWarnings, AreNoneOfRightCode) {
    const Trace trace =
        run_text("__device__ int s_flag = 1;\n__global__ void other(float* out) { if (out[0] = 3) out[1] = 2; }\n"
                 "__global__ void k(float* out, int n) {\n"
                 "    __shared__ float s[4][5];\n    int t = threadIdx.x, m = 0;\n"
                 "    float acc[2], sums[2] = {};\n    acc[0] = t / n;\n    acc[1] = acc[0];\n"
                 "    if ((m = n) != 0 && t < 4) s[t][4] = n / 2;\n    while (m-- > 0) {\n    }\n"
                 "    for (int i = 0, j = n; i < j; ++i, --j) sums[i & 1] += 1.0f / 9 + 7 / 2;\n"
                 "    for (;;) {\n        if ((t & 1) == 0 || t >= 0) break;\n    }\n"
                 "    volatile int* const flag = &s_flag; while (*flag == 0); __threadfence();\n"
                 "    out[t] = acc[1] + sums[t & 1] + (1 << 30);\n}\n",
                 [](RunOptions& o) { o.kernel.kernel = "k"; });
    EXPECT_THAT(of_kind(trace.launches.front().findings, FindingKind::doubtful_code), IsEmpty());
    EXPECT_THAT(of_kind(trace.launches.front().findings, FindingKind::uninitialised), IsEmpty());
}

TEST(CompilerWarnings, AreNoneOfWhatIsSetOnTheWay) {
    const Trace trace =
        run_text("__device__ void set(float& to) { to = 1; }\n"
                 "__global__ void k(float* out, int n) {\n    int t = threadIdx.x, base, last, first;\n"
                 "    float r[2], m = 0, by_address, by_reference, by_lambda;\n    if (t % 32 == 0) base = n;\n"
                 "    base = __shfl_sync(~0u, base, 0);\n    for (int i = 0; i < 2; ++i) r[i] = i;\n"
                 "    for (int i = 0; i < n; ++i) {\n        if (i > 0) m += last;\n        last = i;\n    }\n"
                 "    for (int i = 0; i < n; ++i)\n        if (i == 0 || i < first) first = i;\n"
                 "    float* p = &by_address;\n    *p = 1;\n    set(by_reference);\n    [&] { by_lambda = 2; }();\n"
                 "    out[t] = base + r[t & 1] + m + first + by_address + by_reference + by_lambda;\n}\n");
    EXPECT_THAT(of_kind(trace.launches.front().findings, FindingKind::uninitialised), IsEmpty());
}

TEST(CompilerWarnings, TellOfWhatIsReadBeforeItIsSet) {
    for (const char* const body :
         {"    float acc;\n    for (int i = 0; i < n; ++i) acc = acc + i;\n    out[t] = acc;",
          "    float acc;\n    for (int i = 0; i < n; ++i) if (i > acc) acc = i;\n    out[t] = acc;",
          "    float acc[4];\n    for (int i = 0; i < 4; ++i) acc[i] = acc[i] + n;\n    out[t] = acc[t & 3];",
          "    float acc[4];\n    for (int i = 0; i < n; ++i) acc[i & 3] += i;\n    out[t] = acc[0];",
          "    struct { float s, c; } acc;\n    acc.s += t;\n    out[t] = acc.s;",
          "    int acc[8];\n    ++acc[t & 7];\n    out[t] = 1;"}) {
        const Trace trace =
            run_text("__global__ void k(float* out, int n) { int t = threadIdx.x;\n" + std::string(body) + "\n}\n");
        const auto found = of_kind(trace.launches.front().findings, FindingKind::uninitialised);
        ASSERT_EQ(found.size(), 1U) << body;
        EXPECT_EQ(found[0].line.line(), 3U);
        EXPECT_THAT(sentence(trace, trace.launches.front(), found[0]), HasSubstr("acc is used in line 3"));
    }
}

class ProgramWarnings : public Program {};

TEST_F(ProgramWarnings, AreThoseOfTheHostsHalf) {
    const RanProgram ran = run("#include <cstdio>\n__global__ void k(float* d) { d[threadIdx.x] = 1; }\n"
                               "int main() {\n    float h[16], sum, *d;\n"
                               "    cudaMalloc(&d, sizeof(h));\n    k<<<1, 16>>>(d);\n"
                               "    cudaMemcpy(h, d, sizeof(d), cudaMemcpyDeviceToHost);\n"
                               "    for (int i = 0; i < 16; ++i); sum += h[0];\n"
                               "    double half = 1 / 2;\n    int x = 2;\n    if (x = 1) half = 1;\n"
                               "    printf(\"%d %f %zu\\n\", h[0], sum + half, sizeof(h));\n    cudaFree(d);\n}\n");
    std::vector<std::string> told;
    for (const Finding& f : ran.result.trace.program.findings) {
        EXPECT_EQ(f.kind, FindingKind::doubtful_code);
        told.push_back(std::to_string(f.line.line()) + " " + f.text);
    }
    EXPECT_THAT(told,
                ElementsAre(HasSubstr("7 sizeof(d) is the size of a pointer"), HasSubstr("8 the ';' ends the loop"),
                            HasSubstr("8 sum is used before it has a value"), HasSubstr("9 the quotient"),
                            HasSubstr("11 '=' assigns"), HasSubstr("12 the format asks for 'int' and gets 'float'")));
}

TEST_F(ProgramWarnings, TellOfThePointersSizeForAConstant) {
    const RanProgram ran = run("__constant__ double c[4];\n"
                               "__global__ void k(double* d) { d[threadIdx.x] = c[threadIdx.x & 0]; }\n"
                               "void set(const double* m) { cudaMemcpyToSymbol(c, m, sizeof(m)); }\n"
                               "int main() {\n    double h[4] = {}, *d;\n    set(h);\n    cudaMalloc(&d, sizeof(h));\n"
                               "    k<<<1, 4>>>(d);\n    cudaDeviceSynchronize();\n    cudaFree(d);\n}\n");
    ASSERT_EQ(ran.kinds(), std::vector{FindingKind::doubtful_code});
    EXPECT_EQ(ran.first_line(), 3U);
    EXPECT_THAT(ran.first_text(), HasSubstr("sizeof(m) is the size of a pointer"));
}

TEST(CompilerWarnings, AreThereForDynamicArraysOfOneAddress) {
    const auto doubtful = [](const std::string& second) {
        const Trace trace =
            chosen("__global__ void k(const int* x, int* o) {\n  extern __shared__ int a[];\n  " + second +
                   "\n  int t = threadIdx.x;\n  a[t] = x[t];\n  b[t] = 2 * x[t];\n  o[t] = a[t] + b[t];\n}\n");
        return of_kind(trace.launches.front().findings, FindingKind::doubtful_code);
    };
    const auto found = doubtful("extern __shared__ int b[];");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0].text, HasSubstr("a and b are the same memory"));
    EXPECT_THAT(doubtful("int* b = a + blockDim.x;"), IsEmpty());
}

} // namespace
} // namespace warptree::tests
