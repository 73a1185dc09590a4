// What integers a kernel is called with by what it does with them, where nobody says, and what that brings to light.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;

const std::string kIndex = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
const std::string kIndices = kIndex + " int j = blockIdx.y * blockDim.y + threadIdx.y;";

TEST(IntegerRole, OfABitIsTheFirstOne) {
    const Trace counts = chosen("__global__ void k(const unsigned* a, int* count, int bit, int n) { " + kIndex +
                                " if (i < n && (a[i] >> bit & 1u)) atomicAdd(count, 1); }");
    EXPECT_THAT(counts.chosen, IsSupersetOf({"n = 1024", "bit = 0"}));
    EXPECT_EQ(values<int>(counts, "count"), std::vector<int>{1023}) << "all primes but one are odd";
    const Trace reversed = chosen("__global__ void k(const float* in, float* out, unsigned n, int bits) { unsigned " +
                                  kIndex.substr(4) + " if (i < n) out[__brev(i) >> (32 - bits)] = in[i]; }");
    EXPECT_THAT(reversed.chosen, Contains("bits = 10"));
    EXPECT_EQ(values<float>(reversed, "out").size(), 1024U);
}

TEST(IntegerRole, OfAPlaceIsTheFirstOne) {
    const Trace column = chosen("__global__ void k(const float* M, float* to, int rows, int cols, int k) { " + kIndex +
                                " if (i < rows) to[i] = M[i * cols + k]; }");
    EXPECT_THAT(column.chosen, IsSupersetOf({"rows = n", "cols = n", "k = 0"}));
    EXPECT_THAT(kinds(column), IsEmpty());
    const Trace gauss = chosen("__global__ void k(float* A, int n, int k) { " + kIndices +
                               " if (j > k && j < n && i > k && i < n)\n"
                               " A[j * n + i] -= A[j * n + k] / A[k * n + k] * A[k * n + i]; }");
    EXPECT_THAT(gauss.chosen, Contains("k = 0"));
    EXPECT_THAT(kinds(gauss), IsEmpty());
    const Trace pivot = chosen("__global__ void k(float* A, int n, int row) { " + kIndex +
                               "\n if (i < n) A[row * n + i] = A[row * n + i] / A[row * n + row]; }");
    EXPECT_THAT(kinds(pivot), Contains(FindingKind::race_global)) << "the pivot itself is divided";
}

TEST(IntegerRole, OfARowInBytesIsAsManyAsItsElementsTake) {
    const Trace trace = chosen("__global__ void k(float* base, size_t pitch, int width, int height) { " + kIndices +
                               " if (i < width && j < height) ((float*)((char*)base + j * pitch))[i] += 1; }");
    EXPECT_THAT(trace.chosen, IsSupersetOf({"n = 32", "pitch = 128"}));
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_THAT(sentences(trace.tried), IsEmpty());
}

TEST(IntegerRole, OfALoopFromAThreadsElementOnIsAFew) {
    const auto mean = [](const std::string& guard) {
        return chosen("__global__ void k(const float* x, float* y, int n, int k) { " + kIndex + " if (i < " + guard +
                      ") { float s = 0; for (int j = 0; j < k; j++) s += x[i + j]; y[i] = s / k; } }");
    };
    EXPECT_THAT(mean("n").chosen, IsSupersetOf({"n = 1024", "k = 3"}));
    const Trace product =
        chosen("__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) { " + kIndices +
               " if (j >= M || i >= N) return; float s = 0;\n"
               " for (int k = 0; k < K; k++) s += A[j * K + k] * B[k * N + i];\n"
               " C[j * N + i] = s; }");
    EXPECT_THAT(product.chosen, IsSupersetOf({"M = n", "N = n", "K = n"}));
    EXPECT_EQ(product.equals, "the matrix product of A and B");
}

TEST(IntegerRole, OfADistanceBackwardsIsTheNeighbours) {
    const Trace trace = chosen("__global__ void k(int* a, int offset, int n) { " + kIndex +
                               "\n if (i >= offset && i < n) a[i] += a[i - offset]; }");
    EXPECT_THAT(trace.chosen, Contains("offset = 1"));
    EXPECT_THAT(kinds(trace), Contains(FindingKind::race_global));
}

TEST(IntegerRole, IsAFewWhereNothingIsStoredElse) {
    const Trace sieve = chosen("__global__ void k(char* prime, int n, int p) { int i = p * p + (blockIdx.x * "
                               "blockDim.x + threadIdx.x) * p; if (i < n) prime[i] = 1; }");
    EXPECT_THAT(sieve.chosen, IsSupersetOf({"n = 64", "p = 3"}));
    EXPECT_EQ(values<std::int8_t>(sieve, "prime").size(), 64U) << "63 is the last multiple of 3";
}

TEST(IntegerRole, OfTicketsMakesSeveralBlocks) {
    const Trace trace = chosen("__device__ int next;\n__global__ void k(const int* x, int* y, int n) {\n"
                               " __shared__ int block; if (threadIdx.x == 0) block = atomicAdd(&next, 1);\n"
                               " __syncthreads(); int i = block * 256 + threadIdx.x; if (i < n) y[i] = x[i]; }");
    EXPECT_THAT(trace.chosen, IsSupersetOf({"n = 1024", "grid 4"}));
    EXPECT_EQ(trace.equals, "a copy of x");
}

TEST(IntegerRole, OfWhatIsUnusedIsToldWhereAGuardIsMissing) {
    const auto product = [](const std::string& rows) {
        return sentences(
            chosen("__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) { " + kIndices +
                   " if (j < " + rows +
                   " && i < N) { float s = 0;\n"
                   " for (int k = 0; k < K; k++) s += A[j * K + k] * B[k * N + i];\n C[j * N + i] = s; } }")
                .tried);
    };
    EXPECT_THAT(product("M"), IsEmpty());
    EXPECT_THAT(product("N"), ElementsAre(StartsWith("with M = 16: the same, as the kernel does not use M")));
}

TEST(IntegerRole, OfSidesIsToldThatMeetsTheWrongOne) {
    const auto planes = [](const std::string& row) {
        return sentences(chosen("__global__ void k(const float* in, float* out, int w, int h, int channels) { " +
                                kIndices + " if (i >= w || j >= h) return;\n for (int c = 0; c < channels; c++)\n" +
                                " out[(c * h + j) * " + row + " + i] = in[(j * w + i) * channels + c]; }")
                             .tried);
    };
    EXPECT_THAT(planes("w"), IsEmpty());
    EXPECT_THAT(planes("h"), ElementsAre(HasSubstr("but it may have only w * h * channels elements, here 65536")));
}

TEST(IntegerRole, OfAnEdgeThatIsNotGuardedIsTold) {
    const auto convolution = [](const std::string& guard) {
        return sentences(chosen("__constant__ float M[5];\n__global__ void k(const float* N, float* P, int n) { " +
                                kIndex + " float v = 0;\n for (int j = 0; j < 5; j++) if (" + guard +
                                ") v += N[i - 2 + j] * M[j];\n if (i < n) P[i] = v; }")
                             .tried);
    };
    EXPECT_THAT(convolution("i - 2 + j >= 0 && i - 2 + j < n"), IsEmpty());
    EXPECT_THAT(convolution("i - 2 + j >= 0"), ElementsAre(HasSubstr("the last threads load N[1024] to N[1025]")));
}

// Two threads of each block bring what is beside its 64 elements: of the first block nothing before in[0], of the last in[n] and
// in[n + 1]. More blocks than are traced are told of by four.
TEST(IntegerRole, OfAnEdgeThatTheLastBlockPassesIsTold) {
    const auto stencil = [](const std::string& right, std::uint64_t n) {
        return sentences(chosen("__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[68];\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + 2;\n"
                                "  s[l] = i < n ? in[i] : 0;\n  if (threadIdx.x < 2) {\n"
                                "    s[l - 2] = i >= 2 ? in[i - 2] : 0;\n    s[l + blockDim.x] = " +
                                    right +
                                    ";\n  }\n  __syncthreads();\n  int r = 0;\n"
                                    "  for (int k = -2; k <= 2; ++k) r += s[l + k];\n  if (i < n) out[i] = r;\n}",
                                [n](RunOptions& o) {
                                    o.block = 64;
                                    o.n = n;
                                    o.kernel.n_given = true;
                                })
                             .tried);
    };
    const std::string guarded = "i + blockDim.x < n ? in[i + blockDim.x] : 0", bare = "in[i + blockDim.x]";
    EXPECT_THAT(stencil(bare, 512),
                ElementsAre(testing::AllOf(HasSubstr("out of bounds (risk)"),
                                           HasSubstr("threads of the last block load in[512] to in[513]"))));
    EXPECT_THAT(stencil(bare, 1024), ElementsAre(HasSubstr("threads of the last block load in[256] to in[257]")));
    EXPECT_THAT(stencil(guarded, 512), IsEmpty());
    EXPECT_THAT(stencil(guarded, 1024), IsEmpty());
}

TEST(IntegerRole, OfAnOddNumberIsTriedToo) {
    const auto pairs = [](const std::string& guard) {
        return sentences(chosen("__global__ void k(const float* in, float* out, int n) { " + kIndex + " if (" + guard +
                                ") out[i] = in[2 * i] + in[2 * i + 1]; }")
                             .tried);
    };
    EXPECT_THAT(pairs("2 * i + 1 < n"), IsEmpty());
    EXPECT_THAT(
        pairs("2 * i < n"),
        ElementsAre("with elements = 999: out of bounds (risk) if in has n elements: the kernel loads in[999], one "
                    "past the last"));
}

TEST(ArrayBeginning, IsWhatItsAtomicsExpect) {
    const Trace table = chosen("__global__ void k(int* table, const int* keys, int n, int size) { " + kIndex +
                               " if (i >= n) return; int h = keys[i] % size; while (true) {\n"
                               " int before = atomicCAS(&table[h], -1, keys[i]);\n"
                               " if (before == -1 || before == keys[i]) break; h = (h + 1) % size; } }");
    EXPECT_THAT(table.chosen, Contains("table = empty"));
    EXPECT_TRUE(table.completed());
    const auto scattered = [](const std::string& at) {
        return chosen("__global__ void k(const int* keys, int* out, int* next, int n) { " + kIndex +
                      " if (i < n) { int place = atomicAdd(&next[" + at + "], 1); out[place] = keys[i]; } }");
    };
    EXPECT_THAT(scattered("keys[i] % 16").chosen, Contains("next = spaced"));
    EXPECT_THAT(kinds(scattered("keys[i] % 16")), IsEmpty());
    EXPECT_THAT(scattered("0").chosen, Contains("next = zeros")) << "one counter";
    const Trace bins = chosen("__global__ void k(const char* text, int* bins, int n) { " + kIndex +
                              " if (i < n) bins[text[i] - 'a']++; }");
    EXPECT_THAT(bins.chosen, Contains("bins = zeros"));
}

TEST(ArrayBeginning, OfWhatALambdaCapturesIsTheOutputs) {
    const Trace trace = chosen("template <class F> __device__ void each(int n, F f) { " + kIndex +
                               " if (i < n) f(i); }\n"
                               "__global__ void k(const int* in, int* out, int n) {"
                               " each(n, [=](int i) { out[i] = in[i] * in[i]; }); }");
    EXPECT_EQ(trace.equals, "the square of each element of in");
}

TEST(ArrayBeginning, OfAnExchangeThatIsNotRepeatedLosesUpdates) {
    const auto maximum = [](const std::string& last) {
        return chosen("__global__ void k(const int* in, int* most, int n) { " + kIndex +
                      "\n if (i >= n) return;\n int old = *most;\n" + last + " }");
    };
    const Trace once = maximum("if (old < in[i]) atomicCAS(most, old, in[i]);");
    ASSERT_THAT(kinds(once), Contains(FindingKind::race_global));
    EXPECT_EQ(once.launches.front().findings.front().severity, Severity::fault);
    const Trace again = maximum("while (old < in[i]) { int seen = atomicCAS(most, old, in[i]);"
                                " if (seen == old) break; old = seen; }");
    ASSERT_THAT(kinds(again), ElementsAre(FindingKind::race_global));
    EXPECT_EQ(again.launches.front().findings.front().severity, Severity::risk);
}

} // namespace
} // namespace warptree::tests
