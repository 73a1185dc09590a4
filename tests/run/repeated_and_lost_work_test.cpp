// Work that is done several times, and elements that are left out, against what the texts say.
#include "app/run/kernel_run.hpp"
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/trace/explain/reduced_elements.hpp"
#include "app/trace/explain/repeated_work.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(RepeatedWork, IsWhatTheThreadsNumbersAloneSay) {
    const auto adds = [](const std::string& line, const std::string& index) {
        return adds_the_same("int i = " + index + ";\n" + line, 2);
    };
    for (const char* line : {"a[i] += b[i];", "a[i] += 1;", "a[i]++;", "if (i < n) a[i] = a[i] + b[i];",
                             "a[i] -= 2.0f;", "a[i] = 2 * b[i] + a[i];", "a[i] = b[i] + a[i] - c[i];",
                             "for (; i < n; i += gridDim.x) a[i] += b[i] * c[i];"}) {
        EXPECT_TRUE(adds(line, "blockIdx.x * blockDim.x + threadIdx.x")) << line;
        EXPECT_TRUE(adds(line, "threadIdx.x")) << line;
        EXPECT_TRUE(adds_the_same("for (int i = 0; i < n; ++i)\n" + std::string(line), 2)) << line;
        EXPECT_FALSE(adds(line, "key[threadIdx.x]")) << line << ": elements that data name, as bins";
        EXPECT_FALSE(adds(line, "0")) << line << ": one of all";
        EXPECT_FALSE(adds(line, "threadIdx.x % 10")) << line << ": a counter of several threads";
    }
    for (const char* line : {"bins[key[i]] += 1;", "a[key[i] & 3]++;", "a[i] += b[i * n];", "a[i] += part;",
                             "a[i] = b[i];", "*sum += b[i];", "a[0] += b[i];", "a[i] = 2 * a[i];", "f(i);", ""}) {
        EXPECT_FALSE(adds(line, "blockIdx.x * blockDim.x + threadIdx.x")) << line;
    }
    EXPECT_FALSE(adds_the_same("a[i] += 1;", 7)) << "no such line";
}

struct Wrong {
    const char* name;
    const char* index; // "int i = …; if (i < n)" or a loop
    const char* line;  // of the mended text
};
constexpr Wrong kWrong[] = {
    {"NoBlock", "int i = threadIdx.x;\n    if (i < n)", "int i = blockIdx.x * blockDim.x + threadIdx.x;"},
    {"TheGridsSize", "int i = blockIdx.x * gridDim.x + threadIdx.x;\n    if (i < n)",
     "int i = blockIdx.x * blockDim.x + threadIdx.x;"},
    {"AStrideOfBlocks", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x)",
     "i += gridDim.x * blockDim.x)"},
    {"NoThread", "for (int i = 0; i < n; i++)",
     "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"},
    {"AStrideOfThreads", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)",
     "i += blockDim.x * gridDim.x)"},
};
class RepeatedWorkOf : public testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(Indices, RepeatedWorkOf, testing::ValuesIn(kWrong),
                         [](const auto& info) { return info.param.name; });

TEST_P(RepeatedWorkOf, IsMendedByTheIndexAndNotByAnAtomic) {
    const std::string kernel =
        fmt::format("__global__ void add(float* a, const float* b, int n) {{\n    {}\n        a[i] += b[i];\n}}\n",
                    GetParam().index);
    const std::string host = R"cuda(
#include <cstdio>
int main() {
    const int n = 600;
    float h[n], *a, *b;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<3, 200>>>(a, b, n);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) bad += h[i] != 2 * i;
    std::printf("%d bad\n", bad);
    cudaFree(a);
    cudaFree(b);
    return bad != 0;
}
)cuda";
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = kernel + host;
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    EXPECT_EQ(own.trace->program.exit, 1);
    const std::string text = report_text(*own.trace);
    EXPECT_THAT(text, AllOf(HasSubstr("both do the work of this element"), Not(HasSubstr("an atomic operation"))));
    const auto remedy = runs::first_remedy(own.trace->options, *own.trace, std::nullopt, control);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->remedy.text, HasSubstr(GetParam().line));
    o.kernel.text = remedy->remedy.text;
    const auto after = runs::run_own_launches(o, control);
    ASSERT_TRUE(after.trace.has_value());
    EXPECT_EQ(after.trace->program.exit, 0);
}

// With another output than input no element is lost by a race: the launch says that the rest is left out.
TEST(RepeatedWork, IsToldWhereAllStoreTheSame) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = R"cuda(
__global__ void twice(const float* a, float* b, int n) {
    int i = threadIdx.x;
    if (i < n) b[i] = 2 * a[i];
}
int main() {
    const int n = 512;
    float h[n], *a, *b;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof h);
    twice<<<4, 128>>>(a, b, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return h[n - 1] != 2 * (n - 1);
}
)cuda";
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    EXPECT_THAT(
        report_text(*own.trace),
        AllOf(
            HasSubstr("several take the same elements, as where an index leaves out blockIdx; none takes the last 384"),
            HasSubstr("a mistake if each is to have an element of its own")));
    const auto remedy = runs::first_remedy(own.trace->options, *own.trace, std::nullopt, control);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->remedy.text, HasSubstr("int i = blockIdx.x * blockDim.x + threadIdx.x;"));
}

std::string halving(const std::string& loop, std::uint32_t block) {
    RunOptions o;
    o.block = block;
    o.n = 4ULL * block;
    o.kernel.n_given = true;
    o.kernel.text = "__global__ void k(const int* a, int* out, int n) {\n    __shared__ int s[256];\n"
                    "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n    s[t] = i < n ? a[i] : 0;\n"
                    "    __syncthreads();\n" +
                    loop + "    if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    RunControl control;
    return report_text(runs::run_kernel_file(o, control));
}

TEST(LostElements, AreThoseThatAReductionCombinesAndLeavesOut) {
    const std::string right =
        "    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n"
        "        __syncthreads();\n    }\n";
    EXPECT_THAT(halving(right, 64), Not(HasSubstr("lost elements")));
    std::string early = right;
    early.replace(early.find("d > 0"), 5, "d > 1");
    EXPECT_THAT(
        halving(early, 64),
        HasSubstr("lost elements (risk): 128 of the 256 elements that are combined reach no result; the first is "
                  "a[1], which thread 1 of block 0 combines last, in line 7, with nothing taking that further."));
    EXPECT_THAT(halving(right, 96), HasSubstr("lost elements (risk): 128 of the 384 elements")) << "96, 48, …, 3, 1";
    // Where a fault may be why, that alone is told.
    std::string racy = early;
    racy.erase(racy.find("        __syncthreads();\n"), 25);
    EXPECT_THAT(halving(racy, 64), AllOf(HasSubstr("race"), Not(HasSubstr("lost elements"))));
    RunOptions o;
    o.kernel.text = "__global__ void k(const int* a, int* out, int n) {\n    __shared__ int s[256];\n"
                    "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n    s[t] = i < n ? a[i] : 0;\n"
                    "    __syncthreads();\n" +
                    racy + "    if (t == 0) out[blockIdx.x] = s[0];\n}\n";
    RunControl control;
    const auto remedy = runs::first_remedy(o, runs::run_kernel_file(o, control), std::nullopt, control);
    ASSERT_TRUE(remedy.has_value()) << "the barrier mends the race, though it shows what is lost";
    EXPECT_THAT(remedy->remedy.text, HasSubstr("__syncthreads();\n    }"));
}

// What is folded into the 0 that a thread begins with is an element as well.
TEST(LostElements, CountThoseThatAThreadBeginsWith) {
    RunControl control;
    RunOptions o;
    o.block = 256;
    o.n = 1024;
    o.kernel.n_given = true;
    o.kernel.text = "__global__ void k(const int* a, int* out, int n) {\n    int t = threadIdx.x, s = 0;\n"
                    "    for (int i = t; i < n; i += blockDim.x) s += a[i];\n"
                    "    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);\n"
                    "    if (t == 0) out[0] = s;\n}\n";
    EXPECT_THAT(
        report_text(runs::run_kernel_file(o, control)),
        HasSubstr("lost elements (risk): 896 of the 1024 elements that are combined reach no result; the first is "
                  "a[32], which thread"));
}

TEST(LostElements, AreNoneOfAScanNorOfATestOfSums) {
    RunControl control;
    RunOptions o;
    o.kernel.text = "__global__ void relax(float* d, int n) {\n    int i = threadIdx.x / 16, j = threadIdx.x % 16;\n"
                    "    float through = d[i * 16 + 3] + d[3 * 16 + j];\n"
                    "    if (i != 3 && j != 3 && through < d[i * 16 + j]) d[i * 16 + j] = through;\n}\n";
    EXPECT_THAT(report_text(runs::run_kernel_file(o, control)), Not(HasSubstr("lost elements")));
    o.kernel.text = "__global__ void scan(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                    "    int t = threadIdx.x;\n    s[t] = t < n ? in[t] : 0;\n    __syncthreads();\n"
                    "    for (int d = 1; d < blockDim.x; d *= 2) {\n        int v = t >= d ? s[t - d] : 0;\n"
                    "        __syncthreads();\n        s[t] += v;\n        __syncthreads();\n    }\n"
                    "    if (t < n) out[t] = t == 0 ? 0 : s[t - 1];\n}\n";
    EXPECT_THAT(report_text(runs::run_kernel_file(o, control)), Not(HasSubstr("lost elements")));
}

// A block's sum in s[0], or in the first lane of each warp as v; then `last`.
std::string summing(const std::string& how, const std::string& last) {
    const std::string by_halves =
        "    __shared__ float s[64];\n    int t = threadIdx.x;\n    s[t] = in[blockIdx.x * 64 + t];\n"
        "    __syncthreads();\n    for (int d = 32; d > 0; d /= 2) {\n"
        "        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }\n";
    const std::string by_lanes =
        "    float v = in[blockIdx.x * 64 + threadIdx.x];\n    for (int d = 16; d > 0; d /= 2)\n"
        "        v += __shfl_down_sync(0xffffffff, v, d);\n";
    return "__global__ void k(const float* in, float* out) {\n" + (how == "halves" ? by_halves : by_lanes) + "    " +
           last + "\n}\n";
}

std::string first_change(const std::string& text) {
    RunOptions o;
    o.kernel.text = text;
    o.block = 64;
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const auto remedy = runs::first_remedy(o, trace, std::nullopt, control);
    return remedy ? remedy->remedy.text : "";
}

TEST(RepeatedElements, AreAddedBySeveralThreads) {
    const auto told = [](const std::string& text) {
        RunOptions o;
        o.kernel.text = text;
        o.block = 64;
        RunControl control;
        return report_text(runs::run_kernel_file(o, control));
    };
    EXPECT_THAT(told(summing("halves", "atomicAdd(out, s[0]);")),
                HasSubstr("repeated elements (risk): each of the 512 values that are summed in the blocks "
                          "traced is in the result 64 times, out[0]: "
                          "several threads add the same in line 10"));
    EXPECT_THAT(told(summing("lanes", "atomicAdd(out, v);")),
                HasSubstr("repeated elements (risk): 496 of the 512 values"));
    for (const auto& [how, last] : {std::pair{"halves", "if (t == 0) atomicAdd(out, s[0]);"},
                                    std::pair{"halves", "if (t == 0) out[blockIdx.x] = s[0];"},
                                    std::pair{"lanes", "if (threadIdx.x % 32 == 0) atomicAdd(out, v);"}}) {
        EXPECT_THAT(told(summing(how, last)), Not(HasSubstr("repeated elements"))) << last;
    }
    // A maximum is the same however often it is taken.
    std::string largest = summing("halves", "atomicMax((int*)out, __float_as_int(s[0]));");
    largest.replace(largest.find("s[t] += s[t + d]"), 16, "s[t] = fmaxf(s[t], s[t + d])");
    EXPECT_THAT(told(largest), Not(HasSubstr("repeated elements")));
}

TEST(RepeatedElements, AreMendedByOneThreadThatAddsWhatAllHave) {
    EXPECT_EQ(first_change(summing("halves", "atomicAdd(out, s[0]);")),
              summing("halves", "if (threadIdx.x == 0) atomicAdd(out, s[0]);"));
    EXPECT_EQ(first_change(summing("lanes", "atomicAdd(out, v);")),
              summing("lanes", "if (threadIdx.x % 32 == 0) atomicAdd(out, v);"));
}

TEST(LostElements, AreThoseThatNoThreadReadsWhereTheResultIsWrong) {
    const auto told = [](const std::string& from, const std::string& expect) {
        RunOptions o;
        o.block = 64;
        o.n = 1000;
        o.kernel.n_given = true;
        o.kernel.expect = expect;
        o.kernel.text = "__global__ void k(const int* in, int* out, int n) {\n    __shared__ int s[64];\n"
                        "    int t = threadIdx.x, per = n / blockDim.x, sum = 0;\n    for (int k = " +
                        from +
                        "; k < per; ++k) sum += in[t * per + k];\n    s[t] = sum;\n    __syncthreads();\n"
                        "    for (int d = 32; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n"
                        "        __syncthreads();\n    }\n    if (t == 0) out[0] = s[0];\n}\n";
        RunControl control;
        return report_text(runs::run_kernel_file(o, control));
    };
    EXPECT_THAT(told("0", "sum"),
                HasSubstr("lost elements (risk): 40 of the 1000 elements of in are read by no thread; the first is "
                          "in[960]; the one before it is reached by thread 63, in line 4."));
    EXPECT_THAT(told("1", "sum"),
                HasSubstr("104 of the 1000 elements of in are read by no thread; the first is in[0]; the one "
                          "behind it is reached by thread 0, in line 4."));
    EXPECT_THAT(told("0", ""), Not(HasSubstr("lost elements"))) << "it may be meant";
}

// Also of a size that nobody states, by a kernel that asks for it.
TEST(LostElements, AreTheLastWhereABoundIsOneLess) {
    RunOptions o;
    o.kernel.text = "// expect: sum\n__global__ void k(const int* in, int* out, int n) {\n    __shared__ int s[64];\n"
                    "    int t = threadIdx.x, sum = 0;\n    for (int i = t; i < n - 1; i += blockDim.x) sum += in[i];\n"
                    "    s[t] = sum;\n    __syncthreads();\n    for (int d = 32; d > 0; d /= 2) {\n"
                    "        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }\n"
                    "    if (t == 0) out[0] = s[0];\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    EXPECT_THAT(report_text(trace),
                HasSubstr("lost elements (risk): 1 of the 1024 elements of in is read by no thread: in[1023]; the one "
                          "before it is reached by thread 62, in line 5."));
    const auto remedy = runs::first_remedy(o, trace, std::nullopt, control);
    ASSERT_TRUE(remedy.has_value());
    EXPECT_THAT(remedy->remedy.text, HasSubstr("i < n; i += blockDim.x"));
    // Of one block's elements alone the chosen size is none that it is for.
    o.kernel.text->replace(o.kernel.text->find("for (int i = t; i < n - 1; i += blockDim.x)"), 43,
                           "if (t < n) { int i = t;");
    o.kernel.text->replace(o.kernel.text->find("sum += in[i];"), 13, "sum += in[i]; }");
    EXPECT_THAT(report_text(runs::run_kernel_file(o, control)),
                AllOf(HasSubstr("WRONG"), Not(HasSubstr("lost elements"))));
}

TEST(LostElements, AreMostOfAnArrayWhereThreadsAreCountedTheWrongWay) {
    const auto told = [](const std::string& index) {
        RunOptions o;
        o.kernel.text =
            "__global__ void k(float* a, int n) {\n    int i = " + index + ";\n    if (i < n) a[i] *= 2;\n}\n";
        RunControl control;
        return report_text(runs::run_kernel_file(o, control));
    };
    EXPECT_THAT(told("blockIdx.x + threadIdx.x * blockDim.x"),
                HasSubstr("elements of a are reached by no thread; the first is a["));
    EXPECT_THAT(told("blockIdx.x * blockDim.x + threadIdx.x"), Not(HasSubstr("lost elements")));
    EXPECT_THAT(told("2 * (blockIdx.x * blockDim.x + threadIdx.x)"), Not(HasSubstr("lost elements")))
        << "every other one";
}

TEST(RepeatedWork, IsNotWhatAnAtomicOfABlocksScopeDoes) {
    const std::string text = "__global__ void k(const int* in, int* count, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n && in[i] > 9) atomicAdd_block(count, 1);\n}\n";
    RunOptions o;
    o.kernel.text = text;
    RunControl control;
    EXPECT_THAT(report_text(runs::run_kernel_file(o, control)),
                HasSubstr("is one among the threads of its block only"));
    EXPECT_THAT(first_change(text), HasSubstr(" atomicAdd(count, 1);"));
    EXPECT_TRUE(is_of_block_scope(text, 3));
    EXPECT_FALSE(is_of_block_scope(text, 2));
    EXPECT_FALSE(is_of_block_scope("atomicAdd(&of_block(k), 1);", 1));
}

TEST(LostElements, AreNotThoseThatWereComparedUnderALock) {
    const auto told = [](const std::string& compare) {
        RunOptions o;
        o.kernel.text =
            "__global__ void k(const int* x, int* best, int* lock, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    bool done = i >= n;\n    while (!done) {\n"
            "        if (atomicCAS(lock, 0, 1) == 0) {\n            __threadfence();\n"
            "            volatile int* b = best;\n            " +
            compare +
            "\n            __threadfence();\n            atomicExch(lock, 0);\n            done = true;\n"
            "        }\n    }\n}\n";
        o.kernel.arguments = {{"x", "random:300"}, {"best", "zeros:2"}};
        o.n = 300;
        o.kernel.n_given = true;
        RunControl control;
        return report_text(runs::run_kernel_file(o, control));
    };
    EXPECT_THAT(told("if (x[i] > b[0]) b[0] = x[i];"), Not(HasSubstr("lost elements")));
    EXPECT_THAT(told("if (x[i] > b[0]) { b[0] = x[i]; b[1] = i; }"), Not(HasSubstr("lost elements")));
}

TEST(RepeatedElements, AreThoseOfALoopThatGoesOnByOneBlock) {
    const auto told = [](const std::string& stride) {
        RunOptions o;
        o.kernel.text = "__global__ void k(const float* x, float* total, int n) {\n    __shared__ float s[256];\n"
                        "    int t = threadIdx.x;\n    float v = 0;\n"
                        "    for (int i = blockIdx.x * blockDim.x + t; i < n; i += " +
                        stride +
                        ")\n        v += x[i];\n    s[t] = v;\n    __syncthreads();\n"
                        "    for (int k = 128; k > 0; k >>= 1) {\n        if (t < k) s[t] += s[t + k];\n"
                        "        __syncthreads();\n    }\n    if (t == 0) atomicAdd(total, s[0]);\n}\n";
        RunControl control;
        return report_text(runs::run_kernel_file(o, control));
    };
    // Blocks 1 to 3 add what those before them have: of 1024 elements 768, those of the last one four times.
    EXPECT_THAT(told("blockDim.x"),
                HasSubstr("768 of the 1024 elements that are summed are in the result more than once, "
                          "one 4 times"));
    EXPECT_THAT(told("blockDim.x * gridDim.x"), Not(HasSubstr("repeated elements")));
}

} // namespace
} // namespace warptree::tests
