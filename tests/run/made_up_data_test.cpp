// Data that the program makes up: texts, flags, structs and what they point to, and what cannot be made up.
#include "app/base/error.hpp"
#include "app/run/check/check.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Trace made_up(const std::string& kernel, const std::function<void(RunOptions&)>& change = {}) {
    RunOptions o;
    o.kernel.text = kernel;
    o.backend = Backend::cpu;
    if (change) {
        change(o);
    }
    RunControl control;
    return runs::run_kernel_file(o, control);
}

std::map<std::string, std::string> arguments(const Trace& trace) {
    std::map<std::string, std::string> all;
    for (const KernelArgument& a : trace.arguments) {
        all[a.name] = a.value;
    }
    return all;
}

constexpr const char* kMatrices =
    "struct Size { int wide, high; };\nstruct Grid { Size size; int pitch; float* cell; };\n"
    "__global__ void multiply(Grid a, Grid b, Grid c) {\n"
    "  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= c.size.high || column >= c.size.wide) return;\n  float sum = 0;\n"
    "  for (int k = 0; k < a.size.wide; k++) sum += a.cell[row * a.pitch + k] * b.cell[k * b.pitch + column];\n"
    "  c.cell[row * c.pitch + column] = sum;\n}\n";

// Primes are in order, so that nothing would be swapped.
TEST(Contents, AreOutOfOrderForWhatSorts) {
    const std::string sorts =
        "__global__ void sort(int* a, int n) {\n  for (int p = 0; p < n; ++p) {\n"
        "    int i = 2 * threadIdx.x + (p & 1);\n"
        "    if (i + 1 < n && a[i] > a[i + 1]) { int x = a[i]; a[i] = a[i + 1]; a[i + 1] = x; }\n";
    const Trace races = made_up(sorts + "  }\n}");
    EXPECT_EQ(arguments(races).at("a"), "falling");
    const Finding* const race = first_of(races, FindingKind::race_global);
    ASSERT_NE(race, nullptr);
    EXPECT_FALSE(race->updates) << "no atomic mends a swap";
    const Trace right = made_up(sorts + "    __syncthreads();\n  }\n}");
    EXPECT_THAT(kinds(right), IsEmpty());
    EXPECT_EQ(arguments(right).at("a"), "random");
    EXPECT_EQ(right.equals, "a in ascending order"); // as many as one block takes
    EXPECT_EQ(right.options.n, 512U);
}

TEST(Structs, MembersAreMadeUpLikeParameters) {
    const Trace trace = made_up(kMatrices);
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(trace.equals, "the matrix product of a.cell and b.cell");
    const auto given = arguments(trace);
    EXPECT_EQ(given.at("a.size.wide"), "32");
    EXPECT_EQ(given.at("a.cell"), "primes");
    EXPECT_EQ(given.at("c.cell"), "zeros");
    EXPECT_EQ(given.size(), 12U);
    ASSERT_EQ(trace.outputs.size(), 1U);
    EXPECT_EQ(trace.outputs.front().name, "c.cell");
    EXPECT_EQ(trace.outputs.front().count, 32 * 32U);
}

TEST(Structs, MembersAreStatedByName) {
    const Trace trace = made_up(kMatrices, [](RunOptions& o) {
        o.kernel.grid = "1";
        o.kernel.arguments = {{"a.size.wide", "3"},
                              {"c.size.wide", "2"},
                              {"c.size.high", "2"},
                              {"a.cell", "iota:96"},
                              {"b.cell", "ones"}};
    });
    EXPECT_THAT(kinds(trace), IsEmpty());
    const auto c = values<float>(trace, "c.cell");
    EXPECT_THAT(std::vector<float>(c.begin(), c.begin() + 2), ElementsAre(3.0F, 3.0F));
    EXPECT_EQ(c.at(32), 99.0F) << "32 + 33 + 34";
    EXPECT_THROW(made_up(kMatrices, [](RunOptions& o) { o.kernel.arguments = {{"a", "3"}}; }), OptionError);
    EXPECT_THAT(arguments(made_up(std::string("// arg: b.pitch = 40\n") + kMatrices)).at("b.pitch"), "40");
}

// What is known of a struct's pointers is known of them together: which one is written shows in the run.
TEST(Structs, OfInputsAndOutputs) {
    const Trace trace = made_up("struct Job { int n; float scale; float* from; float* to; };\n"
                                "__global__ void k(Job job) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < job.n) job.to[i] = job.from[i];\n}\n");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(trace.equals, "a copy of job.from");
    const Trace graph =
        made_up("struct Graph { int nodes; int* first; int* next; };\n"
                "__global__ void degree(Graph g, int* out) {\n  int v = blockIdx.x * blockDim.x + "
                "threadIdx.x;\n  if (v < g.nodes || v == 0) out[v] = g.first[v + 1] - g.first[v];\n}\n");
    EXPECT_THAT(kinds(graph), IsEmpty());
    EXPECT_THAT(values<int>(graph, "out")[3], 11 - 7);
}

TEST(Structs, WithBasesArraysAndUnions) {
    const Trace trace =
        made_up("struct Base { double factor; };\nunion Either { int i; float f; };\n"
                "struct Job : Base { char tag; int bins[2]; Either either; int* out; };\n"
                "__global__ void k(Job job, float4 by) {\n  job.out[0] = job.bins[1] + (int)job.factor + "
                "(int)by.w + job.either.i;\n}\n",
                [](RunOptions& o) {
                    o.kernel.arguments = {{"job.bins[1]", "40"}, {"by.w", "7"}};
                });
    EXPECT_EQ(values<int>(trace, "job.out").front(), 40 + 1 + 7);
}

TEST(Structs, OfNodesThatPointToNodesAreNotMadeUp) {
    const char* const text = "struct Node { int value; Node* next; };\n"
                             "__global__ void walk(Node* first, int steps, int* out) {\n  Node* n = first;\n"
                             "  for (int k = 0; k < steps; k++) n = n->next;\n  out[0] = n->value;\n}\n";
    try {
        made_up(text);
        ADD_FAILURE() << "the kernel was blamed";
    } catch (const OptionError& e) {
        EXPECT_THAT(e.what(),
                    HasSubstr("walk follows pointers that lie in first (Node*), and such data cannot be made up"));
    }
    const Trace value = made_up(
        "struct Node { int value; void* next; };\n"
        "__global__ void k(Node* first, int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = first->value; }\n");
    EXPECT_THAT(kinds(value), IsEmpty()) << "the pointers are not followed";
}

TEST(Texts, HaveLetters) {
    const Trace trace = made_up("__global__ void k(const char* text, int* bins, int length) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < length) atomicAdd(&bins[(text[i] - 'a') / 4], 1);\n}\n");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_THAT(sentences(trace.tried), IsEmpty());
    const auto bins = values<int>(trace, "bins");
    EXPECT_EQ(bins.size(), 7U);
    EXPECT_THAT(bins, testing::Each(testing::Gt(0)));
}

TEST(Texts, OfBytesAreTriedBeforeTheKernelIsBlamed) {
    const Trace trace = made_up("__global__ void k(const unsigned char* text, int* bins, int length) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < length) atomicAdd(&bins[text[i] - 'a'], 1);\n}\n");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_THAT(sentences(trace.tried), Contains(testing::StartsWith("with text = primes: out of bounds: ")));
    EXPECT_EQ(arguments(trace).at("text"), "letters");
}

// Only thread 1 has a multiple of 3 among the primes.
const char* const kMultiplesOfThree = "__global__ void k(const int* in, int* out) {\n"
                                      "  __shared__ int s;\n"
                                      "  if (threadIdx.x == 0) s = 0;\n"
                                      "  __syncthreads();\n"
                                      "  if (in[threadIdx.x] % 3 == 0) s = threadIdx.x;\n"
                                      "  __syncthreads();\n"
                                      "  if (threadIdx.x == 0) out[0] = s;\n}\n";

TEST(Contents, ThatKeepThreadsFromARaceAreChanged) {
    const Trace trace = made_up(kMultiplesOfThree);
    EXPECT_THAT(kinds(trace), Contains(FindingKind::race_shared));
    EXPECT_EQ(arguments(trace).at("in"), "iota");
    EXPECT_THAT(sentences(trace.tried), Contains(testing::StartsWith("with in = primes: no race")));
}

TEST(Contents, ThatHideARaceAreSaidTo) {
    const Trace trace = made_up("__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                                "  int t = threadIdx.x;\n  s[t] = in[t];\n  __syncthreads();\n"
                                "  int v = s[t];\n  if (t >= 1) v = max(v, s[t - 1]);\n  s[t] = v;\n"
                                "  __syncthreads();\n  out[t] = s[t];\n}\n");
    ASSERT_EQ(arguments(trace).at("in"), "falling") << "primes ascend, so that each is above those before";
    EXPECT_THAT(sentences(trace.tried),
                Contains(testing::StartsWith("with in = primes: race (risk), which its data hide")));
}

TEST(Contents, ThatAreStatedAreNotChanged) {
    const Trace trace = made_up(kMultiplesOfThree, [](RunOptions& o) { o.kernel.arguments = {{"in", "primes"}}; });
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(arguments(trace).at("in"), "primes");
}

// Distinct contents scatter without collisions, and go on to do so.
TEST(Contents, ThatBranchWithoutARaceStay) {
    const Trace trace = made_up("__global__ void k(const int* in, int* out) {\n"
                                "  int v = in[threadIdx.x];\n"
                                "  if (v % 2 == 0) out[v] = threadIdx.x; else out[v] = v;\n}\n");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(arguments(trace).at("in"), "primes");
    EXPECT_THAT(sentences(trace.tried), IsEmpty());
}

// Block 0 waits for the others, which find the flags as the host has cleared them.
TEST(Flags, BeginAsZeros) {
    const Trace trace = made_up("__global__ void k(const int* in, int* partial, volatile int* flag, int* out) {\n"
                                "  int b = blockIdx.x;\n  if (threadIdx.x != 0) return;\n"
                                "  if (b != 0) { partial[b] = in[b]; __threadfence(); flag[b] = 1; return; }\n"
                                "  int sum = in[0];\n  for (int k = 1; k < gridDim.x; ++k) {\n"
                                "    while (flag[k] == 0) {}\n    __threadfence();\n    sum += partial[k];\n  }\n"
                                "  out[0] = sum;\n}\n",
                                [](RunOptions& o) {
                                    o.kernel.grid = "4";
                                    o.kernel.block = "32";
                                });
    EXPECT_EQ(arguments(trace).at("flag"), "zeros");
    EXPECT_TRUE(trace.completed());
    EXPECT_FALSE(kinds(trace).contains(FindingKind::uninitialised));
    EXPECT_THAT(values<int>(trace, "out"), ElementsAre(2 + 3 + 5 + 7));
}

const std::string kInPlace =
    "__global__ void neighbours(int* g_in, int* g_out) {\n  const unsigned t = threadIdx.x;\n"
    "  int* mine = g_in + blockIdx.x * blockDim.x;\n  for (unsigned step = 1; step < blockDim.x; step *= 2) {\n"
    "    if (t % (2 * step) == 0) mine[t] += mine[t + step];\n    __syncthreads();\n  }\n"
    "  if (t == 0) g_out[blockIdx.x] = mine[0];\n}\n";

// What is only tested for 0 or 1 is both: a name that holds only where all are set is none.
TEST(Flags, ThatAreTestedAreOfBothKinds) {
    constexpr const char* kBegin =
        "__global__ void k(const int* in, const int* other, const int* flag, int* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
    for (const char* body : {
             "if (i < n) out[i] = flag[i] ? in[i] : other[i];",
             "int v = i < n ? in[i] : 0, f = i < n ? flag[i] != 0 : 1;\n"
             "for (int d = 1; d < 32; d <<= 1) {\n  int pv = __shfl_up_sync(~0u, v, d), pf = __shfl_up_sync(~0u, f, "
             "d);\n"
             "  if (threadIdx.x % 32 >= d && !f) { v += pv; f = pf; }\n}\nif (i < n) out[i] = v + other[i] * 0;",
             "if (i >= n) return;\nif (flag[i] == 1) out[i] = in[i]; else out[i] = -other[i];",
             "if (i >= n) return;\nbool f = flag[i]; int v = in[i]; for (int k = 0; k < 3; ++k) { if (f) v += "
             "other[i]; f = !f; }\n"
             "out[i] = v;",
         }) {
        const Trace trace = made_up(std::string(kBegin) + body + "\n}");
        EXPECT_EQ(arguments(trace)["flag"], "flags") << body;
        EXPECT_EQ(arguments(trace)["in"], "primes") << body;
        EXPECT_EQ(trace.equals, "") << body;
    }
}

TEST(Flags, AreNotWhatIsUsedOtherwise) {
    constexpr const char* kBegin = "__global__ void k(const int* in, const int* flag, int* out, int n) {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n";
    for (const char* body : {
             "out[i] = flag[i] ? in[i] + flag[i] : 0;",
             "if (flag[i] == 5) out[i] = in[i];",
             "if (flag[i] > 1) out[i] = in[i];",
             "out[i] = in[flag[i] % n] + (flag[i] != 0);",
             "int v = flag[i], s = 0; while (v != 0) { s += in[i]; v = v - 1; } out[i] = s;",
             "if (flag[i] != 0) out[i] = in[i]; else out[i] = flag[i + 0];",
         }) {
        EXPECT_NE(arguments(made_up(std::string(kBegin) + body + "\n}"))["flag"], "flags") << body;
    }
}

TEST(Outputs, AreWhatIsStoredForOthers) {
    EXPECT_EQ(made_up(kInPlace).equals, "the sum of g_in, from 4 partial results");
    const Trace trace = made_up("// expect: sum\n" + kInPlace);
    EXPECT_TRUE(trace.pass);
    EXPECT_EQ(trace.host_partials, 4U);
    std::string wrong = "// expect: sum\n" + kInPlace;
    wrong.replace(wrong.find("mine[0];"), 8, "mine[1];");
    EXPECT_FALSE(made_up(wrong).pass);
    std::string only = kInPlace; // in place without another output: the first element of each block
    only.replace(only.find("  if (t == 0)"), std::string::npos, "}\n");
    only.replace(only.find(", int* g_out"), 12, "");
    EXPECT_EQ(values<int>(made_up(only), "g_in").size(), 1024U);
}

TEST(Outputs, ThatNobodyWroteAreZero) {
    const char* const text =
        "// expect: exclusive-scan\n__global__ void k(unsigned* out, const unsigned* in, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i == 0 || i >= n) return;\n"
        "  unsigned sum = 0;\n  for (int k = 0; k < i; k++) sum += in[k];\n  out[i] = sum;\n}\n";
    const auto of = [&](std::uint64_t n) {
        return made_up(text, [&](RunOptions& o) {
            o.n = n;
            o.kernel.n_given = true;
        });
    };
    EXPECT_TRUE(of(1).pass) << "nothing is written, and element 0 is 0";
    EXPECT_TRUE(of(33).pass);
    runs::CheckRequest request;
    request.options.kernel.text =
        "// expect: sum\n__global__ void k(const int* in, int* out) { if (in[0] < 0) out[0] = 0; }";
    request.options.kernel.fill = "ones";
    request.n = {32};
    RunControl control;
    const runs::CheckResult result = runs::check(request, control, {});
    ASSERT_EQ(result.runs.size(), 1U);
    EXPECT_EQ(result.runs.front().reason, "nothing was written to the output");
}

// Halves and integers, summed in another type.
TEST(Expected, OfInputsOfAnotherType) {
    const auto pass = [](const std::string& expect, const char* in, const char* value) {
        return made_up("// expect: " + expect + "\n#include <cuda_fp16.h>\n__global__ void k(const " + in +
                       "* x, const " + in +
                       "* y, float* z, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  float p = i < n ? " +
                       value +
                       " : 0;\n"
                       "  for (int o = 16; o > 0; o /= 2) p += __shfl_down_sync(~0u, p, o);\n"
                       "  if (threadIdx.x % 32 == 0) atomicAdd(z, p);\n}\n")
            .pass;
    };
    EXPECT_TRUE(pass("dot", "half", "__half2float(x[i]) * __half2float(y[i])"));
    EXPECT_FALSE(pass("dot", "half", "__half2float(x[i]) * __half2float(x[i])"));
    EXPECT_TRUE(pass("sum", "int", "x[i]"));
    EXPECT_TRUE(pass("sum", "unsigned char", "x[i]"));
    EXPECT_FALSE(pass("sum", "unsigned char", "y[i]"));
    EXPECT_THROW(made_up("// expect: sum\n__global__ void k(const float* x, int* z) { z[0] = x[0]; }"), OptionError)
        << "a sum of floats is no int";
}

// Also of the part that one block takes, and in descending order.
TEST(Contents, AreOutOfOrderForASortInSharedMemory) {
    const auto sort = [](const std::string& exchange) {
        return chosen(
            "__device__ void exchange(int& a, int& b) {\n  int x = a;\n  a = b;\n  b = x;\n}\n"
            "__global__ void bitonic(int* a) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = a[t];\n"
            "  __syncthreads();\n  for (int k = 2; k <= 64; k *= 2)\n    for (int j = k / 2; j > 0; j /= 2) {\n"
            "      int p = t ^ j;\n      if (p > t && (s[t] > s[p]) == ((t & k) == 0)) { " +
            exchange + " }\n      __syncthreads();\n    }\n  a[t] = s[t];\n}\n");
    };
    for (const Trace& trace : {sort("int x = s[t]; s[t] = s[p]; s[p] = x;"), sort("exchange(s[t], s[p]);")}) {
        EXPECT_THAT(trace.chosen, Contains("a = random"));
        EXPECT_EQ(trace.equals, "a in ascending order");
        EXPECT_THAT(trace.launches[0].findings, IsEmpty());
        EXPECT_TRUE(std::ranges::is_sorted(values<int>(trace, "a")));
    }
    const Trace descending = chosen("__global__ void ranks(const int* in, int* out) {\n  __shared__ int s[32];\n"
                                    "  int t = threadIdx.x, r = 0;\n  s[t] = in[t];\n  __syncthreads();\n"
                                    "  for (int k = 0; k < 32; ++k) r += s[k] > s[t] || (s[k] == s[t] && k < t);\n"
                                    "  out[r] = s[t];\n}\n");
    EXPECT_EQ(descending.equals, "in in descending order");
}

// What is expected to be sorted is given to it out of order, and compared.
TEST(Contents, AreOutOfOrderWhereOrderIsExpected) {
    const auto sort = [](const std::string& expect, const std::string& comparison) {
        return chosen("// expect: " + expect +
                      "\n__global__ void sort(float* a) {\n  __shared__ float s[64];\n"
                      "  int t = threadIdx.x;\n  s[t] = a[t];\n  __syncthreads();\n  for (int p = 0; p < 64; ++p) {\n"
                      "    if (t % 2 == p % 2 && t < 63 && s[t] " +
                      comparison +
                      " s[t + 1]) {\n"
                      "      float x = s[t]; s[t] = s[t + 1]; s[t + 1] = x;\n    }\n    __syncthreads();\n  }\n"
                      "  a[t] = s[t];\n}\n");
    };
    const Trace right = sort("sorted", ">");
    EXPECT_TRUE(right.pass);
    EXPECT_EQ(right.options.n, 64U);
    EXPECT_THAT(right.chosen, Contains("a = random"));
    EXPECT_TRUE(sort("sorted-descending", "<").pass);
    const Trace wrong = sort("sorted", "<");
    EXPECT_FALSE(wrong.pass);
    EXPECT_EQ(wrong.first_wrong, 0U);
    const Trace dynamic =
        chosen("// expect: sorted\n__global__ void bitonic(int* d, int n) {\n  extern __shared__ int s[];\n"
               "  int t = threadIdx.x;\n  s[t] = d[t];\n  __syncthreads();\n"
               "  for (int k = 2; k <= n; k *= 2) for (int j = k / 2; j > 0; j /= 2) {\n    int o = t ^ j;\n"
               "    if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { int x = s[t]; s[t] = s[o]; s[o] = x; }\n"
               "    __syncthreads();\n  }\n  d[t] = s[t];\n}\n");
    EXPECT_TRUE(dynamic.pass);
    EXPECT_EQ(dynamic.options.n, 256U) << "an element a thread of its only block";
}

// That of primes is infinite for any kernel, wrong or right.
TEST(MadeUpData, HasAProductThatIsANumber) {
    const auto run = [](const char* step) {
        return chosen("__global__ void p(const float* in, float* out, int n) {\n  __shared__ float s[256];\n"
                      "  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n  s[t] = i < n ? in[i] : 1;\n"
                      "  for (int d = 128; d > 0; d /= 2) {\n    __syncthreads();\n    if (t < d) s[t] " +
                          std::string(step) + " s[t + d];\n  }\n  if (t == 0) out[blockIdx.x] = s[0];\n}",
                      [](RunOptions& o) { o.kernel.expect = "product"; });
    };
    const Trace right = run("*="), wrong = run("+=");
    EXPECT_TRUE(right.pass);
    EXPECT_TRUE(std::isfinite(right.reference.as_double()));
    EXPECT_FALSE(wrong.pass);
}

} // namespace
} // namespace warptree::tests
