// Values that a kernel hardly means, and what mends them, against what the texts say.
#include "app/run/kernel_run.hpp"
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace warptree {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

RunOptions options_of(const std::string& text, std::uint64_t n = 0) {
    RunOptions o;
    o.kernel.text = text;
    if (n != 0) {
        o.n = n;
        o.kernel.n_given = true;
    }
    return o;
}

std::string report_of(const std::string& text, std::uint64_t n = 0) {
    RunControl control;
    return report_text(runs::run_kernel_file(options_of(text, n), control));
}

std::string mended(const std::string& text, std::uint64_t n = 0) {
    const RunOptions o = options_of(text, n);
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const auto found = runs::first_remedy(o, trace, std::nullopt, control);
    return found ? found->remedy.text : "";
}

std::string shuffled(const std::string& add, const std::string& store) {
    return "__global__ void k(const int* in, int* out, int n) {\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;\n"
           "    int v = i < n ? in[i] : 0;\n    for (int d = 1; d < 32; d *= 2) {\n        " +
           add + "\n    }\n    " + store + "\n}\n";
}

TEST(OwnValue, IsWhatAShuffleWithoutASourceGives) {
    const std::string all = "if (i < n) out[i] = v;", first = "if (lane == 0) out[i / 32] = v;",
                      up = "v += __shfl_up_sync(0xffffffff, v, d);", down = "v += __shfl_down_sync(0xffffffff, v, d);";
    EXPECT_THAT(
        report_of(shuffled(up, all)),
        HasSubstr(
            "shuffle without a source (risk): thread 0 of block 0 gets its own value from a shuffle up by 1, as no "
            "lane is so far below it, and adds it, which the result depends on, in line 5. (992 times)"));
    EXPECT_THAT(report_of(shuffled(down, all)), HasSubstr("gets its own value from a shuffle down by 1"));
    EXPECT_THAT(report_of(shuffled(down, first)), Not(HasSubstr("shuffle without a source")));
    EXPECT_THAT(report_of(shuffled("int w = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) v += w;", all)),
                Not(HasSubstr("shuffle without a source")));
    EXPECT_THAT(report_of(shuffled("v += __shfl_xor_sync(0xffffffff, v, d);", all)),
                Not(HasSubstr("shuffle without a source")));
    const std::string apart = "int t = __shfl_up_sync(0xffffffff, v, d);\n v += t;";
    EXPECT_EQ(mended(shuffled(apart, all)),
              shuffled("int t = __shfl_up_sync(0xffffffff, v, d);\n if (threadIdx.x % 32 >= d) v += t;", all))
        << "in two statements";
    EXPECT_EQ(mended(shuffled(up, all)), shuffled("const auto other = __shfl_up_sync(0xffffffff, v, d);\n"
                                                  "        if (threadIdx.x % 32 >= d) v += other;",
                                                  all));
}

TEST(NotANumber, ComesOfWhatItsTypeDoesNotHold) {
    const auto softmax = [](const std::string& power) {
        return "__global__ void k(const float* x, float* y) {\n    __shared__ float sum;\n"
               "    if (threadIdx.x == 0) sum = 0;\n    __syncthreads();\n"
               "    float e = expf(" +
               power +
               ");\n    atomicAdd(&sum, e);\n    __syncthreads();\n"
               "    y[threadIdx.x] = e / sum;\n}\n";
    };
    EXPECT_THAT(
        report_of(softmax("x[threadIdx.x]")),
        HasSubstr("elements of y that are stored are nan, first y[23]: in line 5 thread 23 computes infinity of "
                  "finite values, as it is more than the type holds"));
    EXPECT_THAT(report_of(softmax("-x[threadIdx.x]")), Not(HasSubstr("not a number")));
    // Of an input that was chosen: only what overflows.
    EXPECT_THAT(
        report_of("__global__ void k(const float* x, float* y) {\n    y[threadIdx.x] = sqrtf(-x[threadIdx.x]);\n}\n"),
        Not(HasSubstr("not a number")));
}

TEST(SameElements, AreReducedByEachBlock) {
    const auto text = [](const std::string& index) {
        return "__global__ void k(const float* x, float* part, int n) {\n    __shared__ float s[128];\n"
               "    int t = threadIdx.x;\n    int i = " +
               index +
               ";\n    s[t] = i < n ? x[i] : 0;\n    __syncthreads();\n"
               "    for (int d = 64; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n        "
               "__syncthreads();\n    }\n"
               "    if (t == 0) part[blockIdx.x] = s[0];\n}\n";
    };
    EXPECT_THAT(
        report_of(text("threadIdx.x")),
        HasSubstr(
            "lost elements (risk): each of the 8 blocks reduces the same 128 of the 1024 elements of x, and no block "
            "the others: the index of the load in line 5 may leave out the block"));
    EXPECT_EQ(mended(text("threadIdx.x")), text("blockIdx.x * blockDim.x + threadIdx.x"));
    EXPECT_THAT(report_of(text("blockIdx.x * blockDim.x + threadIdx.x")), Not(HasSubstr("lost elements")));
}

struct BrokenNumber {
    const char* name;
    const char* before;
    const char* after;
    std::uint64_t n;
};
void PrintTo(const BrokenNumber& it, std::ostream* out) { *out << it.name; }

const BrokenNumber kBroken[] = {
    {"AFirstValue",
     "__global__ void k(const float* a, float* y, int n) {\n    int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (r >= n) return;\n    float sum;\n    for (int c = 0; c < n; c++)\n        sum += a[r * n + c];\n"
     "    y[r] = sum;\n}\n",
     "    float sum = 0;\n", 0},
    {"AQuotientWithItsFraction",
     "__global__ void k(const unsigned char* a, float* y, int n) {\n    int i = blockIdx.x * blockDim.x + "
     "threadIdx.x;\n"
     "    if (i < n) y[i] = a[i] / 255;\n}\n",
     "y[i] = (float)a[i] / 255;", 0},
    {"AHaloOnEitherSide",
     "#define R 2\n__global__ void k(const float* a, float* y, int n) {\n    __shared__ float t[256 + R];\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;\n    t[l] = i < n ? a[i] : 0;\n"
     "    if (threadIdx.x < R) {\n        t[threadIdx.x] = i >= R ? a[i - R] : 0;\n"
     "        t[l + 256] = i + 256 < n ? a[i + 256] : 0;\n    }\n    __syncthreads();\n"
     "    float s = 0;\n    for (int o = -R; o <= R; o++) s += t[l + o];\n    if (i < n) y[i] = s;\n}\n",
     "t[256 + 2 * R];", 0},
    {"AReturnBeforeABarrier",
     "__global__ void k(const int* a, int* y, int n) {\n    __shared__ int s[256];\n    int t = threadIdx.x;\n"
     "    int i = blockIdx.x * blockDim.x + t;\n    if (i >= n)\n        return;\n    s[t] = a[i];\n    "
     "__syncthreads();\n"
     "    y[i] = s[t] + 1;\n}\n",
     "    s[t] = i < n ? a[i] : 0;\n    __syncthreads();\n    if (i < n) y[i] = s[t] + 1;\n", 1000},
    {"AReturnBeforeAReduction",
     "__global__ void k(const int* a, int* y, int n) {\n    __shared__ int s[256];\n    int t = threadIdx.x;\n"
     "    int i = blockIdx.x * blockDim.x + t;\n    if (i >= n) return;\n    s[t] = a[i];\n    __syncthreads();\n"
     "    for (int d = 128; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n        __syncthreads();\n    }\n"
     "    if (t == 0) y[blockIdx.x] = s[0];\n}\n",
     "    s[t] = i < n ? a[i] : 0;\n    __syncthreads();\n    for (int d = 128; d > 0; d /= 2) {\n", 1000},
    {"AShuffleInABranch",
     "__global__ void k(const int* a, int* y, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) {\n        int v = a[i];\n        for (int d = 16; d > 0; d /= 2)\n"
     "            v += __shfl_down_sync(0xffffffff, v, d);\n        if (threadIdx.x % 32 == 0) y[i / 32] = v;\n    "
     "}\n}\n",
     "        int v = i < n ? a[i] : 0;\n        for", 1000},
    {"ARoundOfASort",
     "#define N 256\n__global__ void k(int* a) {\n    __shared__ int s[N];\n    int t = threadIdx.x;\n    s[t] = "
     "a[t];\n"
     "    __syncthreads();\n    for (int p = 0; p < N; p++) {\n        if (t % 2 == p % 2 && t + 1 < N) {\n"
     "            if (s[t] > s[t + 1]) { int h = s[t]; s[t] = s[t + 1]; s[t + 1] = h; }\n        }\n    }\n"
     "    __syncthreads();\n    a[t] = s[t];\n}\n",
     "        }\n        __syncthreads();\n    }\n", 0},
    {"AChainedComparison",
     "__global__ void k(const int* a, int* y, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) y[i] = 10 < a[i] < 70;\n}\n",
     "y[i] = 10 < a[i] && a[i] < 70;", 0},
    {"ASlotOfAQueue",
     "__global__ void k(const int* a, int* queue, int* size, int n) {\n    int i = blockIdx.x * blockDim.x + "
     "threadIdx.x;\n"
     "    if (i < n) {\n        int slot = *size;\n        queue[slot] = a[i];\n        atomicAdd(size, 1);\n    "
     "}\n}\n",
     "        int slot = atomicAdd(size, 1);\n        queue[slot] = a[i];\n    }\n", 0},
    {"WhereEachBegins",
     "__global__ void k(const int* a, int* begin, int* total, int n) {\n    int i = blockIdx.x * blockDim.x + "
     "threadIdx.x;\n"
     "    if (i < n) {\n        begin[i] = *total;\n        *total += a[i];\n    }\n}\n",
     "        begin[i] = atomicAdd(total, a[i]);\n    }\n", 0},
    {"AMirroredColumn",
     "__global__ void k(const float* a, float* y, int w, int h) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n    if (i < w && j < h) y[j * w + i] = a[j * w + (w - "
     "i)];\n}\n",
     "a[j * w + (w - 1 - i)]", 27},
    {"ABorderThatIsRepeated",
     "__global__ void k(const float* a, float* y, int w, int h) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n    if (i >= w || j >= h) return;\n"
     "    int next = min(i + 1, w);\n    y[j * w + i] = a[j * w + i] + a[j * w + next];\n}\n",
     "min(i + 1, w - 1);", 27},
};

class NumberRemedies : public testing::TestWithParam<BrokenNumber> {};
INSTANTIATE_TEST_SUITE_P(Kernels, NumberRemedies, testing::ValuesIn(kBroken),
                         [](const auto& info) { return info.param.name; });

TEST_P(NumberRemedies, LeaveNothingToFind) {
    const BrokenNumber& it = GetParam();
    const std::string changed = mended(it.before, it.n);
    EXPECT_THAT(changed, HasSubstr(it.after));
    RunControl control;
    const Trace after = runs::run_kernel_file(options_of(changed, it.n), control);
    EXPECT_TRUE(after.completed());
    for (const Finding& f : after.launches.front().findings) {
        ADD_FAILURE() << name(f.kind);
    }
}

class IntegerOverflow : public Program {};

std::string adding(const std::string& kernel, int value) {
    return "#include <cstdio>\n__global__ void k(const int* x, int* s, long long* wide, int n) {\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n        " +
           kernel +
           "\n    }\n}\nint main() {\n    const int n = 3000;\n    static int h[n];\n"
           "    for (int i = 0; i < n; i++) h[i] = " +
           std::to_string(value) +
           ";\n    int *x, *s;\n    long long* w;\n    cudaMalloc(&x, sizeof h);\n    cudaMalloc(&s, 4);\n    "
           "cudaMalloc(&w, 8);\n"
           "    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);\n    cudaMemset(s, 0, 4);\n    cudaMemset(w, 0, "
           "8);\n"
           "    k<<<(n + 255) / 256, 256>>>(x, s, w, n);\n    long long r;\n    int t;\n"
           "    cudaMemcpy(&r, w, 8, cudaMemcpyDeviceToHost);\n    cudaMemcpy(&t, s, 4, cudaMemcpyDeviceToHost);\n"
           "    printf(\"%lld %d\\n\", r, t);\n    cudaFree(x);\n    cudaFree(s);\n    cudaFree(w);\n    return "
           "0;\n}\n";
}

TEST_F(IntegerOverflow, IsToldOfWhatAProgramAdds) {
    const auto told = [&](const std::string& kernel, int value) {
        const RanProgram ran = run(adding(kernel, value));
        const Trace& trace = ran.result.trace;
        return trace.launches.empty() || trace.launches.front().findings.empty()
                   ? std::string()
                   : sentence(trace, trace.launches.front(), trace.launches.front().findings.front());
    };
    EXPECT_EQ(told("int q = x[i] * x[i];\n        atomicAdd((unsigned long long*)wide, (unsigned long long)q);", 46341),
              "thread 0 of block 0 computes 46341 * 46341 = 2147488281 in line 5, which no int holds: -2147479015 is "
              "left of it.");
    EXPECT_THAT(
        told("int q = x[i] * x[i];\n        atomicAdd((unsigned long long*)wide, (unsigned long long)q);", 46340),
        IsEmpty());
    // The first that does not fit is the 2148th of a million each.
    EXPECT_THAT(told("atomicAdd(s, x[i]);", 1000000),
                HasSubstr("thread 99 of block 8 computes 2147000000 + 1000000 = 2148000000 in line 5"));
    EXPECT_THAT(told("if ((unsigned)x[i] * 3000u + 4000000000u == 7u) atomicAdd(s, 1);", 2000000), IsEmpty())
        << "unsigned numbers wrap";
    EXPECT_THAT(told("atomicAdd((unsigned long long*)wide, (unsigned long long)x[i] * x[i]);", 1000000), IsEmpty());
    // Computed only where it fits.
    EXPECT_THAT(told("if (x[i] != 2147483647 && x[i] + 3 < 100) atomicMin(s, x[i] + 3);", 2147483647), IsEmpty());
    EXPECT_THAT(told("if (x[i] + 3 < 100) atomicMin(s, x[i]);", 2147483647), HasSubstr("2147483647 + 3 = 2147483650"));
}

TEST_F(IntegerOverflow, IsMendedBy64Bits) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text =
        adding("int q = x[i] * x[i];\n        atomicAdd((unsigned long long*)wide, (unsigned long long)q);", 46341);
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    const auto found = runs::first_remedy(own.trace->options, *own.trace, std::nullopt, control);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("long long q = (long long)x[i] * x[i];"));
    EXPECT_EQ(run(found->remedy.text).out, "6442464843000 0\n"); // 3000 * 46341 * 46341
}

} // namespace
} // namespace warptree
