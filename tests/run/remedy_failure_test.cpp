// What mends a program that fails by its own check, where no finding says why or none leads to a change: the changed program no longer
// fails.
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace warptree::tests {
namespace {

using ::testing::HasSubstr;

Trace ran_as_program(const std::string& text) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = text;
    RunControl control;
    auto own = runs::run_own_launches(o, control);
    EXPECT_TRUE(own.trace.has_value()) << own.why;
    return own.trace ? std::move(*own.trace) : Trace();
}

std::vector<std::string> host_sentences(const Trace& trace) {
    std::vector<std::string> all;
    for (const Finding& f : trace.program.findings) {
        all.push_back(f.text);
    }
    return all;
}

// Of n numbers "h", whose results come back in "r"; check: what the host expects of each.
std::string program(const std::string& kernel, const std::string& body, const std::string& check) {
    return "#include <cstdio>\n#include <cstdlib>\n#include <utility>\n" + kernel +
           "\nint main() {\n    const int n = 200;\n    int h[n], r[n], *a, *b;\n"
           "    for (int i = 0; i < n; ++i) h[i] = 500 + i * 7 % 100;\n    cudaMalloc(&a, sizeof h);\n"
           "    cudaMalloc(&b, sizeof h);\n    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n" +
           body + "    int bad = 0;\n    " + check +
           "\n    printf(\"%d wrong\\n\", bad);\n    cudaFree(a);\n    cudaFree(b);\n    return bad != 0;\n}\n";
}

struct FailingProgram {
    const char* name;
    std::string text;
    const char* line; // of the mended text
};
void PrintTo(const FailingProgram& p, std::ostream* out) { *out << p.name; }

const std::string kAdd = "__global__ void add(const int* x, int* sum, int n) {\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicAdd(sum, x[i]);\n}";
const std::string kStep = "__global__ void step(const int* x, int* y, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i] + 1;\n}";

const FailingProgram kFailing[] = {
    {"ACounterThatIsSetOnce",
     program(kAdd,
             "    cudaMemset(b, 0, sizeof h);\n    for (int k = 0; k < 3; ++k)\n        add<<<2, 128>>>(a, b, n);\n"
             "    cudaMemcpy(r, b, sizeof(int), cudaMemcpyDeviceToHost);\n",
             "int sum = 0; for (int v : h) sum += v; bad = sum != r[0];"),
     "{ cudaMemset(b, 0, sizeof h); add<<<2, 128>>>(a, b, n); }"},
    {"ACounterThatIsSetOnceBeforeABlock",
     program(kAdd,
             "    cudaMemset(b, 0, sizeof h);\n    for (int k = 0; k < 3; ++k) {\n        add<<<2, 128>>>(a, b, n);\n"
             "        cudaDeviceSynchronize();\n    }\n    cudaMemcpy(r, b, sizeof(int), cudaMemcpyDeviceToHost);\n",
             "int sum = 0; for (int v : h) sum += v; bad = sum != r[0];"),
     "        cudaMemset(b, 0, sizeof h);\n        add<<<2, 128>>>(a, b, n);\n"},
    {"TheOtherOfTwoArrays",
     program(kStep,
             "    for (int k = 0; k < 4; ++k) {\n        step<<<2, 128>>>(a, b, n);\n        std::swap(a, b);\n    }\n"
             "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
             "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 4;"),
     "cudaMemcpy(r, a, sizeof h"},
    {"AMinimumThatBeginsWithZero",
     program("__global__ void least(const int* x, int* m, int n) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicMin(m, x[i]);\n}",
             "    cudaMemset(b, 0, sizeof(int));\n    least<<<2, 128>>>(a, b, n);\n"
             "    cudaMemcpy(r, b, sizeof(int), cudaMemcpyDeviceToHost);\n",
             "bad = r[0] != 500;"),
     "cudaMemset(b, 0x7f, sizeof(int));"},
    {"NumbersInTheOtherOrder",
     program("__global__ void fill(int* x, int rows, int cols) {\n    int c = threadIdx.x;\n"
             "    if (c < cols) for (int k = 0; k < rows; ++k) x[k * cols + c] = k;\n}",
             "    const int rows = 8, cols = 25;\n    fill<<<1, 32>>>(b, cols, rows);\n"
             "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
             "for (int i = 0; i < n; ++i) bad += r[i] != i / 25;"),
     "fill<<<1, 32>>>(b, rows, cols);"},
    {"BlocksForAllElements",
     program(kStep,
             "    cudaMemset(b, 0, sizeof h);\n    step<<<1, 128>>>(a, b, n);\n"
             "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
             "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;"),
     "step<<<(n + 127) / 128, 128>>>(a, b, n);"},
    {"TheLengthOfARow",
     program("__global__ void sums(const int* x, int* y, int rows, int cols) {\n    int k = threadIdx.x;\n"
             "    if (k < rows) {\n        int s = 0;\n        for (int c = 0; c < cols; ++c) s += x[k * rows + c];\n"
             "        y[k] = s;\n    }\n}",
             "    sums<<<1, 32>>>(a, b, 25, 8);\n    cudaMemcpy(r, b, 25 * sizeof(int), cudaMemcpyDeviceToHost);\n",
             "for (int k = 0; k < 25; ++k) { int s = 0; for (int c = 0; c < 8; ++c) s += h[k * 8 + c]; bad += s != "
             "r[k]; }"),
     "s += x[k * cols + c];"},
    {"EachPairByOneThread",
     program(
         "__global__ void turn(int* x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i < n) {\n        int t = x[i];\n        x[i] = x[n - 1 - i];\n        x[n - 1 - i] = t;\n    }\n}",
         "    turn<<<2, 128>>>(a, n);\n    cudaMemcpy(r, a, sizeof h, cudaMemcpyDeviceToHost);\n",
         "for (int i = 0; i < n; ++i) bad += r[i] != h[n - 1 - i];"),
     "if (i < n / 2) {"},
    {"TheLastRound",
     program("__global__ void fold(int* x, int n) {\n    int t = threadIdx.x;\n"
             "    for (int s = 64; s > 1; s /= 2) {\n        if (t < s) x[t] += x[t + s];\n        __syncthreads();\n  "
             "  }\n}",
             "    fold<<<1, 128>>>(a, 128);\n    cudaMemcpy(r, a, sizeof(int), cudaMemcpyDeviceToHost);\n",
             "int sum = 0; for (int i = 0; i < 128; ++i) sum += h[i]; bad = sum != r[0];"),
     "s > 0; s /= 2"},
    {"AMaximumThatBeginsWithZero",
     program("__global__ void most(const int* x, int* m, int n) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicMax(m, -x[i]);\n}",
             "    cudaMemset(b, 0, sizeof(int));\n    most<<<2, 128>>>(a, b, n);\n"
             "    cudaMemcpy(r, b, sizeof(int), cudaMemcpyDeviceToHost);\n",
             "bad = r[0] != -500;"),
     "cudaMemset(b, 0x80, sizeof(int));"},
    {"AnOrderWithoutEquality",
     program("__global__ void sums(const int* x, int* y, int rows, int cols) {\n    int k = threadIdx.x;\n"
             "    if (k < rows) {\n        int s = 0;\n        for (int c = 0; c <= cols; ++c) s += x[k * cols + c];\n"
             "        y[k] = s;\n    }\n}",
             "    sums<<<1, 32>>>(a, b, 25, 8);\n    cudaMemcpy(r, b, 25 * sizeof(int), cudaMemcpyDeviceToHost);\n",
             "for (int k = 0; k < 25; ++k) { int s = 0; for (int c = 0; c < 8; ++c) s += h[k * 8 + c]; bad += s != "
             "r[k]; }"),
     "c < cols; ++c"},
    {"ElementsAsLargeAsTheyAre",
     program("__global__ void twice(const double* x, double* y, int n) {\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}",
             "    double g[n], *c, *d;\n    for (int i = 0; i < n; ++i) g[i] = i;\n"
             "    cudaMalloc(&c, n * sizeof(float));\n    cudaMalloc(&d, sizeof g);\n"
             "    cudaMemcpy(c, g, n * sizeof(double), cudaMemcpyHostToDevice);\n    twice<<<2, 128>>>(c, d, n);\n"
             "    cudaMemcpy(g, d, sizeof g, cudaMemcpyDeviceToHost);\n    cudaFree(c);\n    cudaFree(d);\n",
             "for (int i = 0; i < n; ++i) bad += g[i] != 2 * i;"),
     "cudaMalloc(&c, n * sizeof(*c));"},
    {"TheArraysOfTheDevice",
     program(kStep, "    step<<<2, 128>>>(h, b, n);\n    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
             "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;"),
     "step<<<2, 128>>>(a, b, n);"},
    {"AFreeBehindTheLastUse",
     program(kStep,
             "    int *c;\n    cudaMalloc(&c, sizeof h);\n    step<<<2, 128>>>(a, c, n);\n    cudaFree(c);\n"
             "    cudaMemcpy(r, c, sizeof h, cudaMemcpyDeviceToHost);\n",
             "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;"),
     "    cudaMemcpy(r, c, sizeof h, cudaMemcpyDeviceToHost);\n    cudaFree(c);\n"},
    {"ResultsThatAreCopiedBack",
     program("__global__ void more(int* x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < n) x[i] += 1;\n}",
             "    more<<<2, 128>>>(a, n);\n    cudaDeviceSynchronize();\n",
             "for (int i = 0; i < n; ++i) bad += h[i] != 501 + i * 7 % 100;"),
     "cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);"},
};

class RemedyOfFailure : public ::testing::TestWithParam<FailingProgram> {};

TEST_P(RemedyOfFailure, EndsTheProgramWell) {
    const Trace trace = ran_as_program(GetParam().text);
    ASSERT_NE(trace.program.exit, 0);
    RunControl control;
    const auto remedy = runs::remedy_of_failure(trace.options, trace, control);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->text, HasSubstr(GetParam().line));
    EXPECT_EQ(ran_as_program(remedy->text).program.exit, 0);
}
INSTANTIATE_TEST_SUITE_P(Programs, RemedyOfFailure, ::testing::ValuesIn(kFailing),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(RemedyOfFailure, IsNoneOfAProgramThatIsRight) {
    const Trace trace = ran_as_program(program(kStep,
                                               "    step<<<2, 128>>>(a, b, n);\n"
                                               "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
                                               "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;"));
    ASSERT_EQ(trace.program.exit, 0);
    RunControl control;
    EXPECT_FALSE(runs::remedy_of_failure(trace.options, trace, control).has_value());
}

TEST(RemedyOfFailure, IsNoneWhereNoChangeOfItsKindHelps) {
    const Trace trace = ran_as_program(program(kStep,
                                               "    step<<<2, 128>>>(a, b, n);\n"
                                               "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n",
                                               "for (int i = 0; i < n; ++i) bad += r[i] != 3 * h[i] + 1;"));
    ASSERT_EQ(trace.program.exit, 1);
    RunControl control;
    EXPECT_FALSE(runs::remedy_of_failure(trace.options, trace, control).has_value());
}

TEST(Fails, AProgramThatSaysSo) {
    const auto says = [](const std::string& text, int exit = 0) {
        ProgramStory story;
        story.entry = "main";
        story.exit = exit;
        story.printed = text;
        return fails(story);
    };
    for (const char* text :
         {"Test FAILED\n", "12 wrong\n", "10 wrong", "wrong: 10\n", "mismatch at 3: 4 5\n", "result is incorrect\n"}) {
        EXPECT_TRUE(says(text)) << text;
    }
    for (const char* text : {"", "PASSED\n", "0 wrong\n", "sum 3, 0 wrong\n", "no mismatch\n", "wrong: 0\n",
                             "failures = 0\n", "not wrong\n"}) {
        EXPECT_FALSE(says(text)) << text;
    }
    EXPECT_TRUE(says("PASSED\n", 1));
}

TEST(SetOnce, IsToldWhereAProgramFails) {
    const Trace failing = ran_as_program(kFailing[0].text);
    EXPECT_THAT(host_sentences(failing),
                ::testing::Contains(HasSubstr("b is set in line 15 alone, before the first of the 3 launches here")));
    const std::string right = program(kAdd,
                                      "    cudaMemset(b, 0, sizeof h);\n    for (int k = 0; k < 3; ++k)\n"
                                      "        add<<<2, 128>>>(a, b, n);\n"
                                      "    cudaMemcpy(r, b, sizeof(int), cudaMemcpyDeviceToHost);\n",
                                      "int sum = 0; for (int v : h) sum += 3 * v; bad = sum != r[0];");
    EXPECT_THAT(host_sentences(ran_as_program(right)), ::testing::IsEmpty()) << "it is meant to add up";
}

TEST(HostFindings, SayThatAnAllocationIsGivenNoAddress) {
    const Trace trace = ran_as_program("__global__ void k(int* d) { d[threadIdx.x] = 1; }\n"
                                       "int main() {\n    int* d = nullptr;\n    cudaMalloc((void**)d, 256);\n"
                                       "    k<<<1, 64>>>(d);\n    cudaDeviceSynchronize();\n    cudaFree(d);\n}\n");
    ASSERT_FALSE(trace.program.findings.empty());
    EXPECT_THAT(trace.program.findings.front().text, HasSubstr("is given d itself, which is a null pointer"));
    RunControl control;
    const auto mended = runs::first_remedy(trace.options, trace, std::nullopt, control);
    ASSERT_TRUE(mended.has_value());
    EXPECT_THAT(mended->remedy.text, HasSubstr("cudaMalloc((void**)&d, 256);"));
}

TEST(HostFindings, OfACrashByFreeSayWhatFreesMemoryOfTheDevice) {
    const Trace trace =
        ran_as_program(program(kStep,
                               "    int *c;\n    cudaMallocManaged(&c, sizeof h);\n    step<<<2, 128>>>(a, c, n);\n"
                               "    cudaMemcpy(r, c, sizeof h, cudaMemcpyDeviceToHost);\n    free(c);\n",
                               "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;"));
    ASSERT_NE(trace.program.exit, 0);
    RunControl control;
    const auto mended = runs::first_remedy(trace.options, trace, std::nullopt, control);
    ASSERT_TRUE(mended.has_value());
    EXPECT_THAT(mended->remedy.text, HasSubstr("    cudaFree(c);\n"));
    EXPECT_EQ(ran_as_program(mended->remedy.text).program.exit, 0);
}

// The access is part of what a header's function was inlined into.
TEST(HostFindings, HaveTheLineOfWhatCallsAnInlinedFunction) {
    const Trace trace = ran_as_program(
        "#include <cmath>\n#include <cstdio>\n"
        "__global__ void twice(float* x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2; }\n"
        "int main() {\n    const int n = 1000;\n    float* x;\n    cudaMallocManaged(&x, n * sizeof(float));\n"
        "    for (int i = 0; i < n; ++i) x[i] = 1;\n    twice<<<1, 256>>>(x, n);\n    float most = 0;\n"
        "    for (int i = 0; i < n; ++i)\n        most = fmax(most, fabs(x[i] - 2.0f));\n"
        "    printf(\"%g\\n\", most);\n    cudaFree(x);\n    return 0;\n}\n");
    ASSERT_FALSE(trace.program.findings.empty());
    EXPECT_EQ(trace.program.findings.front().kind, FindingKind::race_global);
    EXPECT_EQ(trace.program.findings.front().line.line(), 12U);
}

TEST(HostFindings, SayThatACopyComesBehindItsLaunch) {
    const std::string text = program(kStep,
                                     "    int *c;\n    cudaMalloc(&c, sizeof h);\n    step<<<2, 128>>>(c, b, n);\n"
                                     "    cudaMemcpy(c, h, sizeof h, cudaMemcpyHostToDevice);\n"
                                     "    cudaMemcpy(r, b, sizeof h, cudaMemcpyDeviceToHost);\n    cudaFree(c);\n",
                                     "for (int i = 0; i < n; ++i) bad += r[i] != h[i] + 1;");
    const Trace trace = ran_as_program(text);
    EXPECT_THAT(host_sentences(trace), ::testing::Contains(HasSubstr("line 18 writes it only then")));
    RunControl control;
    const auto mended = runs::first_remedy(trace.options, trace, std::nullopt, control);
    ASSERT_TRUE(mended.has_value());
    EXPECT_EQ(ran_as_program(mended->remedy.text).program.exit, 0);
}

// One way to all changes, in one order.
TEST(FindRemedy, LooksForWhatIsWrongBeforeWhatCosts) {
    const auto found_for = [](const std::string& text) {
        RunOptions o;
        o.kernel.text = text;
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        return runs::find_remedy(o, trace, std::nullopt, control);
    };
    const auto tile = [](const std::string& row, const std::string& guard, const std::string& barrier) {
        return "__global__ void t(const float* in, float* out, int n) {\n    __shared__ float tile[32][" + row +
               "];\n    int x = threadIdx.x, y = threadIdx.y;\n    " + guard + "tile[y][x] = in[y * n + x];\n" +
               barrier + "    " + guard + "out[y * n + x] = tile[x][y];\n}\n";
    };
    const std::string inside = "if (x < n && y < n) ", wait = "    __syncthreads();\n";
    const auto race = found_for(tile("32", inside, ""));
    ASSERT_TRUE(race.has_value());
    EXPECT_EQ(race->what, runs::Mended::finding);
    const auto size = found_for(tile("32", "", wait));
    ASSERT_TRUE(size.has_value());
    EXPECT_EQ(size->what, runs::Mended::other);
    EXPECT_EQ(size->with, "elements = 27");
    const auto cost = found_for(tile("32", inside, wait));
    ASSERT_TRUE(cost.has_value());
    EXPECT_EQ(cost->what, runs::Mended::cost);
    EXPECT_EQ(cost->remedy.text, tile("33", inside, wait));
    EXPECT_FALSE(found_for(tile("33", inside, wait)).has_value());
    const Trace fails = ran_as_program(kFailing[0].text);
    RunControl control;
    const auto ends = runs::find_remedy(fails.options, fails, std::nullopt, control);
    ASSERT_TRUE(ends.has_value());
    EXPECT_EQ(ends->what, runs::Mended::failure);
}

} // namespace
} // namespace warptree::tests
