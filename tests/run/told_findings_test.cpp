// What is told of findings: each mistake once, with the line and the remedy that are its own.
#include "app/trace/explain/report.hpp"
#include "app/trace/explain/told_findings.hpp"
#include "tests/run/program_fixture.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ToldFindings, SayOfRacesOnOneArrayTheFirstAndHowMany) {
    // A warp without __syncwarp, line by line: each line races with each before it.
    std::string text = "__global__ void k(const int* in, int* out) {\n  __shared__ volatile int s[64];\n"
                       "  int t = threadIdx.x; s[t] = in[t]; s[t + 32] = in[t] + 100; __syncthreads();\n";
    for (const char* by : {"16", "8", "4", "2", "1"}) {
        text += std::string("  s[t] += s[t + ") + by + "];\n";
    }
    const Trace trace = run_text(text + "  out[t] = s[0];\n}");
    const std::size_t races = trace.launches.front().findings.size();
    ASSERT_GT(races, 8U);
    const std::vector<ToldFinding> told = told_findings(trace);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told.back().alike.size(), races - 3);
    EXPECT_THAT(report_text(trace), HasSubstr(fmt::format("(and {} more races on s in lines ", races - 3)));
    EXPECT_EQ(told_in(told).size(), races) << "each is told somewhere";
}

TEST(ToldFindings, LeaveTheWarpsOwnToWhatOtherWarpsDo) {
    const Trace trace = run_text("__global__ void k(int* a, int n) {\n  int i = threadIdx.x;\n"
                                 "  for (int p = 0; p < n; ++p) {\n    int j = 2 * i + p % 2;\n"
                                 "    if (j + 1 < n && a[j] > a[j + 1]) {\n      int x = a[j];\n"
                                 "      a[j] = a[j + 1];\n      a[j + 1] = x;\n    }\n  }\n}",
                                 [](RunOptions& o) {
                                     o.n = 128;
                                     o.block = 64;
                                     o.kernel.arguments["a"] = "random";
                                 });
    const std::string text = report_text(trace);
    EXPECT_THAT(text, AllOf(HasSubstr("no __syncthreads orders the two"), HasSubstr("more races on a in lines")));
    EXPECT_THAT(text, Not(HasSubstr("no __syncwarp")));
}

TEST(ToldFindings, SayNothingOfWhatIsHarmlessBesideAFault) {
    const Trace trace = run_text("__global__ void k(const int* at, int* sum) {\n  int t = threadIdx.x;\n"
                                 "  if (t < 32) sum[at[t]] = 0;\n  if (at[t] == 5) sum[at[t]] += t;\n}",
                                 [](RunOptions& o) {
                                     o.n = 64;
                                     o.block = 64;
                                     o.kernel.arguments["at"] = "pairs";
                                 });
    const auto severity = [](const Finding& f) { return f.severity; };
    ASSERT_THAT(trace.launches.front().findings, testing::Contains(testing::ResultOf(severity, Severity::risk)));
    ASSERT_THAT(trace.launches.front().findings, testing::Contains(testing::ResultOf(severity, Severity::fault)));
    const auto told = told_findings(trace);
    for (const ToldFinding& one : told) {
        EXPECT_NE(one.finding->severity, Severity::risk);
    }
    EXPECT_EQ(told_in(told).size(), trace.launches.front().findings.size()) << "each is told somewhere";
}

class ToldProgram : public Program {};

TEST_F(ToldProgram, SaysOnceThatAKernelWasGivenAPointerOfTheHost) {
    const RanProgram ran = run("__global__ void k(const char* text, int* n) { if (text[threadIdx.x] == 'a') *n = 1; }\n"
                               "int main() {\n  const char* text = \"banana\"; int* n; cudaMalloc(&n, 4);\n"
                               "  k<<<1, 4>>>(text, n);\n  cudaDeviceSynchronize(); cudaFree(n);\n}\n");
    EXPECT_THAT(ran.kinds(), testing::Contains(FindingKind::host_pointer));
    EXPECT_THAT(told_findings(ran.result.trace), IsEmpty());
}

TEST_F(ToldProgram, SaysNoLeakOfOneThatGivesUp) {
    const auto ending = [&](const char* end, const char* index) {
        return run(std::string("__global__ void k(int* a) { a[") + index +
                   "] = 1; }\nint main() {\n  int* a; cudaMalloc(&a, 64);\n"
                   "  k<<<1, 1>>>(a);\n  if (cudaDeviceSynchronize() != cudaSuccess) return 3;\n  " +
                   end + "\n}\n");
    };
    EXPECT_THAT(ending("return 0;", "99").kinds(), IsEmpty()) << "the launch has the fault";
    EXPECT_THAT(ending("return 0;", "3").kinds(), testing::ElementsAre(FindingKind::leak));
    EXPECT_THAT(ending("return 1;", "3").kinds(), testing::ElementsAre(FindingKind::leak));
}

TEST_F(ToldProgram, SaysOfALoopOfLaunchesWhatTheFirstOneHas) {
    const RanProgram ran =
        run("__global__ void k(int* a, int from) {\n  int i = from + threadIdx.x;\n"
            "  a[i] = a[i + 1] + 1;\n}\n"
            "int main() {\n  int* a; cudaMalloc(&a, 4096); cudaMemset(a, 0, 4096);\n"
            "  for (int r = 0; r < 5; ++r) k<<<1, 64>>>(a, r);\n  cudaDeviceSynchronize(); cudaFree(a);\n}\n");
    const Trace& trace = ran.result.trace;
    const std::vector<ToldFinding> told = told_findings(trace);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front().launch, 0U);
    EXPECT_EQ(told.front().again, 4U) << "by other elements";
    const std::string text = report_text(trace);
    EXPECT_THAT(text, HasSubstr("(and again in 4 later launches"));
    EXPECT_THAT(text, HasSubstr("launch 5: k<<<1, 64>>>: race as in launch 1"));
}

// A thread that adds what its neighbour changes lacks a barrier; nothing is lost by two changes of one element.
TEST(ToldFindings, TellAScanInPlaceOfItsBarrier) {
    const Trace trace = run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int s[64];\n"
                                 "  s[threadIdx.x] = in[threadIdx.x];\n"
                                 "  for (unsigned d = 1; d < blockDim.x; d *= 2) {\n    __syncthreads();\n"
                                 "    if (threadIdx.x >= d)\n      s[threadIdx.x] += s[threadIdx.x - d];\n  }\n"
                                 "  out[threadIdx.x] = s[threadIdx.x];\n}",
                                 [](RunOptions& o) { o.n = o.block.emplace(64); });
    const std::string text = report_text(trace);
    EXPECT_THAT(text, HasSubstr("no __syncthreads orders the two"));
    EXPECT_THAT(text, Not(HasSubstr("atomic operation")));
}

// What is right only as long as the block is one warp is no remedy.
TEST(ToldFindings, AskForABlocksBarrierWhereAWarpIsTheBlock) {
    const auto text = [](const char* barrier) {
        return std::string("__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n"
                           "  int t = threadIdx.x; s[t] = in[t];\n  ") +
               barrier + "\n  int v = s[31 - t];\n  s[t] = v;\n  out[t] = s[t ^ 1];\n}";
    };
    EXPECT_THAT(report_text(run_text(text("__syncthreads();"))), HasSubstr("no __syncthreads orders the two"));
    EXPECT_THAT(report_text(run_text(text("__syncwarp();"))), HasSubstr("no __syncwarp orders the two"));
}

TEST(SharedBounds, EndWhereTheArrayEndsNotWhereMemoryDoes) {
    const Trace past = run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int a[32];\n"
                                "  __shared__ int b[32];\n  int t = threadIdx.x; b[t] = 0; a[t + 1] = in[t];\n"
                                "  __syncthreads(); out[t] = a[t] + b[t];\n}");
    ASSERT_FALSE(past.launches.front().findings.empty());
    const Finding& f = past.launches.front().findings.front();
    EXPECT_EQ(f.kind, FindingKind::out_of_bounds);
    EXPECT_EQ(f.array, "a");
    EXPECT_EQ(f.index, 32);
    EXPECT_EQ(f.elements, 32U);
    // By an atomic operation, through a pointer, and before the first element.
    for (const char* access : {"atomicAdd(&a[in[t] + 1], 1);", "int* p = a + 8; p[t] = 1;", "b[t - 1] = 1;",
                               "out[t] = reinterpret_cast<long long*>(a)[t / 2 + 1];"}) {
        const Trace t =
            run_text(std::string("__global__ void k(const int* in, int* out) {\n  __shared__ __align__(8) int a[32];\n"
                                 "  __shared__ int b[32];\n  int t = threadIdx.x; a[t] = 0; b[t] = 0; "
                                 "__syncthreads();\n  ") +
                     access + "\n  __syncthreads(); out[t] += a[t] + b[t];\n}");
        EXPECT_THAT(report_text(t), HasSubstr("out of bounds")) << access;
    }
    // Rows of an array, members of a structure and dynamic shared memory are each one.
    const Trace inside = run_text("struct Both { int x[16], y[16]; };\n"
                                  "__global__ void k(const int* in, int* out) {\n  __shared__ int a[2][16];\n"
                                  "  __shared__ Both b; extern __shared__ int d[];\n  int t = threadIdx.x;\n"
                                  "  int* rows = &a[0][0]; int* members = b.x; int* rest = d + 32;\n"
                                  "  rows[t] = in[t]; members[t] = in[t]; d[t] = 1; rest[t] = 2; __syncthreads();\n"
                                  "  out[t] = rows[t] + members[31 - t] + d[t] + rest[t];\n}",
                                  [](RunOptions& o) { o.kernel.shared = "256"; });
    EXPECT_THAT(inside.launches.front().findings, IsEmpty()) << report_text(inside);
}

// A kernel of several blocks whose scores have room for so many: n is what has room, and what more would do is said.
TEST(SharedBounds, ChooseAnNThatTheArrayHasRoomFor) {
    const Trace trace = chosen("__global__ void k(const float* a, float* out, int len) {\n  __shared__ float sc[256];\n"
                               "  int t = threadIdx.x, row = blockIdx.x;\n"
                               "  for (int j = t; j < len; j += 64) sc[j] = a[j] * a[row];\n  __syncthreads();\n"
                               "  float sum = 0; for (int j = 0; j < len; ++j) sum += sc[j];\n"
                               "  if (t < 64) out[row * 64 + t] = sum;\n}");
    EXPECT_THAT(trace.launches.front().findings, IsEmpty()) << report_text(trace);
    EXPECT_EQ(trace.options.n, 256U);
    EXPECT_THAT(report_text(trace), HasSubstr("with elements = 1024 (-n 1024): out of bounds"));
}

std::string of_beginning(const std::string& type, const std::string& begin, const std::string& step,
                         const std::string& fill = "primes") {
    const Trace trace =
        run_text("__global__ void k(const " + type + "* in, " + type + "* out, int n) {\n  " + type + " m = " + begin +
                     ";\n  for (int i = 0; i < n; ++i) " + step + "\n  out[0] = m;\n}",
                 [&](RunOptions& o) {
                     o.block = 1;
                     o.kernel.arguments["in"] = fill;
                 });
    return report_text(trace);
}

TEST(InertElements, AreToldOfAMinimumMaximumOrProduct) {
    EXPECT_THAT(of_beginning("int", "0", "m = min(m, in[i]);"),
                HasSubstr("line 3: the minimum is 0, though all elements of in are above it: what a minimum begins "
                          "with must not be below any element."));
    EXPECT_THAT(of_beginning("double", "0", "m *= in[i];"),
                HasSubstr("line 3: the product is 0, though no element of in is: what a product begins with"));
    EXPECT_THAT(of_beginning("float", "0", "m = fmaxf(m, in[i]);", "negative"),
                HasSubstr("the maximum is 0, though all elements of in are below it"));
}

TEST(InertElements, AreNotThoseThatMatter) {
    for (const std::string& text :
         {of_beginning("int", "in[0]", "m = min(m, in[i]);"), of_beginning("int", "0", "m = max(m, in[i]);"),
          of_beginning("double", "1", "m *= in[i];"), of_beginning("int", "0", "m += in[i];"),
          of_beginning("int", "0", "m = min(m, in[i]);", "iota")}) { // which has a 0
        EXPECT_THAT(text, Not(HasSubstr("begins with must not")));
    }
    const Trace clamped = run_text("__global__ void k(const int* in, int* out) { int t = threadIdx.x; "
                                   "out[t] = min(0, in[t] + 1); }");
    EXPECT_THAT(report_text(clamped), Not(HasSubstr("begins with must not"))) << "an element each";
}

// The tree shows what memory holds: a fraction that is cut off is, where it is.
TEST(WholeNumbers, AreWhatIsStored) {
    const Trace trace = run_text("__global__ void k(const int* in, int* out) { int t = threadIdx.x; "
                                 "out[t] = in[t] * 0.3f; }");
    const Launch& l = trace.launches.front();
    const std::vector<int> stored = values<int>(trace, "out");
    ASSERT_EQ(l.outputs.size(), 32U);
    unsigned cut = 0;
    for (const Output& o : l.outputs) {
        const Node& n = l.nodes[o.node];
        if (n.type == ValueType::i32) {
            EXPECT_EQ(static_cast<int>(n.bits), stored[o.index]);
            EXPECT_EQ(n.kind, NodeKind::product);
            EXPECT_EQ(n.operation, Operation::function);
            ++cut;
        } else { // 0 of 0.0
            EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(n.bits)), static_cast<float>(stored[o.index]));
        }
    }
    EXPECT_GE(cut, 28U);
}

} // namespace
} // namespace warptree::tests
