// What is tried again where what was chosen goes wrong, and what is said of it.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptree::tests {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(AnotherTry, TakesTheBlockThatTheKernelIsWrittenFor) {
    const Trace trace = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = "
                               "threadIdx.x;\n  s[t] = in[blockIdx.x * blockDim.x + t]; __syncthreads();\n"
                               "  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_EQ(trace.launches.front().block, 64U);
    EXPECT_THAT(sentences(trace.tried), IsEmpty()) << "that 256 threads were tried first says nothing of the kernel";
    EXPECT_THAT(trace.chosen, Contains("block 64 as s has an element a thread"));
}

TEST(AnotherTry, GivesAsMuchSharedMemoryAsIsReached) {
    const Trace trace = chosen("__global__ void k(int* out) {\n  extern __shared__ int s[]; int t = threadIdx.x;\n"
                               "  s[t] = t; s[t + 2 * blockDim.x] = 1; out[t] = s[t];\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_GE(trace.launches.front().shared_bytes, 3 * 256 * 4U);
}

TEST(AnotherTry, TakesFewerElementsWhereThereIsNoEnd) {
    if (tests::kFewCases) GTEST_SKIP() << "too slow; Check.ReportsFiftySubmissions has an endless kernel";
    const Trace trace =
        chosen("__global__ void k(const int* in, int* out, int n) {\n  int v = 0;\n"
               "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) for (int l = 0; l < 64; ++l)\n"
               "    v += in[j] ^ l;\n  out[threadIdx.x] = v;\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_LT(trace.options.n, 1024U);
}

// 20,000 turns of a loop, for eight warps some 2^19 instructions: with fewer threads it ends within what a first try has.
TEST(AnotherTry, CallsNothingEndlessThatItCutShort) {
    const Trace trace = chosen("__global__ void k(unsigned* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  unsigned x = i;\n"
                               "  for (int k = 0; k < 20000; ++k) x = x * 1664525u + 1013904223u;\n"
                               "  if (i < n) out[i] = x;\n}");
    EXPECT_TRUE(trace.completed());
    EXPECT_THAT(kinds(trace), IsEmpty());
    for (const OtherLaunch& tried : trace.tried) {
        EXPECT_FALSE(tried.wrong) << sentence(tried);
        EXPECT_THAT(sentence(tried), Not(HasSubstr("endless")));
    }
}

// An array that is read before it is written gets input: it is not only an output.
TEST(AnotherTry, FillsWhatIsReadBeforeItIsWritten) {
    const Trace trace =
        chosen("__global__ void add(const int* in, int* data, int n) {\n  int i = blockIdx.x * blockDim.x "
               "+ threadIdx.x;\n  if (i < n) data[i] += in[i];\n}");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(values<int>(trace, "data")[0], 2 + 181);
    EXPECT_THAT(sentences(trace.tried), IsEmpty())
        << "that it was taken for an output at first says nothing of the kernel";
    // Also where other contents had to be found first: rows and columns of a sparse matrix.
    const Trace sparse = chosen("__global__ void k(const int* rows, const int* at, const float* x, float* y, int n) {\n"
                                "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (r < n) for (int j = rows[r]; j < rows[r + 1]; ++j) y[r] += x[at[j]]; }",
                                [](RunOptions& o) {
                                    o.n = 31;
                                    o.kernel.n_given = true;
                                    o.input = InputKind::random;
                                });
    EXPECT_TRUE(sparse.completed());
    EXPECT_FALSE(kinds(sparse).contains(FindingKind::uninitialised));
}

// What is given is not replaced; and where a result is expected, nothing but a block larger than the kernel's array is.
TEST(AnotherTry, IsNotMadeOfWhatWasAskedFor) {
    const char* const text =
        "__global__ void k(const int* in, int* out) {\n  __shared__ int s[64]; int t = threadIdx.x;\n"
        "  s[t] = in[t]; out[t] = s[t];\n}";
    EXPECT_FALSE(chosen(text, [](RunOptions& o) { o.kernel.block = "128"; }).completed());
    EXPECT_FALSE(chosen(std::string("// block: 128\n") + text).completed());
    const Trace fits = chosen(std::string("// expect: sum\n") + text);
    EXPECT_EQ(fits.launches.front().block, 64U);
    EXPECT_THAT(sentences(fits.tried), IsEmpty()) << "its array says how many threads";
    EXPECT_FALSE(fits.pass) << "it is no sum";
    EXPECT_FALSE(chosen("// expect: sum\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                        "  int t = threadIdx.x;\n  s[t] = in[t]; out[t] = s[t + 1];\n}")
                     .completed())
        << "the kernel's own mistake, with a block that fits";
}

// Elements that nobody has: a kernel that reads or writes one too many is told so.
TEST(AnotherTry, NeverReplacesAStatedSize) {
    const char* const text = "__global__ void k(const int* in, int* out, int n) {\n  int i = blockIdx.x * blockDim.x + "
                             "threadIdx.x;\n  if (i <= n) out[i] = in[i];\n}";
    const auto of = [&](const std::map<std::string, std::string, std::less<>>& arguments, std::uint64_t n) {
        return chosen(text, [&](RunOptions& o) {
            o.kernel.n_given = n != 0;
            o.n = n;
            o.kernel.arguments = arguments;
        });
    };
    for (const auto& [arguments, n] : {std::pair{std::map<std::string, std::string, std::less<>>{{"out", "100"}}, 100},
                                       {{{"out", "1000"}}, 0},
                                       {{{"n", "100"}, {"in", "iota:100"}}, 0}}) {
        const Trace trace = of(arguments, static_cast<std::uint64_t>(n));
        EXPECT_THAT(kinds(trace), ElementsAre(FindingKind::out_of_bounds));
        EXPECT_THAT(trace.arguments[2].value, AnyOf("100", "1024"));
        EXPECT_EQ(trace.launches.front().block, 256U);
    }
    const Trace header = chosen(std::string("// n: 100\n// arg: out = 100\n") + text);
    EXPECT_THAT(kinds(header), ElementsAre(FindingKind::out_of_bounds));
    EXPECT_EQ(header.arguments[2].value, "100");
    const Trace stated = chosen("__global__ void k(const int* at, int* out) { out[0] = at[1 << 20 * at[0]]; }",
                                [](RunOptions& o) { ask_for_input(o, InputKind::iota); });
    EXPECT_EQ(stated.arguments[0].value, "iota");
}

// Threads without an element skip barriers at which the others wait.
TEST(AnotherTry, DoesNotHideABarrierThatSomeThreadsSkip) {
    const char* const text =
        "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
        "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  if (i < n) {\n    s[t] = in[i]; "
        "__syncthreads();\n    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
        "      if (t < d) s[t] += s[t + d];\n      __syncthreads();\n    }\n  }\n"
        "  if (t == 0) out[blockIdx.x] = s[0];\n}";
    const Trace stated = chosen(text, [](RunOptions& o) {
        o.kernel.n_given = true;
        o.n = 100;
    });
    EXPECT_EQ(stated.launches.front().block, 256U);
    EXPECT_THAT(kinds(stated), Contains(FindingKind::barrier_divergence));
    const Trace guessed = chosen(text); // 1024 elements fill their blocks
    EXPECT_THAT(sentences(guessed.tried), ElementsAre(StartsWith("with elements = 1000: barrier in divergent code")));
}

TEST(AnotherTry, SaysOfAThreadThatLeavesBeforeABarrier) {
    const std::string head = "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                             "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n",
                      tail = "  __syncthreads();\n  out[i] = s[255 - t];\n}";
    EXPECT_THAT(
        sentences(chosen(head + "  if (i >= n) return;\n  s[t] = in[i];\n" + tail).tried),
        ElementsAre(StartsWith("with elements = 1000: uninitialised: thread 0 of block 3 reads s[255] in line 7"),
                    StartsWith("with elements = 1000: barrier in divergent code (risk): ")));
    EXPECT_THAT(sentences(chosen(head + "  s[t] = i < n ? in[i] : 0;\n" + tail).tried), IsEmpty());
}

TEST(AnotherTry, SaysWhatReachesPastTheLastElement) {
    const auto tried = [](const std::string& body) {
        return sentences(chosen("__global__ void k(const float* in, float* out, int n) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                                body + "\n}")
                             .tried);
    };
    EXPECT_THAT(tried("if (i < n) out[i] = 2 * in[i];"), IsEmpty());
    EXPECT_THAT(
        tried("if (i <= n) out[i] = 2 * in[i];"),
        ElementsAre(
            "with elements = 1000: out of bounds (risk) if out has n elements: the kernel stores to out[1000], one "
            "past the last"));
    EXPECT_THAT(
        tried("out[i] = 2 * in[i];"),
        ElementsAre(
            "with elements = 1000: out of bounds (risk) if in has n elements: threads beyond n load in[1000] to "
            "in[1023]; a guard as if (i < n) keeps them out"));
    EXPECT_THAT(tried("float sum = 0; for (int k = i; k < n; k += gridDim.x * blockDim.x) sum += in[k]; out[i] = sum;"),
                IsEmpty())
        << "an element a thread";
}

TEST(AnotherTry, SaysWhatThreadsThatHaveEndedLeaveOut) {
    const auto tried = [](const std::string& body) {
        return sentences(chosen("__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
                                "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n" +
                                body + "}")
                             .tried);
    };
    const std::string shuffles = "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
                                 "  if (t % 32 == 0) atomicAdd(out, v);\n";
    EXPECT_THAT(tried("  if (i >= n) return;\n  int v = in[i];\n" + shuffles),
                ElementsAre(StartsWith(
                    "with elements = 1000: inactive lane: thread 224 of block 3 reads the value of lane 16")));
    EXPECT_THAT(tried("  int v = i < n ? in[i] : 0;\n" + shuffles), IsEmpty());
    const std::string tree = "  __syncthreads();\n  for (int d = 128; d > 0; d /= 2) {\n"
                             "    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }\n"
                             "  if (t == 0) out[blockIdx.x] = s[0];\n";
    EXPECT_THAT(tried("  if (i < n) s[t] = in[i];\n" + tree),
                ElementsAre(StartsWith("with elements = 1000: uninitialised: thread")));
    EXPECT_THAT(tried("  s[t] = i < n ? in[i] : 0;\n" + tree), IsEmpty());
}

TEST(AnotherTry, FindsWhatIsPastAStatedEnd) {
    const auto found = [](std::uint64_t n, const std::string& body) {
        const Trace trace = chosen("__global__ void k(const float* in, float* out, int n) {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                                       body + "\n}",
                                   [&](RunOptions& o) { ask_for_elements(o, n); });
        std::vector<std::string> said;
        for (const Finding& f : trace.launches.front().findings) {
            said.push_back(title(f) + ": " + sentence(trace, trace.launches.front(), f));
        }
        return said;
    };
    const std::string may = "but it may have only n elements, here ",
                      guard = ": a guard as if (i < n) keeps threads from what is past them.";
    for (const std::uint64_t n : {1, 31, 33, 1000}) {
        EXPECT_THAT(found(n, "if (i < n) out[i] = 2 * in[i];"), IsEmpty()) << n;
        EXPECT_THAT(found(n, "out[i] = 2 * in[i];"),
                    ElementsAre(fmt::format("out of bounds (risk): thread {}{} reads in[{}] in line 3, {}{}{}", n % 256,
                                            n < 256 ? "" : " of block 3", n, may, n, guard)))
            << n;
        EXPECT_THAT(found(n, "if (i <= n) out[i] = 2 * in[i];"),
                    ElementsAre(fmt::format("out of bounds (risk): thread {}{} writes out[{}] in line 3, {}{}{}",
                                            n % 256, n < 256 ? "" : " of block 3", n, may, n, guard)))
            << n;
        EXPECT_THAT(found(n, "if (i < n) out[i] = in[2 * i] + in[2 * i + 1];"), IsEmpty()) << n << ", pairs";
        EXPECT_THAT(found(n, "if (i < n) out[i] = in[i]; if (i == 0) out[n] = 7;"), IsEmpty()) << n << ", one more";
        EXPECT_THAT(found(n, "if (i < n) out[i + 2] = in[i] + in[i + 1] + in[i + 2];"), IsEmpty()) << n << ", a halo";
    }
    EXPECT_THAT(found(1024, "out[i] = 2 * in[i];"), IsEmpty()) << "as many threads as elements";
    EXPECT_THAT(found(1024, "out[i] = in[i]; if (i == 0) out[n] = 7;"), IsEmpty()) << "and one more";
}

TEST(AnotherTry, GivesOneBlockAsManyElementsAsItTakes) {
    const Trace trace = chosen(
        "__global__ void scan(const int* in, int* out, int n) {\n  extern __shared__ int s[];\n"
        "  int t = threadIdx.x, off = 1;\n  s[2 * t] = in[2 * t]; s[2 * t + 1] = in[2 * t + 1];\n"
        "  for (int d = n >> 1; d > 0; d >>= 1) {\n    __syncthreads();\n    if (t < d) s[off * (2 * t + 2) - 1] += "
        "s[off * (2 * t + 1) - 1];\n    off *= 2;\n  }\n  if (t == 0) s[n - 1] = 0;\n"
        "  for (int d = 1; d < n; d *= 2) {\n    off >>= 1; __syncthreads();\n    if (t < d) {\n"
        "      int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1, x = s[a];\n      s[a] = s[b]; s[b] += x;\n"
        "    }\n  }\n  __syncthreads();\n  out[2 * t] = s[2 * t]; out[2 * t + 1] = s[2 * t + 1];\n}");
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_EQ(trace.options.n, 512U);
    EXPECT_EQ(trace.equals, "the exclusive scan of in");
}

TEST(AnotherTry, GivesOneBlockNoMoreElementsThanItsThreadsTake) {
    const auto run = [](const std::string& head, const std::string& guard) {
        return chosen(head +
                      "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[64];\n"
                      "  int t = threadIdx.x;\n  s[t] = " +
                      guard +
                      "in[t];\n  __syncthreads();\n"
                      "  for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
                      "  if (t == 0) *out = s[0];\n}\n");
    };
    for (const Trace& trace : {run("", ""), run("", "t >= n ? 0 : "), run("// expect: sum\n", "")}) {
        EXPECT_EQ(trace.options.n, 64U);
        EXPECT_TRUE(trace.pass || trace.equals == "the sum of in") << trace.equals;
        EXPECT_THAT(sentences(trace.tried), Not(Contains(HasSubstr("out of bounds"))));
    }
    EXPECT_FALSE(run("// expect: sum\n", "t >= n ? 0 : ").pass) << "it is told n, and leaves out the rest";
    const Trace pairs =
        chosen("__global__ void sort(int* a, int n) {\n  for (int p = 0; p < n; ++p) {\n"
               "    int i = 2 * threadIdx.x + (p & 1);\n"
               "    if (i + 1 < n && a[i] > a[i + 1]) { int x = a[i]; a[i] = a[i + 1]; a[i + 1] = x; }\n"
               "    __syncthreads();\n  }\n}\n");
    EXPECT_EQ(pairs.options.n, 512U);
    const Trace solve =
        chosen("__global__ void solve(const float* A, float* x, const float* b, int n) {\n"
               "  __shared__ float s[256];\n  int i = threadIdx.x;\n  if (i < n) s[i] = b[i];\n"
               "  __syncthreads();\n  for (int k = 0; k < n; k++) {\n    if (i == k) s[k] /= A[k * n + k];\n"
               "    __syncthreads();\n    if (i > k && i < n) s[i] -= A[i * n + k] * s[k];\n"
               "    __syncthreads();\n  }\n  if (i < n) x[i] = s[i];\n}\n");
    EXPECT_EQ(solve.options.n, 256U);
    EXPECT_THAT(kinds(solve), IsEmpty());
}

// A size of one makes nothing go wrong, but nothing right either.
// Of many elements the run is shown before others are tried, which takes longer.
TEST(AnotherTry, ComesAfterALongRunIsSeen) {
    RunOptions o;
    o.kernel.text = "__global__ void scale(const float* in, float* out, float a, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = a * in[i];\n}\n";
    for (const auto& [n, times] : {std::pair{1000U, 0U}, std::pair{100000U, 1U}}) {
        o.n = n;
        o.kernel.n_given = true;
        std::vector<Trace> seen;
        RunControl control;
        control.seen = [&](const Trace& trace) { seen.push_back(trace); };
        const Trace whole = runs::run_kernel_file(o, control);
        ASSERT_EQ(seen.size(), times) << n;
        EXPECT_NE(whole.equals, "") << "which takes other runs";
        for (const Trace& early : seen) {
            EXPECT_EQ(early.equals, "");
            EXPECT_EQ(early.launches.front().nodes, whole.launches.front().nodes);
        }
    }
}

TEST(AnotherTry, IsNotOneElement) {
    const auto stencil = [](const std::string& sum) {
        return chosen("__global__ void blur(const float* in, float* out, int n) {\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = " +
                      sum + ";\n}\n");
    };
    const Trace wrong = stencil("in[i - 1] + in[i]");
    EXPECT_EQ(wrong.options.n, 1024U);
    EXPECT_THAT(kinds(wrong), ElementsAre(FindingKind::out_of_bounds));
    std::optional<runs::Guess> guess; // as the window keeps it while the text is edited
    RunControl control;
    RunOptions o;
    o.kernel.text = wrong.options.kernel.text;
    runs::run_kernel_file(o, guess, control);
    o.kernel.text->replace(o.kernel.text->find("in[i - 1]"), 9, "(i > 0 ? in[i - 1] : 0)");
    const Trace mended = runs::run_kernel_file(o, guess, control);
    EXPECT_EQ(mended.options.n, 1024U);
    EXPECT_THAT(kinds(mended), IsEmpty());
}

TEST(AnotherTry, SaysWhatIsLoadedOnePastTheEnd) {
    const auto said = [](const std::string& parameters, const std::string& body) {
        const Trace trace = chosen("__global__ void k(const float* in, float* out, " + parameters +
                                   ") {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                                   body + "\n}\n");
        std::vector<std::string> all = sentences(trace.tried);
        for (const Finding& f : trace.launches.front().findings) {
            all.push_back(title(f) + ": " + sentence(trace, trace.launches.front(), f));
        }
        return all;
    };
    EXPECT_THAT(said("int n", "if (i > 0 && i < n) out[i] = in[i - 1] + in[i + 1];"),
                ElementsAre(HasSubstr("if in has n elements: the kernel loads in[1000], one past the last")));
    EXPECT_THAT(said("int n", "if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];"), IsEmpty());
    EXPECT_THAT(said("int b, int n", "if (i <= n) out[i] = in[i] + b;"),
                Contains(HasSubstr("it may have only n elements")));
    EXPECT_THAT(said("int b, int n", "if (i < n) out[i] = in[i] + b;"), IsEmpty());
    EXPECT_THAT(said("int rows, int cols", "if (i >= rows) return; float s = 0;\n"
                                           "  for (int j = 0; j <= cols; j++) s += in[i * cols + j];\n  out[i] = s;"),
                ElementsAre(HasSubstr("it may have only rows * cols elements, here 4096")));
    const Trace rows =
        chosen("__global__ void k(const int* begin, const float* in, float* out, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float s = 0;\n"
               "  for (int j = begin[i]; j < begin[i + 1]; j++) s += in[j];\n  out[i] = s;\n}\n");
    EXPECT_THAT(sentences(rows.tried), Not(Contains(HasSubstr("begin has n elements")))) << "it has one more";
    const Trace square = chosen("__global__ void lu(float* A, int n) {\n  for (int k = 0; k < n; ++k) {\n"
                                "    int i = threadIdx.x;\n    if (i > k && i < n) A[i * n + k] /= A[k * n + k];\n"
                                "    __syncthreads();\n  }\n}\n",
                                [](RunOptions& o) {
                                    ask_for_elements(o, 128);
                                    o.block = 128;
                                });
    EXPECT_THAT(kinds(square), IsEmpty()) << "n * n elements";
}

} // namespace
} // namespace warptree::tests
