// Changes that mend a finding: the changed kernel is right for other sizes and orders, too, and nothing else is changed.
#include "app/run/check/check.hpp"
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_difference.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace warptree::tests {
namespace {

using testing::HasSubstr;

struct Broken {
    const char* name;
    const char* text;
    const char* line; // that the mended text has and the broken one has not
};

constexpr const char* kBegin = "__device__ int part[1024];\n__device__ int count;\n"
                               "__global__ void k(const int* in, int* out, int n) {\n"
                               "    __shared__ int s[256];\n"
                               "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n";

const Broken kBroken[] = {
    {"ABarrierBetweenTwoStatements",
     "    s[t] = i < n ? in[i] : 0;\n"
     "    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n"
     "        __syncthreads();\n    }\n    if (t == 0) atomicAdd(out, s[0]);\n}\n",
     "    __syncthreads();\n    for"},
    {"ABarrierAtTheEndOfALoopWithBraces",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n        if (t < d) {\n            s[t] += s[t + d];\n        "
     "}\n    }\n"
     "    if (t == 0) atomicAdd(out, s[0]);\n}\n",
     "        }\n        __syncthreads();\n    }\n"},
    {"ABarrierAtTheEndOfALoopWithoutBraces",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    for (int d = blockDim.x / 2; d > 0; d /= 2)\n        if (t < d) // s[t] = 0; {\n            s[t] += s[t + "
     "d];\n"
     "    if (t == 0) atomicAdd(out, s[0]);\n}\n",
     "d /= 2) {\n        if (t < d) // s[t] = 0; {\n            s[t] += s[t + d];\n        __syncthreads();\n    }\n"},
    {"ABarrierThatOnlySomeReach",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n        if (t < d) {\n            s[t] += s[t + d];\n"
     "            __syncthreads();\n        }\n    }\n    if (t == 0) atomicAdd(out, s[0]);\n}\n",
     "        }\n        __syncthreads();\n    }\n"},
    {"ALostUpdate", "    if (i < n) out[0] += in[i];\n}\n", "if (i < n) atomicAdd(&out[0], in[i]);"},
    {"ALostUpdateOfAPointee", "    if (i < n)\n        *out = *out + in[i];\n}\n", "        atomicAdd(out, in[i]);"},
    {"AStatementThatReadsWhatAnotherThreadStores",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n    for (int d = 1; d < blockDim.x; d *= 2) {\n"
     "        if (t >= d)\n            s[t] += s[t - d];\n        __syncthreads();\n    }\n"
     "    if (t == blockDim.x - 1) atomicAdd(out, s[t]);\n}\n",
     "        const auto next = t >= d ? s[t] + s[t - d] : 0;\n        __syncthreads();\n"
     "        if (t >= d) s[t] = next;\n        __syncthreads();\n    }\n"},
    {"AStatementThatReadsWhatAnotherThreadStoresInALoopWithoutBarrier",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n    for (int d = 1; d < blockDim.x; d *= 2)\n"
     "        if (t >= d) {\n            s[t] = s[t - d] + s[t];\n        }\n    __syncthreads();\n"
     "    if (t == blockDim.x - 1) atomicAdd(out, s[t]);\n}\n",
     "{ const auto next = t >= d ? s[t - d] + s[t] : 0;\n        __syncthreads();\n        if (t >= d) s[t] = next;\n"
     "        __syncthreads(); }\n"},
    {"AFenceOfTheLastBlock",
     "    __shared__ bool last;\n    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    if (t == 0) {\n        int sum = 0;\n        for (int k = 0; k < blockDim.x; ++k) sum += s[k];\n"
     "        part[blockIdx.x] = sum;\n        __threadfence();\n"
     "        last = atomicAdd(&count, 1) == gridDim.x - 1;\n    }\n    __syncthreads();\n"
     "    if (last && t == 0) {\n        int sum = 0;\n"
     "        for (int b = 0; b < gridDim.x; ++b) sum += part[b];\n        out[0] = sum;\n    }\n}\n",
     "        int sum = 0;\n        __threadfence();\n        for (int b"},
    {"BothFencesOfTheLastBlock",
     "    __shared__ bool last;\n    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    if (t == 0) {\n        int sum = 0;\n        for (int k = 0; k < blockDim.x; ++k) sum += s[k];\n"
     "        part[blockIdx.x] = sum;\n        last = atomicAdd(&count, 1) == gridDim.x - 1;\n    }\n"
     "    __syncthreads();\n    if (last && t == 0) {\n        int sum = 0;\n"
     "        for (int b = 0; b < gridDim.x; ++b) sum += part[b];\n        out[0] = sum;\n    }\n}\n",
     "part[blockIdx.x] = sum;\n        __threadfence();"},
    {"BothFencesOfALock",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n    if (t == 0) {\n        int sum = 0;\n"
     "        for (int k = 0; k < blockDim.x; ++k) sum += s[k];\n        while (atomicCAS(&count, 0, 1) != 0) {\n      "
     "  }\n"
     "        *out += sum;\n        atomicExch(&count, 0);\n    }\n}\n",
     "        __threadfence();\n        *out += sum;\n        __threadfence();\n"},
    {"AMaskOfHalfAWarp",
     "    int v = i < n ? in[i] : 0;\n    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d);\n"
     "    if (t % 32 == 0) atomicAdd(out, v);\n}\n",
     "__shfl_down_sync(0xFFFFFFFF, v, d)"},
    {"AMaskOfMoreLanesThanTakePart",
     "    s[t] = i < n ? in[i] : 0;\n    __syncthreads();\n"
     "    for (int d = blockDim.x / 2; d >= 32; d /= 2) {\n        if (t < d) s[t] += s[t + d];\n"
     "        __syncthreads();\n    }\n    if (t < 16) {\n        int v = s[t] + (blockDim.x < 32 ? 0 : s[t + 16]);\n"
     "        for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);\n"
     "        if (t == 0) atomicAdd(out, v);\n    }\n}\n",
     "__shfl_xor_sync(0xFFFF, v, d)"},
    {"AShuffleWithoutSync",
     "    int v = i < n ? in[i] : 0;\n    for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);\n"
     "    if (t % 32 == 0) atomicAdd(out, v);\n}\n",
     "__shfl_down_sync(0xFFFFFFFF, v, d)"},
};

// What is tested and then stored, and guards that a number of the kernel gives.
struct Meant {
    const char* name;
    const char* text;
    const char* line;    // of the mended text; empty: no change mends it
    std::uint64_t n = 0; // 0: as chosen
};
constexpr Meant kMeant[] = {
    {"AMaximumOfOneElement",
     "__global__ void k(const int* x, int* m, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n)\n        if (x[i] < *m)\n            *m = x[i];\n}\n",
     "    if (i < n)\n        atomicMin(m, x[i]);\n}"},
    {"AMaximumInSharedMemory",
     "__global__ void k(const int* x, int* out, int n) {\n    __shared__ int best;\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (threadIdx.x == 0) best = -1000000;\n"
     "    __syncthreads();\n    if (i < n && x[i] > best) best = x[i];\n    __syncthreads();\n"
     "    if (threadIdx.x == 0) out[blockIdx.x] = best;\n}\n",
     "    if (i < n) atomicMax(&best, x[i]);\n"},
    {"ASlotThatIsTakenInTwoLines",
     "__global__ void k(const int* x, int* out, int* num, int n) {\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n && x[i] > 10) {\n"
     "        out[*num] = x[i];\n        *num += 1;\n    }\n}\n",
     "        out[atomicAdd(num, 1)] = x[i];\n    }"},
    {"TheNeighbourInside",
     "__global__ void k(const float* in, float* out, int n) {\n"
     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i > 0 && i < n)\n"
     "        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];\n}\n",
     "if (i > 0 && i + 1 < n)", 1000},
    {"BothLimits",
     "__global__ void k(unsigned char* img, int w, int h) {\n"
     "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
     "    if (x < w || y < h)\n        img[y * w + x] = 255 - img[y * w + x];\n}\n",
     "if (x < w && y < h)", 27},
};
class MeantRemedies : public testing::TestWithParam<Meant> {};
INSTANTIATE_TEST_SUITE_P(Kernels, MeantRemedies, testing::ValuesIn(kMeant),
                         [](const auto& info) { return info.param.name; });

class Remedies : public testing::TestWithParam<Broken> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Remedies, testing::ValuesIn(kBroken),
                         [](const auto& info) { return info.param.name; });

RunOptions options_of(const std::string& text) {
    RunOptions o;
    o.kernel.text = text;
    o.kernel.expect = "sum";
    return o;
}

std::optional<runs::FoundRemedy> mended(const RunOptions& o) {
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    return runs::first_remedy(o, trace, std::nullopt, control);
}

TEST_P(Remedies, MakeItRightForEverySizeAndOrder) {
    const std::string text = std::string(kBegin) + GetParam().text;
    const auto found = mended(options_of(text));
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr(GetParam().line));
    EXPECT_THAT(text, testing::Not(HasSubstr(GetParam().line)));

    runs::CheckRequest request;
    request.options = options_of(found->remedy.text);
    request.n = {1, 31, 32, 33, 1000};
    request.blocks = {"32", "64", "256"};
    request.orders = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};
    request.no_findings = true;
    RunControl control;
    const runs::CheckResult result = runs::check(request, control, {});
    EXPECT_EQ(result.reason, "");
    EXPECT_EQ(result.runs.size(), 45U);
    for (const runs::CheckRun& run : result.runs) {
        EXPECT_TRUE(run.pass && run.expected) << "n " << run.n << ", block " << run.block << ": " << run.reason;
    }
}

TEST_P(MeantRemedies, AreWhatATeacherWouldWrite) {
    RunOptions o;
    o.kernel.text = GetParam().text;
    if (GetParam().n != 0) {
        o.n = GetParam().n;
        o.kernel.n_given = true;
    }
    const auto found = mended(o);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr(GetParam().line));
}

TEST(Remedy, WritesWhatIsMeantForWhatHardlyEverIs) {
    for (const auto& [line, mended_line] :
         {std::pair{"    if (i = 3) out[0] = 1;", "if (i == 3)"},
          std::pair{"    if (i < n && i != 4);\n        out[i] = in[i];", "if (i < n && i != 4)\n"},
          std::pair{"    if (i < n) out[i] = (1 / 9) * (in[i] * 1.0f);", "(1.0 / 9)"}}) {
        RunOptions o;
        o.kernel.text = "__global__ void k(const int* in, float* out, int n) {\n"
                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                        std::string(line) + "\n}\n";
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        const auto& all = trace.launches.front().findings;
        const auto doubt = std::ranges::find(all, FindingKind::doubtful_code, &Finding::kind);
        ASSERT_NE(doubt, all.end()) << line;
        const auto remedy =
            runs::certain_remedy(o, trace, {0, static_cast<std::uint32_t>(doubt - all.begin())}, control);
        ASSERT_TRUE(remedy.has_value()) << line;
        EXPECT_THAT(remedy->text, HasSubstr(mended_line));
    }
}

TEST(Remedy, CountsByAnAtomicWhereSlotsAreTaken) {
    RunOptions o;
    o.kernel.text = "__global__ void keep(const int* in, int* out, int* count, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n && in[i] % 3 == 1) {\n"
                    "        int slot = (*count)++;\n        out[slot] = in[i];\n    }\n}\n";
    const auto found = mended(o);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("int slot = atomicAdd(count, 1);"));
}

TEST(Remedy, LeavesASymmetricLoopAndMendsTheReturnBeforeIt) {
    RunOptions o;
    o.n = 64;
    o.kernel.n_given = true;
    o.kernel.arguments = {{"in", "iota:64"}, {"out", "zeros:64"}, {"n", "64"}};
    o.kernel.text =
        "__global__ void blur(const int* in, int* out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < 1 || i >= n || i > n - 1) return;\n"
        "    if (i > n - 1 || i == 0) return;\n    int sum = 0;\n"
        "    for (int d = -1; d <= 1; ++d) sum += in[i + d];\n    out[i] = sum;\n}\n";
    const auto found = mended(o);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("d = -1; d <= 1; ++d"));
    EXPECT_THAT(found->remedy.text, HasSubstr("i >= n - 1"));
}

TEST(Remedy, GuardsWhatIsPastTheEnd) {
    for (const auto& [body, line] :
         {std::pair{"    out[i] = 2 * in[i];\n", "if (i < n) out[i] = 2 * in[i];"},
          std::pair{"    if (i <= n) out[i] = 2 * in[i];\n", "if (i < n) out[i] = 2 * in[i];"},
          std::pair{"    int v = 0;\n    v = i <= n ? in[i] : 0;\n    if (i < n) out[i] = 2 * v;\n",
                    "v = i < n ? in[i] : 0;"},
          std::pair{"    if (t >= 0)\n        out[i] = in[i] + 1;\n", "i < n"}}) {
        RunOptions o;
        o.kernel.text =
            "__global__ void k(const int* in, int* out, int n) {\n    int t = threadIdx.x, i = blockIdx.x * "
            "blockDim.x + t;\n" +
            std::string(body) + "}\n";
        o.n = 1000;
        o.kernel.n_given = true;
        o.kernel.arguments = {{"in", "iota:1000"}, {"out", "zeros:1000"}, {"n", "1000"}};
        const auto found = mended(o);
        ASSERT_TRUE(found.has_value()) << body;
        EXPECT_THAT(found->remedy.text, HasSubstr(line));
        o.kernel.text = found->remedy.text;
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        EXPECT_TRUE(kinds(trace).empty());
        EXPECT_EQ(values<int>(trace, "out").back(), body[4] == 'i' && body[7] == '(' && body[8] == 't' ? 1000 : 1998);
    }
}

TEST(Remedy, GuardsBothEndsOfAStencil) {
    for (const auto& [type, line] :
         {std::pair{"int", "(i - 1 >= 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0)"},
          std::pair{"unsigned",
                    "(i - 1 >= 0 && i - 1 < n ? in[i - 1] : 0) + in[i] + (i + 1 >= 0 && i + 1 < n ? in["}}) {
        RunOptions o;
        o.kernel.text = std::string("__global__ void k(const int* in, int* out, ") + type + " n) {\n    " + type +
                        " i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    if (i < n) out[i] = in[i - 1] + in[i] + in[i + 1];\n}\n";
        o.n = 1000;
        o.kernel.n_given = true;
        o.kernel.arguments = {{"in", "iota:1000"}, {"out", "zeros:1000"}, {"n", "1000"}};
        const auto found = mended(o);
        ASSERT_TRUE(found.has_value()) << type;
        EXPECT_THAT(found->remedy.text, HasSubstr(line));
        o.kernel.text = found->remedy.text;
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        EXPECT_TRUE(kinds(trace).empty());
        EXPECT_EQ(values<int>(trace, "out").front(), 1);
        EXPECT_EQ(values<int>(trace, "out").back(), 998 + 999);
    }
}

// The accesses stand in two functions, of which only one may have the barrier.
TEST(Remedy, OrdersWhatTheKernelAndAFunctionOfItAccess) {
    RunOptions o = options_of("template <int B> __device__ int folded(const int* s) {\n    int sum = 0;\n"
                              "    for (int k = 0; k < B; ++k) sum += s[k];\n    return sum;\n}\n"
                              "__global__ void k(const int* in, int* out, int n) {\n    __shared__ int s[256];\n"
                              "    int i = blockIdx.x * 256 + threadIdx.x;\n    s[threadIdx.x] = i < n ? in[i] : 0;\n"
                              "    if (threadIdx.x == 0) atomicAdd(out, folded<256>(s));\n}\n");
    const auto found = mended(o);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("in[i] : 0;\n    __syncthreads();\n    if"));
}

TEST(Remedy, OrdersTilesInABlockOfTwoDimensions) {
    RunOptions o;
    o.kernel.text = "__global__ void k(const int* A, int* C) {\n    __shared__ int s[16][16];\n    int acc = 0;\n"
                    "    for (int p = 0; p < 2; ++p) {\n"
                    "        s[threadIdx.y][threadIdx.x] = A[(p * 16 + threadIdx.y) * 16 + threadIdx.x];\n"
                    "        __syncthreads();\n        acc += s[15 - threadIdx.y][threadIdx.x];\n    }\n"
                    "    C[threadIdx.y * 16 + threadIdx.x] = acc;\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    // As a trace says it: 256 threads alone would be one row of them.
    const auto found = runs::first_remedy(runs::in_same_block(trace), trace, std::nullopt, control);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("threadIdx.x];\n        __syncthreads();\n    }"));
}

// Of the smallest launch that goes wrong, whose block is not the usual one.
TEST(Remedy, GuardsWhatMayBePastTheEnd) {
    RunOptions past;
    past.kernel.text = "__global__ void k(const int* in, int* out, int n) {\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = 2 * in[i];\n}\n";
    ask_for_elements(past, 1);
    ask_for_block(past, 32);
    const auto guard = mended(past);
    ASSERT_TRUE(guard.has_value());
    EXPECT_THAT(guard->remedy.text, HasSubstr("if (i < n) out[i] = 2 * in[i];"));
}

TEST(Remedy, IsNoneWhereNothingIsWrongOrNoSmallChangeMends) {
    const std::string right = std::string(kBegin) + "    if (i < n) atomicAdd(out, in[i]);\n}\n";
    EXPECT_FALSE(mended(options_of(right)).has_value());
    // Right by its barriers, wrong by its arithmetic: nothing is offered for the result alone.
    const std::string wrong = std::string(kBegin) + "    if (i < n) atomicAdd(out, in[i] + 1);\n}\n";
    EXPECT_FALSE(mended(options_of(wrong)).has_value());
    const std::string less = std::string(kBegin) + "    if (i < n - 1) atomicAdd(out, in[i]);\n}\n";
    const auto one_more = mended(options_of(less));
    ASSERT_TRUE(one_more.has_value()) << "the last element is read by no thread";
    EXPECT_THAT(one_more->remedy.text, HasSubstr("if (i < n) atomicAdd"));
    // The same with an effect in what would be written twice.
    const auto twice = mended(options_of("__global__ void k(int* a, int n) {\n    int i = threadIdx.x;\n"
                                         "    if (++i < n) a[i - 1] = a[i];\n}\n"));
    EXPECT_FALSE(twice.has_value());
}

// One barrier of two is no mend where one alone is enough.
TEST(Remedy, PutsTheBarrierWhereOneOrdersAll) {
    RunOptions o;
    o.kernel.text =
        "__global__ void k(int* keys) {\n    __shared__ int s[256];\n    int t = threadIdx.x;\n    s[t] = keys[t];\n"
        "    s[t + 128] = keys[t + 128];\n    for (int size = 2; size <= 256; size *= 2) {\n        __syncthreads();\n"
        "        for (int stride = size / 2; stride > 0; stride /= 2) {\n"
        "            int pos = 2 * t - (t & (stride - 1));\n            int a = s[pos], b = s[pos + stride];\n"
        "            if ((a > b) == ((pos & size) == 0)) { s[pos] = b; s[pos + stride] = a; }\n        }\n    }\n"
        "    __syncthreads();\n    keys[t] = s[t];\n    keys[t + 128] = s[t + 128];\n}\n";
    const auto sorted = mended(o);
    ASSERT_TRUE(sorted.has_value());
    EXPECT_THAT(sorted->remedy.text, HasSubstr("s[pos + stride] = a; }\n            __syncthreads();\n        }\n"));
}

// Several elements that threads of different blocks store are no one element that one thread of all could store.
TEST(Remedy, SilencesNoThreads) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text =
        "__global__ void k(int* b, int w, int h) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x < w && y < h) b[y * h + x] = x - y;\n}\n"
        "int main() {\n    int* b;\n    cudaMalloc(&b, 40 * 24 * sizeof(int));\n"
        "    k<<<dim3(5, 3), dim3(8, 8)>>>(b, 40, 24);\n    cudaDeviceSynchronize();\n    cudaFree(b);\n}\n";
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    ASSERT_FALSE(kinds(*own.trace).empty());
    const auto found = runs::first_remedy(runs::in_same_block(*own.trace), *own.trace, std::nullopt, control);
    EXPECT_FALSE(found.has_value()) << found->remedy.text;
}

// A program that checks itself is not mended by what only hides the finding.
TEST(Remedy, LetsAProgramPassThatChecksItself) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text =
        "__global__ void k(int* d, int n) {\n    __shared__ int s[128];\n    int t = threadIdx.x;\n"
        "    s[t] = d[t];\n    __syncthreads();\n    d[t] = s[n - t];\n}\n"
        "int main() {\n    const int n = 128;\n    int h[n], *d;\n    for (int i = 0; i < n; ++i) h[i] = i;\n"
        "    cudaMalloc(&d, sizeof h);\n    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
        "    k<<<1, n>>>(d, n);\n    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
        "    bool right = true;\n    for (int i = 0; i < n; ++i) right = right && h[i] == n - 1 - i;\n"
        "    cudaFree(d);\n    return !right;\n}\n";
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    const auto found = runs::first_remedy(runs::in_same_block(*own.trace), *own.trace, std::nullopt, control);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("d[t] = s[n - 1 - t];"));
}

TEST(Remedy, ReadsFirstWhatOneStatementReadsAndStores) {
    RunOptions o;
    o.kernel.text = "__global__ void k(int* a, int n) {\n    int i = threadIdx.x;\n"
                    "    if (i + 1 < n) a[i] = a[i + 1];\n}\n";
    o.n = 100;
    o.kernel.n_given = true;
    o.kernel.arguments = {{"a", "iota:100"}, {"n", "100"}};
    ask_for_block(o, 128);
    const auto found = mended(o);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->remedy.text, HasSubstr("    const auto next = i + 1 < n ? a[i + 1] : 0;\n    __syncthreads();\n"
                                              "    if (i + 1 < n) a[i] = next;\n}"));
    for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random}) {
        o.kernel.text = found->remedy.text;
        o.order = order;
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        EXPECT_TRUE(kinds(trace).empty());
        const std::vector<int> shifted = values<int>(trace, "a");
        ASSERT_EQ(shifted.size(), 100U);
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(shifted[static_cast<std::size_t>(i)], std::min(i + 1, 99));
        }
    }
}

// What the host states is kept, arrays have the host's names, and a later launch is first seen when the one before is mended.
TEST(Remedy, MendsTheKernelsOfAProgram) {
    const std::string twice = "__global__ void twice(const float* in, float* out, int n) {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = 2 * in[i];\n}\n";
    const std::string turn =
        "__global__ void turn(float* d) {\n    __shared__ float s[128];\n    int t = threadIdx.x;\n"
        "    s[t] = d[t];\n    d[t] = s[127 - t];\n}\n";
    const std::string host = "int main() {\n    float *a, *r, h[1000] = {};\n    cudaMalloc(&a, sizeof h);\n"
                             "    cudaMalloc(&r, sizeof h);\n    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n"
                             "    twice<<<8, 128>>>(a, r, 1000);\n    turn<<<1, 128>>>(r);\n"
                             "    cudaMemcpy(h, r, sizeof h, cudaMemcpyDeviceToHost);\n    cudaFree(a);\n"
                             "    cudaFree(r);\n}\n";
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text = twice + turn + host;
    for (const char* line : {"    if (i < n) out[i] = 2 * in[i];\n", "    s[t] = d[t];\n    __syncthreads();\n"}) {
        RunControl control;
        const auto own = runs::run_own_launches(o, control);
        ASSERT_TRUE(own.trace.has_value());
        const auto found = runs::first_remedy(runs::in_same_block(*own.trace), *own.trace, std::nullopt, control);
        ASSERT_TRUE(found.has_value()) << line;
        EXPECT_THAT(found->remedy.text, HasSubstr(line));
        o.kernel.text = found->remedy.text;
    }
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    EXPECT_TRUE(kinds(*own.trace).empty());
    EXPECT_TRUE(own.trace->program.findings.empty());
}

TEST(Difference, IsTheChangedLinesAndOneBesideThem) {
    using Kind = runs::DifferenceLine::Kind;
    const auto lines = runs::difference("a\nb\nc\nd\n", "a\nb\nX\nY\nd\n");
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0].text, "b");
    EXPECT_EQ(lines[1].kind, Kind::goes);
    EXPECT_EQ(lines[1].line, 3U);
    EXPECT_EQ(lines[2].text, "X");
    EXPECT_EQ(lines[3].line, 4U);
    EXPECT_EQ(lines[4].text, "d");
    EXPECT_TRUE(runs::difference("", "").empty());
    EXPECT_EQ(runs::difference("a\n", "a\nb\n").size(), 2U);
}

std::string text_of(const runs::Statements& code, const runs::Statement& s) {
    return code.text().substr(s.begin, s.end - s.begin);
}

TEST(Statements, AreThoseThatBracketsAndSemicolonsMake) {
    const std::string text = "#define X { if (\nstruct S { int a; };\nint f(int x) { return x; }\nvoid g() {\n"
                             "  const char* s = \"} ; {\"; // }\n  if (a) b(); else { c(\";\"); }\n"
                             "  do { d(); } while (e);\n  for (;;) while (x) /* ; */ y();\n  int m[] = {1, 2};\n}\n";
    const runs::Statements code(text);
    EXPECT_EQ(code.bare().size(), text.size());
    const auto at = [&](const char* word) { return code.around(text.find(word)); };
    EXPECT_EQ(text_of(code, *at("return x").back()), "return x;");
    EXPECT_EQ(text_of(code, *at("const char").back()), "const char* s = \"} ; {\";");
    const auto call = at("c(\"");
    ASSERT_EQ(call.size(), 4U);
    EXPECT_EQ(text_of(code, *call[1]), "if (a) b(); else { c(\";\"); }");
    EXPECT_EQ(call[1]->kind, runs::Statement::Kind::branch);
    EXPECT_EQ(text_of(code, *at("d()")[1]), "do { d(); } while (e);");
    const auto inner = at("y()");
    ASSERT_EQ(inner.size(), 4U);
    EXPECT_EQ(inner[1]->kind, runs::Statement::Kind::loop);
    EXPECT_EQ(inner[2]->kind, runs::Statement::Kind::loop);
    EXPECT_EQ(text_of(code, *at("int m").back()), "int m[] = {1, 2};");
    EXPECT_TRUE(code.around(text.find("#define")).empty());
    EXPECT_EQ(code.line_of(text.find("do {")), 7U);
}

TEST(Statements, OfAnyTextAreRead) {
    for (const char* text :
         {"", "{", "}", "f() {", "f() { if", "f() { if (", "f() { for (;;", "f() { do", "f() { \"", "f() { '",
          "f() { /*", "f() { else }", "f() { ) ] ; }", "#", "# \\", "f() { switch (x) case 1: ; }"}) {
        const runs::Statements code(text);
        for (std::size_t at = 0; at < code.text().size(); ++at) {
            for (const runs::Statement* s : code.around(at)) {
                EXPECT_LE(s->end, code.text().size()) << text;
                EXPECT_LE(s->begin, s->end) << text;
            }
        }
    }
    EXPECT_NO_THROW(runs::Statements("f() " + std::string(100000, '{')));
}

} // namespace
} // namespace warptree::tests
