// Elements of float3 and the like are told as wholes.
#include "app/trace/explain/costs.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "app/trace/explain/vector_types.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(VectorElements, AreOfCudasTypes) {
    EXPECT_EQ(parts_of_type("const float3 *"), 3U);
    EXPECT_EQ(parts_of_type("float3*"), 3U);
    EXPECT_EQ(parts_of_type("const uchar4 *"), 4U);
    EXPECT_EQ(parts_of_type("int2"), 2U);
    for (const char* other : {"float*", "const unsigned char*", "uint32_t*", "int8_t*", "float16*", "Vec3*", "int1*"}) {
        EXPECT_EQ(parts_of_type(other), 1U) << other;
    }
}

TEST(VectorElements, AreCountedAsWholes) {
    const std::string text = "__global__ void k(const float3* p, float* out, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  float3 v = p[i];\n  if (i < n) out[i] = v.x + v.y + v.z;\n}";
    const Trace right = chosen(text);
    EXPECT_THAT(costs(right), IsEmpty()) << "neighbours load neighbouring elements, a part after the other";
    EXPECT_THAT(report_text(right), HasSubstr("the kernel reached p[1023]\n"));
    const Trace past = chosen(text, [](RunOptions& o) {
        o.n = 500;
        o.kernel.n_given = true;
        o.kernel.arguments["p"] = "iota:1500";
    });
    const Finding* f = first_of(past, FindingKind::out_of_bounds);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(sentence(past, past.launches.front(), *f),
              "thread 244 of block 1 reads p[500] in line 3, but p has 500 elements.");
    const Trace one = chosen("__global__ void k(const float3* p, float* out, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = p[i].x;\n}");
    EXPECT_THAT(costs(one), Contains(HasSubstr("do not load neighbouring elements"))) << "a part alone";
}

TEST(VectorElements, OfArraysThatGrowAreThoseReached) {
    const Trace rows =
        chosen("__global__ void k(const float* A, float* out, int rows, int cols) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= rows) return;\n"
               "  float s = 0;\n  for (int j = 0; j < cols; ++j) s += A[i * cols + j];\n  out[i] = s;\n}");
    EXPECT_THAT(report_text(rows), HasSubstr("A = primes, 4096 elements"));
    EXPECT_THAT(report_text(rows), Not(HasSubstr("A = primes, 64 elements")));
}

} // namespace
} // namespace warptree::tests
