// Accesses past the elements that a kernel's own bound lets an array have.
#include "app/trace/explain/findings.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PastTheEnd, IsNotOfANumberThatLoadedValuesAreComparedWith) {
    // The number's place is used again for the loop's.
    EXPECT_THAT(sentences(chosen("__global__ void part(const int* in, int* out, int* below, int bar) {\n"
                                 "  __shared__ int pre[256];\n  int t = threadIdx.x, g = blockIdx.x * 256 + t;\n"
                                 "  int v = in[g], flag = v < bar;\n  pre[t] = flag;\n  __syncthreads();\n"
                                 "  for (int d = 1; d < 256; d *= 2) {\n    int x = t >= d ? pre[t - d] : 0;\n"
                                 "    __syncthreads();\n    pre[t] += x;\n    __syncthreads();\n  }\n"
                                 "  int total = pre[255], to = flag ? pre[t] - 1 : total + t - pre[t];\n"
                                 "  out[blockIdx.x * 256 + to] = v;\n  if (t == 0) below[blockIdx.x] = total;\n}")
                              .tried),
                IsEmpty());
}

TEST(PastTheEnd, IsOfTheElementsThatBelongToAThread) {
    const auto with = [](const std::string& index, const std::string& type = "char") {
        return sentences(chosen("__global__ void k(const " + type +
                                "* words, int* out, int count) {\n"
                                "  int w = blockIdx.x * blockDim.x + threadIdx.x;\n  if (w >= count) return;\n"
                                "  const " +
                                type +
                                "* s = words + w * 16;\n  int ok = 1;\n"
                                "  for (int k = 0; k < 8; ++k) if (s[k] != s[" +
                                index +
                                "]) ok = 0;\n"
                                "  out[w] = ok;\n}")
                             .tried);
    };
    EXPECT_THAT(with("16 - k"), Contains(HasSubstr("out of bounds (risk) if words has count * 16 elements: the kernel "
                                                   "loads words[16000], one past the last")));
    EXPECT_THAT(with("16 - k", "float"), Contains(HasSubstr("one past the last")));
    EXPECT_THAT(with("15 - k"), IsEmpty());
}

TEST(PastTheEnd, IsNotOfTheBeginningsOfRows) {
    const auto of = [](const std::string& name) {
        return sentences(chosen("__global__ void k(const int* " + name +
                                ", int* deg, int n) {\n"
                                "  int v = blockIdx.x * blockDim.x + threadIdx.x;\n  if (v < n) deg[v] = " +
                                name + "[v + 1] - " + name + "[v];\n}")
                             .tried);
    };
    for (const char* name : {"row_ptr", "rowPtr", "row_offsets", "indptr"}) {
        EXPECT_THAT(of(name), IsEmpty()) << name;
    }
    EXPECT_THAT(of("x"), Contains(HasSubstr("one past the last"))) << "a difference of neighbours";
}

// A coarser grid of every other point has two neighbours each: the last one is meant.
TEST(PastTheEnd, IsNotOfTheNextThreadsFirstElement) {
    EXPECT_THAT(
        sentences(chosen("__global__ void coarser(const double* fine, double* coarse, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n"
                         "    coarse[i] = 0.25 * fine[2 * i] + 0.5 * fine[2 * i + 1] + 0.25 * fine[2 * i + 2];\n}")
                      .tried),
        IsEmpty());
}

TEST(PastTheEnd, IsMeantOnlyWhereAThreadsNumberSaysIt) {
    const auto with = [](const std::string& compare) {
        return sentences(chosen("__global__ void rank(const int* a, int* b, int n) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n  int r = 0;\n"
                                "  for (int j = 0; j < n; j++) if (a[j] " +
                                compare + " a[i]) r++;\n  b[r] = a[i];\n}")
                             .tried);
    };
    EXPECT_THAT(with("<="),
                Contains(HasSubstr("out of bounds (risk) if b has n elements: the kernel stores to b[1000]")));
    EXPECT_THAT(with("<"), IsEmpty());
    EXPECT_THAT(sentences(chosen("__global__ void k(const int* a, int* b, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i + 1] = a[i];\n}")
                              .tried),
                Contains(HasSubstr("b has to have n + 1 elements")));
}

} // namespace
} // namespace warptree::tests
