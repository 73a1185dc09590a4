// What launches beside the one that is shown tell of a kernel: other contents, sizes that differ, arrays that end.
#include "app/run/choice/block_shape.hpp"
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A tree over elements, or `past` for what is beyond the last one.
std::string tree_of(const std::string& type, const std::string& past, const std::string& better,
                    const std::string& last) {
    return fmt::format("__global__ void k(const {0}* in, {0}* out, int n) {{\n  __shared__ {0} s[128];\n"
                       "  int t = threadIdx.x, i = blockIdx.x * 128 + t;\n  s[t] = i < n ? in[i] : {1};\n"
                       "  __syncthreads();\n  for (int k = 64; k > 0; k /= 2) {{\n"
                       "    if (t < k && s[t + k] {2} s[t]) s[t] = s[t + k];\n    __syncthreads();\n  }}\n"
                       "  if (t == 0) {3};\n}}",
                       type, past, better, last);
}
constexpr const char* kEach = "out[blockIdx.x] = s[0]";

TEST(LaunchBeside, HasNegativeElementsWhereAMaximumIsFound) {
    const auto tried = [](const std::string& type, const std::string& past, const std::string& last = kEach) {
        const Trace trace = chosen(tree_of(type, past, ">", last));
        EXPECT_THAT(trace.equals, StartsWith("the max of in")) << type << past;
        return sentences(trace.tried);
    };
    const auto not_the_max = ElementsAre(StartsWith("with in = negative, elements = 1012: not the max of in"));
    EXPECT_THAT(tried("int", "0"), not_the_max);
    EXPECT_THAT(tried("float", "0"), not_the_max);
    EXPECT_THAT(tried("double", "1e-38"), not_the_max) << "FLT_MIN is no least number";
    EXPECT_THAT(tried("int", "-2147483648"), IsEmpty());
    EXPECT_THAT(tried("float", "-3.402823466e38f"), IsEmpty());
    EXPECT_THAT(tried("float", "in[0]"), IsEmpty());
    EXPECT_THAT(tried("unsigned", "0"), IsEmpty()) << "nothing is less";
    EXPECT_THAT(tried("int", "0", "atomicMax(out, s[0])"), not_the_max);
    EXPECT_THAT(tried("int", "-2147483648", "atomicMax(out, s[0])"), IsEmpty()) << "what it goes to is the host's";
}

TEST(LaunchBeside, SaysThatNobodySetsAFlag) {
    const std::string wait = "  if (t == 0) while (*flag == 0);\n  if (t < n) out[t] = in[t];\n}\n";
    const std::string index = "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n";
    const Trace nobody =
        chosen("__global__ void k(const int* in, volatile int* flag, int* out, int n) {\n" + index + wait);
    EXPECT_THAT(sentences(nobody.tried),
                ElementsAre(AllOf(StartsWith("with flag = zeros: deadlock: "), HasSubstr("line 3"))));
    const Trace somebody = chosen("__global__ void k(const int* in, volatile int* flag, int* out, int n) {\n" + index +
                                  "  if (t == n - 1) *flag = 1;\n" + wait);
    EXPECT_THAT(sentences(somebody.tried), IsEmpty());
    const Trace data = chosen("__global__ void k(const volatile int* in, int* out, int n) {\n" + index +
                              "  if (t < n) out[t] = in[t];\n}\n");
    EXPECT_THAT(sentences(data.tried), IsEmpty());
}

TEST(LaunchBeside, FindsAPositionThatBeginsWithTheFirst) {
    const auto tried = [](const std::string& least) {
        const Trace trace =
            chosen("__global__ void k(const float* v, int* at, int n) {\n  float m = " + least +
                       "; int best = 0;\n  for (int i = 0; i < n; i++) if (v[i] > m) { m = v[i]; best = i; }\n"
                       "  *at = best;\n}",
                   [](RunOptions& o) {
                       ask_for_block(o, 1);
                       o.kernel.grid = "1";
                   });
        EXPECT_EQ(trace.equals, "the index of the largest element of v") << least;
        return sentences(trace.tried);
    };
    EXPECT_THAT(tried("0"), ElementsAre(StartsWith("with v = negative: not the index of the largest element of v")));
    EXPECT_THAT(tried("-3.4e38f"), IsEmpty());
}

TEST(LaunchBeside, IsShownWhereAMaximumIsExpected) {
    for (const std::uint64_t n : {1, 31, 33, 1000}) {
        const auto run = [&](const std::string& past) {
            return chosen(tree_of("int", past, ">", kEach), [&](RunOptions& o) {
                ask_for_elements(o, n);
                o.kernel.expect = "max";
            });
        };
        const Trace wrong = run("0");
        EXPECT_FALSE(wrong.pass) << n;
        EXPECT_EQ(static_cast<std::int32_t>(wrong.reference.bits), n == 1 ? -3 : -2) << n;
        EXPECT_EQ(wrong.result.bits, 0U) << n;
        EXPECT_THAT(sentences(wrong.tried), ElementsAre(StartsWith("with in = primes: right"))) << n;
        const Trace right = run("-2147483648");
        EXPECT_TRUE(right.pass) << n;
        EXPECT_THAT(sentences(right.tried), IsEmpty()) << n;
    }
    const auto guessed = [](const std::string& past) {
        return chosen(tree_of("int", past, ">", kEach), [](RunOptions& o) { o.kernel.expect = "max"; });
    };
    const Trace part = guessed("0"); // 1024 elements fill their blocks
    EXPECT_FALSE(part.pass);
    EXPECT_EQ(part.options.n, 1012U);
    EXPECT_TRUE(guessed("-2147483648").pass);
    const Trace stated = chosen(tree_of("int", "0", ">", kEach), [](RunOptions& o) {
        ask_for_input(o, InputKind::iota);
        ask_for_elements(o, 1000);
        o.kernel.expect = "max";
    });
    EXPECT_TRUE(stated.pass) << "stated contents stay";
}

TEST(LaunchBeside, EndsWithinABlock) {
    EXPECT_THAT(sentences(chosen(tree_of("int", "0", "<", kEach)).tried),
                ElementsAre("with elements = 1012: not the min of in, from 8 partial results: out[7] is 0"));
    EXPECT_THAT(sentences(chosen(tree_of("int", "2147483647", "<", kEach)).tried), IsEmpty());
}

TEST(LaunchBeside, HasAnotherSizeForEachThatIsAskedFor) {
    const auto transpose = [](const std::string& to) {
        return "__global__ void k(const float* in, float* out, int width, int height) {\n"
               "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
               "  if (x < width && y < height) out[" +
               to + "] = in[y * width + x];\n}";
    };
    EXPECT_THAT(sentences(chosen(transpose("x * height + y")).tried), IsEmpty());
    const Trace mixed = chosen(transpose("x * width + y"));
    EXPECT_EQ(mixed.equals, "the transpose of in");
    EXPECT_THAT(sentences(mixed.tried),
                ElementsAre("with width = 32, height = 16: not the transpose of in, which it is where all "
                            "sizes are equal"));
    // Whichever is named first: a grid that is too small does part of the work, and that right.
    const auto by_rows = [](const std::string& to) {
        return "__global__ void k(const int* in, int* out, int rows, int cols) {\n"
               "  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n"
               "  if (r < rows && c < cols) out[" +
               to + "] = in[r * cols + c];\n}";
    };
    EXPECT_THAT(sentences(chosen(by_rows("c * rows + r")).tried), IsEmpty());
    EXPECT_THAT(sentences(chosen(by_rows("c * cols + r")).tried), ElementsAre(HasSubstr("not the transpose of in")));
    const auto product = [](const std::string& row, const std::string& guard) {
        return "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
               "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n  " +
               guard + "float s = 0;\n  for (int k = 0; k < K; k++) s += A[r * " + row +
               " + k] * B[k * N + c];\n  C[r * N + c] = s;\n}";
    };
    EXPECT_THAT(sentences(chosen(product("K", "if (r >= M || c >= N) return; ")).tried), IsEmpty());
    EXPECT_THAT(sentences(chosen(product("N", "if (r >= M || c >= N) return; ")).tried),
                ElementsAre(StartsWith("with M = 48, N = 32, K = 16: not the matrix product of A and B")));
    EXPECT_THAT(sentences(chosen(product("K", "")).tried), Not(Contains(HasSubstr("not the matrix product"))))
        << "the grid is that of C";
    const auto mean = [](const std::string& stride) {
        return "__global__ void k(const float* m, float* out, int rows, int cols) {\n"
               "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n  if (r >= rows) return;\n  float s = 0;\n"
               "  for (int c = 0; c < cols; c++) s += m[r * " +
               stride + " + c];\n  out[r] = s / cols;\n}";
    };
    EXPECT_THAT(sentences(chosen(mean("cols")).tried), IsEmpty());
    EXPECT_THAT(sentences(chosen(mean("rows")).tried), ElementsAre(HasSubstr("not the mean of each row of m")));
}

std::string product_in_tiles(int tile, const std::string& last) {
    return fmt::format("__global__ void k(const float* A, const float* B, float* C, int N) {{\n"
                       "  __shared__ float As[{0}][{0}], Bs[{0}][{0}];\n"
                       "  int tx = threadIdx.x, ty = threadIdx.y;\n"
                       "  int row = blockIdx.y * {0} + ty, col = blockIdx.x * {0} + tx;\n  float acc = 0;\n"
                       "  for (int p = 0; p < N / {0}; ++p) {{\n    As[ty][tx] = A[row * N + p * {0} + tx];\n"
                       "    Bs[ty][tx] = B[(p * {0} + ty) * N + col];\n    __syncthreads();\n"
                       "    for (int k = 0; k < {0}; ++k) acc += As[ty][k] * Bs[k][tx];\n    {1}\n  }}\n"
                       "  C[row * N + col] = acc;\n}}",
                       tile, last);
}

TEST(LaunchBeside, HasASecondTile) {
    const Trace racing = chosen(product_in_tiles(32, ""));
    EXPECT_THAT(kinds(racing), ElementsAre(FindingKind::race_shared));
    EXPECT_THAT(sentences(racing.tried),
                Contains("with elements = 32: nothing found, as one tile is all that there is"));
    const Trace right = chosen(product_in_tiles(32, "__syncthreads();"));
    EXPECT_THAT(kinds(right), IsEmpty());
    EXPECT_EQ(right.options.n, 32U);
}

TEST(LaunchBeside, HasArraysThatEndInTwoDimensions) {
    const auto run = [](const std::string& guard, std::uint64_t n) {
        return chosen(
            "__global__ void k(const float* a, float* b, int width, int height) {\n"
            "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n  " +
                guard + "b[y * width + x] = a[y * width + x] + 1;\n}",
            [&](RunOptions& o) {
                if (n != 0) {
                    ask_for_elements(o, n);
                }
            });
    };
    const std::string both = "if (x < width && y < height) ";
    EXPECT_THAT(sentences(run("", 0).tried), ElementsAre(StartsWith("with elements = 27: out of bounds (risk): ")));
    EXPECT_THAT(sentences(run(both, 0).tried), IsEmpty());
    for (const std::uint64_t n : {17, 31, 33, 100}) {
        EXPECT_THAT(kinds(run("", n)), Contains(FindingKind::out_of_bounds)) << n;
        EXPECT_THAT(kinds(run(both, n)), IsEmpty()) << n;
    }
    EXPECT_THAT(kinds(run("", 32)), IsEmpty()) << "as many threads as elements";
}

// Arrays with more than n * n numbers are no sign of a missing guard.
TEST(LaunchBeside, LeavesArraysAloneThatHaveSeveralNumbersAPlace) {
    const std::string place = "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
                              "threadIdx.y;\n  if (x >= width || y >= height) return;\n  ";
    for (const std::string& kernel :
         {"__global__ void k(const float4* a, float4* b, int width, int height) {\n" + place +
              "b[y * width + width - 1 - x] = a[y * width + x];\n}",
          "struct Pixel { unsigned char r, g, b; };\n"
          "__global__ void k(const Pixel* a, Pixel* b, int width, int height) {\n" +
              place + "b[y * width + x] = a[y * width + x];\n}",
          "__global__ void k(const unsigned char* a, unsigned char* b, int width, int height) {\n" + place +
              "int o = (y * width + x) * 3;\n  b[y * width + x] = (a[o] + a[o + 1] + a[o + 2]) / 3;\n}",
          "__global__ void k(const float* a, float* b, int width, int height) {\n" + place +
              "b[(y + 1) * (width + 2) + x + 1] = a[y * width + x];\n}"}) {
        for (const std::uint64_t n : {0, 31, 50, 100}) {
            const Trace trace = chosen(kernel, [&](RunOptions& o) {
                if (n != 0) {
                    ask_for_elements(o, n);
                }
            });
            EXPECT_THAT(kinds(trace), IsEmpty()) << n << kernel;
            EXPECT_THAT(sentences(trace.tried), IsEmpty()) << n << kernel;
        }
    }
}

TEST(LaunchBeside, HasArraysThatEndWhereAKernelWorksInPlace) {
    const auto run = [](const std::string& body, std::uint64_t n) {
        return chosen(
            "__global__ void k(float* x, int n, float f) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                body + "\n}",
            [&](RunOptions& o) {
                if (n != 0) {
                    ask_for_elements(o, n);
                }
            });
    };
    EXPECT_THAT(
        sentences(run("x[i] = x[i] * f;", 0).tried),
        ElementsAre("with elements = 1000: out of bounds (risk) if x has n elements: threads beyond n load x[1000] to "
                    "x[1023]; a guard as if (i < n) keeps them out"));
    EXPECT_THAT(sentences(run("if (i < n) x[i] = x[i] * f;", 0).tried), IsEmpty());
    EXPECT_THAT(kinds(run("x[i] = x[i] * f;", 1000)), ElementsAre(FindingKind::out_of_bounds));
    EXPECT_THAT(kinds(run("if (i < n) x[i] = x[i] * f;", 1000)), IsEmpty());
}

TEST(LaunchBeside, CountsWhatComesTwice) {
    const auto run = [](const std::string& body) {
        return chosen(
            "__global__ void k(const int* x, int* h, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
            body + "\n}");
    };
    const Trace lost = run("if (i < n) h[x[i]]++;");
    EXPECT_THAT(kinds(lost), ElementsAre(FindingKind::race_global));
    EXPECT_THAT(sentences(lost.tried), Contains(HasSubstr("no race, as its data keeps threads from what races")));
    EXPECT_THAT(kinds(run("if (i < n) atomicAdd(&h[x[i]], 1);")), IsEmpty());
    EXPECT_THAT(kinds(run("if (i < n) h[x[i]] = i;")), IsEmpty()) << "each may be named once";
}

TEST(Lanes, ThatCombineAValueWithItselfAreActive) {
    const Trace trace = chosen("__global__ void k(const int* in, int* out) {\n  int v = in[threadIdx.x];\n"
                               "  for (int d = 16; d > 0; d /= 2) v = max(v, __shfl_down_sync(0xFFFFFFFF, v, d));\n"
                               "  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;\n}");
    std::size_t stages = 0;
    for (const Step& step : trace.launches.front().steps) {
        if (step.kind == StepKind::stage) {
            ++stages;
            EXPECT_EQ(step.counters.divergent_warps, 0U) << step.label;
            EXPECT_EQ(step.counters.active_threads, 32 * step.counters.active_warps) << step.label;
        }
    }
    EXPECT_EQ(stages, 5U);
}

TEST(LaunchBeside, NamesNoResultOfUndefinedValues) {
    const Trace trace = chosen("__global__ void k(const float* x, float* m, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    float s = x[i];\n"
                               "    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);\n"
                               "    if ((i & 31) == 0) atomicAdd(m, s / n);\n  }\n}",
                               [](RunOptions& o) { ask_for_elements(o, 1000); });
    EXPECT_THAT(kinds(trace), Contains(FindingKind::inactive_lane));
    EXPECT_EQ(trace.equals, "");
}

TEST(LaunchBeside, SaysWhereAResultOverflows) {
    const auto equals = [](const std::string& type, const std::string& value) {
        return chosen(fmt::format(
                          "__global__ void k(const {0}* a, const {0}* b, {0}* out, int n) {{\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(out, {1});\n}}",
                          type, value))
            .equals;
    };
    EXPECT_EQ(equals("int", "a[i] + 0 * b[i]"), "the sum of a");
    EXPECT_EQ(equals("int", "a[i] * b[i]"), "the dot product of a and b, modulo 2^32");
    EXPECT_EQ(equals("unsigned long long", "a[i] * b[i]"), "the dot product of a and b");
    EXPECT_EQ(equals("double", "a[i] * b[i]"), "the dot product of a and b");
}

// A guess that is kept while the text is edited keeps what is told beside it.
TEST(LaunchBeside, IsTriedAgainAfterAnEdit) {
    RunOptions o;
    o.kernel.text = "__global__ void twice(const int* in, int* out, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = 2 * in[i];\n}";
    std::optional<runs::Guess> guess;
    RunControl control;
    const Trace first = runs::run_kernel_file(o, guess, control);
    ASSERT_THAT(sentences(first.tried), Not(IsEmpty()));
    *o.kernel.text += " ";
    EXPECT_EQ(runs::run_kernel_file(o, guess, control).tried, first.tried);
}

TEST(LaunchBeside, IsTheFirstThatWasTriedAfterAnEditToo) {
    RunOptions o;
    o.kernel.text = "__global__ void total(const int* data, int* result, int n) {\n  __shared__ int buf[128];\n"
                    "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  buf[t] = i < n ? data[i] : 0;\n"
                    "  for (int h = blockDim.x / 2; h > 0; h >>= 1) {\n    if (t < h) buf[t] += buf[t + h];\n"
                    "    __syncthreads();\n  }\n  if (t == 0) result[blockIdx.x] = buf[0];\n}\n";
    std::optional<runs::Guess> guess;
    RunControl control;
    const Trace first = runs::run_kernel_file(o, guess, control);
    ASSERT_THAT(sentences(first.tried), ElementsAre(StartsWith("with 256 threads: out of bounds: ")));
    *o.kernel.text += " ";
    EXPECT_EQ(runs::run_kernel_file(o, guess, control).tried, first.tried);
    o.kernel.text->replace(o.kernel.text->find("128"), 3, "512");
    EXPECT_THAT(sentences(runs::run_kernel_file(o, guess, control).tried), IsEmpty());
}

TEST(BlockOfATile, HasTheRowsThatAThreadDoesNotTake) {
    const auto block = [](const std::string& loop) {
        return chosen("__global__ void k(const float* in, float* out, int w, int h) {\n"
                      "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n  " +
                      loop + "\n}")
            .launches.front()
            .block_shape;
    };
    EXPECT_THAT(
        block("for (int j = 0; j < 32; j += 8) if (x < w && y + j < h) out[(y + j) * w + x] = in[(y + j) * w + x];"),
        ElementsAre(32, 8, 1));
    EXPECT_THAT(
        block("for (int j = 0; j < 32; j += 4) if (x < w && y + j < h) out[(y + j) * w + x] = in[(y + j) * w + x];"),
        ElementsAre(32, 4, 1));
    EXPECT_THAT(block("if (x < w && y < h) out[y * w + x] = in[y * w + x];"), ElementsAre(32, 32, 1));
    EXPECT_THAT(block("float s = 0; for (int j = -1; j < 2; j++) if (x < w && y + j >= 0 && y + j < h) s += in[(y + j) "
                      "* w + x];\n"
                      "  if (x < w && y < h) out[y * w + x] = s;"),
                ElementsAre(32, 32, 1))
        << "neighbours";
}

// Where the kernel's own arithmetic says its block, a smaller one would hide what goes past the array.
TEST(BlockOfATile, StaysWhereOneElementIsPastTheArray) {
    const Trace trace = chosen("__global__ void k(const int* in, int* out) {\n  __shared__ int s[128];\n"
                               "  int t = threadIdx.x;\n  s[t] = in[blockIdx.x * 128 + t];\n  __syncthreads();\n"
                               "  for (int k = 64; k > 0; k >>= 1) {\n    if (t <= k) s[t] += s[t + k];\n"
                               "    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = s[0];\n}");
    EXPECT_EQ(trace.launches.front().block, 128U);
    EXPECT_THAT(kinds(trace), Contains(FindingKind::out_of_bounds));
}

TEST(MatrixSides, StateHowLongTheArraysAre) {
    const Trace trace = chosen(product_in_tiles(16, "__syncthreads();"),
                               [](RunOptions& o) { o.kernel.expect = "matrix-product(32, 32, 32)"; });
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_TRUE(trace.pass);
}

TEST(LaunchBeside, HasAnOddNumberOfElements) {
    const std::string begin = "__global__ void k(const int* a, int* o, int n) {\n"
                              "    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n";
    EXPECT_THAT(sentences(chosen(begin + "    if (i + 1 < n) atomicAdd(o, a[i] + a[i + 1]);\n}\n").tried),
                ElementsAre(StartsWith("with elements = 999: not the sum of a")));
    EXPECT_THAT(
        sentences(chosen(begin + "    if (i < n) atomicAdd(o, a[i]);\n    if (i + 1 < n) atomicAdd(o, a[i + 1]);\n}\n")
                      .tried),
        IsEmpty());
}

std::string product_of_named_sizes(const std::string& stride) {
    return "__global__ void mm(float* A, float* B, float* C, int numARows, int numAColumns, int numBRows,\n"
           "                   int numBColumns, int numCRows, int numCColumns) {\n"
           "    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "    if (r >= numCRows || c >= numCColumns) return;\n    float sum = 0;\n"
           "    for (int k = 0; k < numAColumns; ++k) sum += A[r * numAColumns + k] * B[k * " +
           stride + " + c];\n    C[r * numCColumns + c] = sum;\n}\n";
}

TEST(LaunchBeside, HasUnequalSizesOfAProductByTheirNames) {
    EXPECT_THAT(sentences(chosen(product_of_named_sizes("numBColumns")).tried), IsEmpty());
    EXPECT_THAT(
        sentences(chosen(product_of_named_sizes("numAColumns")).tried),
        ElementsAre(HasSubstr("numBRows = 32, numBColumns = 16, numCRows = 48, numCColumns = 16: not the matrix "
                              "product of A and B")));
}

TEST(LaunchBeside, LooksWhetherAllRowsCount) {
    const auto sums = [](const std::string& rows) {
        return chosen("__global__ void k(const float* a, float* o, int rows, int cols) {\n"
                      "    int c = blockIdx.x * blockDim.x + threadIdx.x;\n    if (c >= cols) return;\n"
                      "    float s = 0;\n    for (int r = 0; r < " +
                      rows + "; ++r) s += a[r * cols + c];\n    o[c] = s;\n}\n");
    };
    EXPECT_EQ(sums("rows").equals, "the sum of each column of a");
    EXPECT_THAT(sentences(sums("rows").tried), IsEmpty());
    EXPECT_THAT(sentences(sums("cols").tried), ElementsAre(HasSubstr("not the sum of each column of a")));
}

TEST(LaunchBeside, TellsNoBlockThatAnArrayOfOneElementAThreadRefuses) {
    const Trace trace = chosen("__global__ void k(const float* a, float* o, int n) {\n    __shared__ float s[128];\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    s[threadIdx.x] = i < n ? a[i] : 0;\n    __syncthreads();\n"
                               "    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n"
                               "        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n"
                               "        __syncthreads();\n    }\n    if (threadIdx.x == 0) atomicAdd(o, s[0]);\n}\n");
    EXPECT_EQ(trace.launches.front().block, 128U);
    EXPECT_THAT(sentences(trace.tried), IsEmpty());
}

TEST(LaunchBeside, GivesOneBlockNoMoreElementsThanItsArrayHas) {
    const Trace trace = chosen("__global__ void reverse(int* d, int n) {\n    __shared__ int s[64];\n"
                               "    int t = threadIdx.x;\n    s[t] = d[t];\n    __syncthreads();\n"
                               "    d[t] = s[n - t - 1];\n}\n");
    EXPECT_TRUE(trace.completed());
    EXPECT_EQ(trace.options.n, 64U);
    EXPECT_THAT(trace.launches.front().findings, IsEmpty());
    EXPECT_THAT(sentences(trace.tried), IsEmpty());
    EXPECT_THAT(trace.chosen, Contains("n = 64 as s has an element a thread"));
}

TEST(LaunchBeside, KeepsABlockThatTheArithmeticStatesWhereATileIsTooNarrow) {
    const Trace trace =
        chosen("__global__ void k(const float* in, float* out, int w, int h) {\n"
               "    __shared__ float s[17][17];\n"
               "    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
               "    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;\n    bool in_it = x < w && y < h;\n"
               "    s[ly][lx] = in_it ? in[y * w + x] : 0;\n"
               "    if (threadIdx.y == 15) s[ly + 1][lx] = in_it && y + 1 < h ? in[(y + 1) * w + x] : 0;\n"
               "    __syncthreads();\n    if (in_it) out[y * w + x] = s[ly][lx];\n}\n");
    EXPECT_EQ(trace.launches.front().block, 256U);
    ASSERT_EQ(trace.launches.front().findings.size(), 1U);
    EXPECT_EQ(trace.launches.front().findings[0].kind, FindingKind::out_of_bounds);
}

TEST(LaunchBeside, TakesTheInstanceThatTheFileUses) {
    const Trace trace =
        chosen("template <int BM, int LOG> __global__ void k(float* out) { out[threadIdx.x] = BM + LOG; }\n"
               "void run(float* out) { k<32, 7><<<1, 64>>>(out); }\n",
               [](RunOptions& o) { o.kernel.kernel = "k"; });
    EXPECT_EQ(trace.kernel, "k<32, 7>");
}

TEST(LaunchBeside, NamesNoMaximumOfWhatIsAMinimumToo) {
    EXPECT_EQ(chosen("__global__ void k(const int* x, int* r, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) { atomicMin(&r[0], x[i]); atomicMax(&r[1], x[i]); }\n}\n")
                  .equals,
              "");
}

// Two sides that nobody stated are equal, so that one may stand for the other: told where arrays of both sides' product are left.
TEST(LaunchBeside, HasOneSideLongerThanTheOther) {
    const auto with = [](const std::string& guard, const std::string& index) {
        return sentences(
            chosen("__global__ void k(const float* in, float* out, int w, int h) {\n"
                   "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                   "  if (" +
                   guard + ") out[" + index + "] = 2 * in[" + index + "];\n}\n")
                .tried);
    };
    EXPECT_THAT(with("x < w && y < h", "y * w + x"), IsEmpty());
    EXPECT_THAT(with("y < w && x < h", "x * w + y"), IsEmpty());
    EXPECT_THAT(with("x < w && y < h", "x * h + y"), IsEmpty()); // by columns
    EXPECT_THAT(with("x < w && y < h", "y * h + x"),
                ElementsAre(AllOf(StartsWith("with w = 32, h = 64: out of bounds (risk)"),
                                  HasSubstr("w * h elements, here 2048"))));
    EXPECT_THAT(with("x < h && y < w", "y * w + x"), ElementsAre(HasSubstr("out of bounds (risk)")));
    EXPECT_THAT(with("x <= w && y < h", "y * w + x"), Contains(HasSubstr("out of bounds (risk)")));
}

// What has a side of its own, or one that bounds nothing, is not taken for a product of the two.
TEST(LaunchBeside, LeavesArraysOfOneSideAlone) {
    const Trace square =
        chosen("__global__ void k(const float* x, float* d, int n, int k) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "  if (i >= n || j >= n) return;\n  float s = 0;\n"
               "  for (int c = 0; c < k; ++c) s += x[i * k + c] * x[j * k + c];\n  d[i * n + j] = s;\n}\n");
    EXPECT_THAT(sentences(square.tried), IsEmpty());
    const Trace pitched =
        chosen("__global__ void k(const float* in, float* out, int n, int ld) {\n"
               "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "  if (x < n && y < n) out[y * ld + x] = in[y * ld + x] + 1;\n}\n");
    EXPECT_THAT(sentences(pitched.tried), IsEmpty());
}

} // namespace
} // namespace warptree::tests
