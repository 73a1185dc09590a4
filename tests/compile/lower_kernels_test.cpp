// What is known about a kernel before it runs.
#include "app/compile/client/compiler.hpp"
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

std::string uses(const compile::Program& p, const std::string& kernel, const std::string& name) {
    const compile::Parameter& it = parameter(p, kernel, name);
    return std::string(it.loads ? "loads " : "") + (it.stores ? "stores " : "") + (it.updates ? "updates" : "");
}

bool independent(const std::string& text) { return lower_snippet(text).kernels.front().independent_blocks; }

TEST(LowerKernels, UsesAreFoundThroughFunctionsChoicesAndArithmetic) {
    const compile::Program p = lower_snippet(R"(
struct View { const int* from; int* to; int n; };
__device__ void put(int* p, int v) { p[1] = v; }
__device__ int* pick(int* a, int* b, bool first) { return first ? a : b; }
__global__ void k(const int* in, int* out, int* a, int* b, int* count, View view, int* unused) {
  const int* p = in + threadIdx.x;
  for (int i = 0; i < 3; i++) p++;
  put(out + 5, *p);
  *pick(a, b, in[0]) = 1;
  atomicAdd(count, 1);
  view.to[0] = view.from[1];
}
__global__ void other(const int* in, int* out) { put(out, in[0]); })");
    EXPECT_EQ(uses(p, "k", "in"), "loads ");
    EXPECT_EQ(uses(p, "k", "out"), "stores ");
    EXPECT_EQ(uses(p, "k", "a"), "stores ");
    EXPECT_EQ(uses(p, "k", "b"), "stores ");
    EXPECT_EQ(uses(p, "k", "count"), "updates");
    EXPECT_EQ(uses(p, "k", "view"), "loads stores ");
    EXPECT_EQ(uses(p, "k", "unused"), "");
    EXPECT_EQ(uses(p, "other", "out"), "stores ");
    EXPECT_EQ(parameter(p, "k", "view").kind, compile::Parameter::Kind::record);
    EXPECT_EQ(parameter(p, "k", "view").bytes, 24U);
}

TEST(LowerKernels, BlocksThatDoNotTalkAreIndependent) {
    EXPECT_TRUE(independent("__global__ void k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }"));
    EXPECT_TRUE(independent("__global__ void k(const int* in, int* out) { atomicAdd(out, in[0]); }"));
    EXPECT_TRUE(
        independent("__global__ void k(int* out) { __shared__ int s[2]; s[0] = 1; __syncthreads(); out[0] = s[0]; }"));
    EXPECT_TRUE(independent(
        "__constant__ int c[2]; __global__ void k(int* out) { int v[9]; v[out == nullptr] = c[0]; out[0] = v[1]; }"));
}

TEST(LowerKernels, BlocksThatMayTalkAreNot) {
    EXPECT_FALSE(independent("__global__ void k(int* data) { data[0] = data[1] + 1; }"));
    EXPECT_FALSE(independent("__global__ void k(int* out) { out[1] = atomicAdd(out, 1); }"));
    EXPECT_FALSE(independent("__device__ int n; __global__ void k(int* out) { out[0] = n; n = 3; }"));
    EXPECT_FALSE(independent("__global__ void k(const int* in, int* out) { out[0] = in[0]; __threadfence(); }"));
    EXPECT_FALSE(independent("__global__ void k(volatile int* flag) { while (!*flag) {} }"));
    EXPECT_FALSE(independent("__global__ void k(int** in, int* out) { *in[0] = 1; out[0] = *in[1]; }"));
    EXPECT_FALSE(independent("__device__ int* p; __global__ void k(const int* in, int* out) { *p = in[0]; }"));
    EXPECT_FALSE(independent("__global__ void k(unsigned long long a, const int* in) { *(int*)a = in[0]; }"));
}

TEST(LowerKernels, FunctionsThatNoKernelCallsAreNotThere) {
    const compile::Program p = lower_snippet(R"(
__device__ int used(int x) { return x; }
__device__ int unused(int x) { return x / 0; }
__global__ void k(int* out) { out[0] = used(1); })");
    EXPECT_EQ(p.functions.size(), 2U);
    EXPECT_EQ(function(p, "used").name, "used");
}

TEST(LowerKernels, ParametersAreWhereTheFunctionFindsThem) {
    const compile::Program p =
        lower_snippet("__global__ void k(double d, char c, const short* s, bool b, unsigned long long u) {"
                      " if (b) ((double*)u)[c] = d + *s; }");
    const compile::Kernel& kernel = p.kernels.front();
    std::vector<ValueType> types;
    for (const compile::Parameter& each : kernel.parameters) {
        types.push_back(each.element);
        EXPECT_NE(each.row, compile::kNone);
    }
    EXPECT_THAT(
        types, testing::ElementsAre(ValueType::f64, ValueType::i8, ValueType::i16, ValueType::boolean, ValueType::u64));
}

TEST(LowerKernels, VectorParameterIsRefusedWithItsLine) {
    try {
        lower_snippet(
            "typedef float V __attribute__((ext_vector_type(2)));\n__global__ void k(V v, float* out) { *out = v.x; }");
        FAIL();
    } catch (const compile::CompileError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("line 2: the kernel k has a parameter of a vector type"));
    }
}

TEST(LowerKernels, LanesMeetBehindAnAssertion) {
    const compile::Program p = lower_snippet(R"(
extern "C" __device__ void __assert_fail(const char*, const char*, unsigned, const char*) __attribute__((noreturn));
__global__ void k(const int* in, int* out) {
  if (in[threadIdx.x] < 0) __assert_fail("in", "", 4, "");
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) return;
  out[0] = 2;
})");
    const compile::FunctionCode& f = p.functions.front();
    ASSERT_EQ(count_of(p, compile::Opcode::assert_fail), 1U);
    EXPECT_NE(f.blocks.front().reconverge, compile::kNone) << compile::listing(p);
    const compile::Block& next = f.blocks[f.blocks.front().reconverge];
    EXPECT_EQ(line_of(p, f.code[next.first].location), 5U);
}

} // namespace
} // namespace warptree::tests
