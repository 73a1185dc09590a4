// Kernels, arguments and expressions of a launch that are given, and those that are refused.
#include "app/catalogue/launch_expression.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>

namespace warptree::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTaken = "__global__ void copy(const float* in, float* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i];\n}";

TEST(Kernels, AreChosenByName) {
    const char* const text = "template <class T, unsigned B> __global__ void t(T* out) { out[0] = B; }\n"
                             "__global__ void a(int* out) { out[0] = 1; }\n__global__ void b(int* out) { out[0] = 2; }";
    const auto run = [&](const std::string& kernel) {
        return chosen(text, [&](RunOptions& o) { o.kernel.kernel = kernel; });
    };
    EXPECT_EQ(run("").kernel, "a");
    EXPECT_THAT(run("").chosen, Contains("kernel a"));
    EXPECT_EQ(run("b").kernel, "b");
    EXPECT_EQ(values<double>(run("t<double, 64>"), "out").front(), 64.0);
    EXPECT_EQ(run("t").kernel, "t<float, 256>");
    EXPECT_THAT(why_refused(text, [](RunOptions& o) { o.kernel.kernel = "c"; }),
                HasSubstr("no kernel 'c'; it has a; b; t<"));
    EXPECT_THAT(why_refused("int main() {}"), HasSubstr("no __global__ function"));
}

TEST(Kernels, HaveIntegersForTypesThatIndex) {
    const std::string text = "template <class Index> __global__ void t(const float* in, float* out, Index n) {\n"
                             "  Index i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}";
    EXPECT_EQ(chosen(text.c_str(), [](RunOptions&) {}).kernel, "t<int>");
    EXPECT_THAT(why_refused((text + "\ntemplate <class T> __global__ void u(T* out) { out->x = 1; }").c_str(),
                            [](RunOptions& o) { o.kernel.kernel = "u"; }),
                HasSubstr("u<float>: not an instance"))
        << "what fits neither is told of the first";
}

TEST(Numbers, AreRefusedThatTheirTypeDoesNotHold) {
    const char* const text = "__global__ void f(float* out, int n, unsigned char c, unsigned long long u, float x) {\n"
                             "  if (threadIdx.x < n) out[threadIdx.x] = x + c + u;\n}";
    const auto why = [&](const char* name, const char* number) {
        return why_refused(text, [&](RunOptions& o) { o.kernel.arguments[name] = number; });
    };
    EXPECT_THAT(why("n", "7e25"), HasSubstr("n is of type int, which does not hold \"7e25\""));
    EXPECT_THAT(why("n", "2147483648"), HasSubstr("does not hold"));
    EXPECT_THAT(why("n", "3.5"), HasSubstr("n is of type int, which takes whole numbers, not \"3.5\""));
    EXPECT_THAT(why("c", "256"), HasSubstr("does not hold"));
    EXPECT_THAT(why("c", "-1"), HasSubstr("does not hold"));
    EXPECT_THAT(why("u", "2e19"), HasSubstr("does not hold"));
    EXPECT_THAT(why("x", "1e39"), HasSubstr("x is of type float, which does not hold \"1e39\""));
    EXPECT_EQ(values<float>(chosen(text,
                                   [](RunOptions& o) {
                                       o.kernel.arguments = {{"n", "32"}, {"c", "255"}, {"u", "0"}, {"x", "0.5"}};
                                   }),
                            "out")
                  .front(),
              255.5);
}

TEST(Launches, OfALongLoopKeepTheirSize) {
    const Trace trace =
        chosen("__global__ void relax(const float* in, float* out, int n) {\n"
               "  __shared__ float s[256];\n  int t = threadIdx.x;\n  s[t] = in[t];\n  __syncthreads();\n"
               "  for (int k = 0; k < 6000; ++k) {\n    float v = s[(t + 1) % 256];\n    __syncthreads();\n"
               "    s[t] = 0.5f * v;\n    __syncthreads();\n  }\n  out[t] = s[t];\n}",
               [](RunOptions& o) {
                   o.window = {0, 0};
               });
    EXPECT_EQ(trace.block(), 256U);
    EXPECT_TRUE(trace.completed());
    EXPECT_THAT(kinds(trace), IsEmpty()) << "with fewer threads it would read what nobody wrote";
}

TEST(Launches, OfMoreFixedSharedMemoryThanNvccTakesAreRefused) {
    const auto with = [](const std::string& elements) {
        return "__global__ void k(const int* in, int* out) {\n  __shared__ int s[" + elements +
               "];\n  s[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n  out[threadIdx.x] = s[threadIdx.x ^ "
               "1];\n}\n";
    };
    EXPECT_EQ(why_refused(with("12288")), "taken");
    EXPECT_THAT(why_refused(with("12289")), HasSubstr("nvcc takes 49152: declare one as extern __shared__"));
}

TEST(Arguments, ThatCannotBeAreRefused) {
    const auto with = [](const std::string& name, const std::string& value) {
        return why_refused(kTaken, [&](RunOptions& o) { o.kernel.arguments[name] = value; });
    };
    EXPECT_THAT(with("size", "3"), HasSubstr("copy has no parameter 'size'; it has in, out, n"));
    EXPECT_THAT(with("in", "lots"), HasSubstr("lots"));
    EXPECT_THAT(with("in", "iota:0"), HasSubstr("1 to 2^31 elements"));
    EXPECT_THAT(with("n", "1 +"), HasSubstr("'1 +'"));
    EXPECT_THAT(with("in", "/nowhere/x.npy"), HasSubstr("/nowhere/x.npy"));
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.block = "2048"; }), HasSubstr("the limit is 1024"));
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.grid = "0"; }), HasSubstr("it must be 1 or more"));
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.grid = "1,2,3,4"; }), HasSubstr("three dimensions"));
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.shared = "1 << 30"; }), HasSubstr("shared memory"));
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.grid = "n / 0"; }), HasSubstr("zero"));
    EXPECT_THAT(why_refused("// block: 0\n" + std::string(kTaken)), HasSubstr("every dimension must be at least 1"));
    // 2^66 threads wrap around to 0 in 64 bits.
    EXPECT_THAT(why_refused(kTaken, [](RunOptions& o) { o.kernel.block = "4194304x4194304x4194304"; }),
                HasSubstr("the limit is 1024"));
    for (const char* n : {"0", "-5", "1 << 40"}) {
        EXPECT_THAT(why_refused(std::string("// n: ") + n + "\n" + kTaken), HasSubstr("it must be 1 to 2^31")) << n;
    }
}

TEST(Launches, AreMadeOfTheNumbersThatTheKernelIsTold) {
    const auto of = [](const std::string& header, const std::function<void(RunOptions&)>& change = {}) {
        return chosen(header + "__global__ void rows(const float* in, float* out, int w, int h) {\n"
                               "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
                               "threadIdx.y;\n  if (x < w && y < h) out[y * w + x] = in[y * w + x];\n}",
                      change)
            .launches.front();
    };
    using Shape = std::array<std::uint32_t, 3>;
    const std::string launch = "// launch: rows<<<dim3(ceil(w / 16), ceil(h / 4)), dim3(16, 4)>>>(in, out, w, h)\n";
    EXPECT_EQ(of(launch).grid_shape, (Shape{2, 8, 1})) << "a side is 32";
    EXPECT_EQ(of(launch + "// arg: w = 80\n").grid_shape, (Shape{5, 8, 1}));
    EXPECT_EQ(of(launch + "// arg: w = 80\n", [](RunOptions& o) { o.kernel.arguments["w"] = "17"; }).grid_shape,
              (Shape{2, 8, 1}));
    EXPECT_EQ(of("// launch: rows<<<dim3(ceil(w / 16), ceil(h / 4)), dim3(16, 4)>>>(in, out, 64, 8)\n").grid_shape,
              (Shape{4, 2, 1}));
    EXPECT_THAT(
        why_refused("// launch: rows<<<ceil(q / 16), 16>>>(in, out, w, h)\n__global__ void rows(const float* in, "
                    "float* out, int w, int h) { out[0] = in[0]; }"),
        HasSubstr("'ceil(q / 16)': expected a number or one of B, h, n, w"));
}

TEST(Expressions, AreThoseOfALaunch) {
    const std::map<std::string, std::int64_t, std::less<>> names{{"n", 1000}, {"B", 256}};
    const auto value = [&](const char* text) { return catalogue::evaluate(text, names, "double"); };
    EXPECT_EQ(value("ceil(n / B)"), 4);
    EXPECT_EQ(value("ceil((n + 24) / (2 * B))"), 2);
    EXPECT_EQ(value("min(n, B) * sizeof(T)"), 2048);
    EXPECT_EQ(value("max(1, n / 1001) + sizeof(float4)"), 17);
    EXPECT_THROW(value("m + 1"), OptionError);
    EXPECT_THROW(value("sizeof(Matrix)"), OptionError);
    EXPECT_THROW(value("ceil(n / 0)"), OptionError);
    EXPECT_THROW(value("n * 9223372036854775807"), OptionError);
    EXPECT_THROW(value(""), OptionError);
}

} // namespace
} // namespace warptree::tests
