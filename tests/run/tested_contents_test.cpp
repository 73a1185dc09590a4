// Contents that are chosen by what the kernel compares elements with, and what they bring to light.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

bool has_fault(const Trace& trace) {
    const auto& found = trace.launches.front().findings;
    return std::ranges::any_of(found, [](const Finding& f) { return f.severity == Severity::fault; });
}

TEST(TestedContents, OfAnAutomatonAreItsStates) {
    const Trace fire =
        chosen("enum { EMPTY, TREE, FIRE };\n__global__ void burn(int* cell, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < 1 || i >= n - 1) return;\n"
               "  if (cell[i] == FIRE) cell[i] = EMPTY;\n"
               "  else if (cell[i] == TREE && (cell[i - 1] == FIRE || cell[i + 1] == FIRE)) cell[i] = FIRE;\n}");
    EXPECT_THAT(fire.chosen, Contains("cell = states"));
    EXPECT_TRUE(has_fault(fire)) << "a neighbour is changed while it is read";
    const Trace other = chosen("__global__ void k(const int* kind, const int* in, int* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                               "  switch (kind[i]) {\n  case 0: out[i] = in[i]; break;\n"
                               "  case 1: out[i] = in[i] * 3 + 1; break;\n  case 2: out[i] = -in[i]; break;\n  }\n}");
    EXPECT_THAT(other.chosen, IsSupersetOf({"kind = states", "in = primes"}));
}

TEST(TestedContents, OfHeadsGoThroughSharedMemory) {
    const Trace scan =
        chosen("__global__ void scan(const int* val, const int* head, int* out, int n) {\n"
               "  __shared__ int v[2][256], f[2][256];\n  int t = threadIdx.x, i = blockIdx.x * 256 + t, cur = 0;\n"
               "  v[0][t] = i < n ? val[i] : 0;\n  f[0][t] = i < n ? head[i] : 0;\n  __syncthreads();\n"
               "  for (int d = 1; d < 256; d <<= 1) {\n    int nv = v[cur][t], nf = f[cur][t];\n"
               "    if (t >= d) { if (!nf) nv += v[cur][t - d]; nf |= f[cur][t - d]; }\n"
               "    v[cur ^ 1][t] = nv; f[cur ^ 1][t] = nf; cur ^= 1;\n    __syncthreads();\n  }\n"
               "  if (i < n) out[i] = v[cur][t];\n}");
    EXPECT_THAT(scan.chosen, IsSupersetOf({"val = primes", "head = flags"}));
    EXPECT_EQ(scan.equals, "");
    EXPECT_EQ(values<int>(scan, "out")[1], 5) << "of its own and the head before";
}

TEST(TestedContents, OfKeysThatAreComparedWithNeighboursComeTwice) {
    const Trace keys = chosen("__global__ void k(const int* key, const float* val, float* out, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                              "  out[i] = i > 0 && key[i] == key[i - 1] ? val[i] + val[i - 1] : val[i];\n}");
    EXPECT_THAT(keys.chosen, IsSupersetOf({"key = pairs", "val = primes"}));
    const Trace found = chosen("__global__ void k(const char* a, const int* b, const int* c, int* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                               "  out[i] = b[i] == c[i] ? a[i] : 0;\n}");
    EXPECT_THAT(found.chosen, IsSupersetOf({"b = primes", "c = primes"})) << "with those of another array";
}

TEST(TestedContents, OfSpinsAreOfEitherSign) {
    const auto sweep = [](const std::string& parity) {
        return chosen("__global__ void k(int* spin, const float* rnd, int L, int colour) {\n"
                      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                      "  if (x >= L || y >= L || " +
                      parity +
                      " != colour) return;\n"
                      "  int l = (x + L - 1) % L, r = (x + 1) % L, u = (y + L - 1) % L, d = (y + 1) % L;\n"
                      "  int s = spin[y * L + x];\n  int e = 2 * s * (spin[y * L + l] + spin[y * L + r] +\n"
                      "    spin[u * L + x] + spin[d * L + x]);\n"
                      "  if (e <= 0 || rnd[y * L + x] < 0.5f) spin[y * L + x] = -s;\n}");
    };
    EXPECT_THAT(sweep("(x & 1)").chosen, IsSupersetOf({"spin = alternating", "colour = 0"}));
    EXPECT_TRUE(has_fault(sweep("(x & 1)"))) << "those above and below have the same colour";
    EXPECT_FALSE(has_fault(sweep("((x + y) & 1)")));
    const Trace negated = chosen("__global__ void k(int* a, int n) {\n  int i = threadIdx.x;\n"
                                 "  if (i < n) a[i] = -a[i];\n}");
    EXPECT_THAT(negated.chosen, Contains("a = primes"));
}

TEST(TestedContents, OfAMazeAreThoseAFloodSetsOutFrom) {
    const Trace flood = chosen("__global__ void flood(const unsigned char* wall, int* dist, int n, int level) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i >= n || dist[i] != level) return;\n"
                               "  if (i > 0 && !wall[i - 1]) atomicCAS(&dist[i - 1], -1, level + 1);\n"
                               "  if (i < n - 1 && !wall[i + 1]) atomicCAS(&dist[i + 1], -1, level + 1);\n}");
    EXPECT_THAT(flood.chosen, IsSupersetOf({"wall = flags", "dist = unseen", "level = 0"}));
    EXPECT_THAT(sentences(flood.tried), Contains(HasSubstr("nothing is stored, as its data keeps all threads")));
}

// Of large negative elements the sum of exponentials is 0 where the maximum that is taken from them began above all.
TEST(BegunMaximum, IsToldWhereTheResultIsSomethingElse) {
    const auto log_sum = [](const std::string& begin, const std::string& value = "in[row * n + k]") {
        return sentences(chosen("__global__ void k(const float* in, float* out, int rows, int n) {\n"
                                "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n"
                                "  float m = " +
                                begin + ", s = 0;\n  for (int k = 0; k < n; ++k) m = fmaxf(m, " + value +
                                ");\n  for (int k = 0; k < n; ++k) s += expf(" + value +
                                " - m);\n  out[row] = m + logf(s);\n}")
                             .tried);
    };
    EXPECT_THAT(log_sum("0.0f"), Contains(AllOf(HasSubstr("with in = negative: not finite: out["),
                                                HasSubstr("the maximum in line 5 begins with is above all"))));
    EXPECT_THAT(log_sum("-INFINITY"), IsEmpty());
    EXPECT_THAT(log_sum("in[row * n]"), IsEmpty());
    EXPECT_THAT(log_sum("0.0f", "fabsf(in[row * n + k])"), IsEmpty());
    EXPECT_THAT(log_sum("0.0f", "sqrtf(in[row * n + k])"), Not(Contains(HasSubstr("not finite"))));
}

} // namespace
} // namespace warptree::tests
