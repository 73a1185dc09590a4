// What a file of one's own is compared with by default: work of the same kind.
#include "app/features/compare/partner.hpp"

#include "app/features/compare/comparison.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warptree::session {
namespace {

const char* const kScan =
    "__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n  int t = threadIdx.x;\n"
    "  s[t] = in[t];\n  __syncthreads();\n  for (int d = 1; d < 32; d *= 2) {\n"
    "    int a = t >= d ? s[t - d] : 0;\n    __syncthreads();\n    s[t] += a;\n    __syncthreads();\n"
    "  }\n  out[t] = s[t];\n}";
const char* const kProduct =
    "__global__ void k(const float* a, const float* b, float* c) {\n"
    "  int x = threadIdx.x, y = threadIdx.y;\n  float sum = 0;\n"
    "  for (int k = 0; k < 4; ++k) sum += a[y * 4 + k] * b[k * 4 + x];\n  c[y * 4 + x] = sum;\n}";

std::string beside(const std::string& text, const std::function<void(RunOptions&)>& change = {}) {
    return partner_of(tests::run_text(text, change), 0);
}
std::function<void(RunOptions&)> expecting(const char* what) {
    return [what](RunOptions& o) { o.kernel.expect = what; };
}

TEST(Partner, DoesWorkOfTheSameKind) {
    EXPECT_EQ(beside(kScan, expecting("scan")), "scan-shared");
    EXPECT_EQ(beside(kScan), "scan-shared") << "its output is found to be a scan";
    const std::string sum = "__global__ void k(const int* in, int* out) {\n  int sum = 0;\n"
                            "  for (int i = 0; i < 32; ++i) sum += in[i];\n  if (threadIdx.x == 0) out[0] = sum;\n}";
    EXPECT_EQ(beside(sum, expecting("sum")), "interleaved-strided");
    EXPECT_EQ(beside(sum), "interleaved-strided");
    EXPECT_EQ(beside("__global__ void k(const int* in, int* bins) {\n  atomicAdd(&bins[in[threadIdx.x] % 8], 1);\n}",
                     expecting("histogram")),
              "histogram");
    EXPECT_EQ(beside(kProduct,
                     [](RunOptions& o) {
                         o.block.reset();
                         o.kernel.block = "4,4";
                         o.n = 16;
                     }),
              "tiled-matmul");
    EXPECT_EQ(beside("__global__ void k(const int* in, int* out) {\n  out[threadIdx.x] = in[threadIdx.x] + 1;\n}"), "");
}

TEST(Partner, IsAColumnOrThereIsNone) {
    const Trace trace = tests::trace_of({"sequential", 256, 64});
    Comparison scans([] {}), alone([] {});
    EXPECT_TRUE(scans.begin_beside("scan-shared", trace, 0));
    ASSERT_EQ(scans.size(), 2U);
    EXPECT_EQ(scans[1].options.strategy, "scan-shared");
    EXPECT_EQ(scans[1].options.block, 64U) << "in blocks as wide";
    EXPECT_FALSE(alone.begin_beside("", trace, 0));
    EXPECT_EQ(alone.size(), 1U);
}

TEST(Partner, OfAProgramsLaunchesHasNoNumberOfElements) {
    Comparison columns([] {});
    EXPECT_TRUE(columns.takes_elements());
    const Trace program = tests::trace_of({"two-kernel", 256, 64});
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns.show_launch(c, {}, program, 0);
    }
    EXPECT_FALSE(columns.takes_elements());
}

} // namespace
} // namespace warptree::session
