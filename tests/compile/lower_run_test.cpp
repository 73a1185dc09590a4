// Whole kernels, lowered and evaluated: they store what the source says.
#include "tests/support/evaluate.hpp"
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>

namespace warptree::tests {
namespace {

using testing::ElementsAre;

std::vector<int> counting(int n) {
    std::vector<int> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1);
    return values;
}

// The first elements of out after the kernel k(const T* in, T* out).
template <class T = int>
std::vector<T> run(const std::string& text, const std::vector<std::type_identity_t<T>>& in, std::size_t outputs,
                   unsigned threads, unsigned blocks = 1) {
    const compile::Program p = lower_snippet(text);
    Evaluator evaluator(p);
    const std::uint64_t x = evaluator.array(in), out = evaluator.allocate(outputs * sizeof(T));
    EXPECT_EQ(evaluator.run(p.kernels.front().name, {x, out}, blocks, threads, 4096), "") << compile::listing(p);
    return evaluator.values<T>(out, outputs);
}

TEST(LowerRun, Reductions) {
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
})",
                    counting(64), 1, 64),
                ElementsAre(64 * 65 / 2));
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  int v = in[threadIdx.x];
  #pragma unroll
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
})",
                    counting(96), 1, 96),
                ElementsAre(96 * 97 / 2));
    EXPECT_THAT(run<double>(R"(
__device__ double warp(double v) { for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d); return v; }
__global__ void k(const double* in, double* out) {
  __shared__ double sums[32];
  double v = warp(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.0);
    if (threadIdx.x == 0) out[0] = v;
  }
})",
                            std::vector<double>(64, 0.25), 1, 64),
                ElementsAre(16.0));
}

TEST(LowerRun, ScanWithPhisThatSwap) {
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  __shared__ int a[8], b[8];
  int t = threadIdx.x, *from = a, *to = b;
  from[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 8; d *= 2) {
    to[t] = t >= d ? from[t - d] + from[t] : from[t];
    int* swap = from; from = to; to = swap;
    __syncthreads();
  }
  out[t] = from[t];
})",
                    counting(8), 8, 8),
                ElementsAre(1, 3, 6, 10, 15, 21, 28, 36));
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  int a = in[0], b = in[1];
  for (int i = 0; i < 5; i++) { int c = a; a = b; b = c; }
  out[0] = a; out[1] = b;
})",
                    {7, 9}, 2, 1),
                ElementsAre(9, 7));
}

TEST(LowerRun, ControlFlow) {
    EXPECT_THAT(run(R"(
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ bool odd(int n);
__device__ bool even(int n) { return n == 0 ? true : odd(n - 1); }
__device__ bool odd(int n) { return n == 0 ? false : even(n - 1); }
__global__ void k(const int* in, int* out) {
  int t = threadIdx.x, r = 0;
  switch (in[t]) { case 1: r = 10; break; case 2: r = 20; case 3: r += 30; break; default: r = fib(in[t]); }
  int i = 0;
again:
  r++;
  if (++i < 3) goto again;
  while (true) { if (r % 7 == 0) break; if (r % 2) { r += 3; continue; } r += 1; }
  do { r -= 2; } while (r > 100);
  out[t] = even(t) ? r : -r;
})",
                    {1, 2, 3, 10}, 4, 4),
                ElementsAre(19, -54, 47, -61));
}

TEST(LowerRun, LongSwitchAndRecords) {
    const compile::Program p = lower_snippet(R"(
struct Pair { float v; int i; };
struct Matrix { int width; const float* data; Pair pairs[2]; };
__device__ int width(Matrix m) { m.width += 100; return m.width; }
__global__ void k(Matrix m, long long which, bool flag, float* out) {
  float r = 0;
  switch (which) { case 5000000000ll: r = 1; break; case -1: r = 2; break; default: r = 3; }
  m.pairs[1].i += flag;
  out[0] = r + m.data[1 * m.width] + m.pairs[1].v * m.pairs[1].i;
  out[1] = width(m) + m.width;
})");
    struct {
        int width;
        std::uint64_t data;
        float v0;
        int i0;
        float v1;
        int i1;
    } matrix{2, 0, 0, 0, 0.5F, 3};
    static_assert(sizeof matrix == 32);
    for (const auto& [which, expected] : {std::pair{5000000000LL, 1.F}, {-1LL, 2.F}, {7LL, 3.F}}) {
        Evaluator evaluator(p);
        matrix.data = evaluator.array(std::vector<float>{10, 20, 30});
        const std::uint64_t out = evaluator.allocate(8);
        std::vector<std::uint8_t> bytes(sizeof matrix);
        std::memcpy(bytes.data(), &matrix, sizeof matrix);
        EXPECT_EQ(evaluator.run("k", {0, static_cast<std::uint64_t>(which), 1, out}, 1, 1, 0, {bytes}), "");
        EXPECT_THAT(evaluator.values<float>(out, 2), ElementsAre(expected + 30 + 0.5F * 4, 104.F));
    }
}

TEST(LowerRun, PointersToFunctionsAndObjects) {
    EXPECT_THAT(run(R"(
struct Base { __device__ virtual int f(int x) const { return x + 1; } };
struct Times : Base { int k; __device__ Times(int k) : k(k) {} __device__ int f(int x) const override { return x * k; } };
__device__ int apply(const Base& b, int x) { return b.f(x); }
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int most(int a, int b) { return a > b ? a : b; }
__device__ Op ops[2] = {add, most};
template <class F> __device__ int twice(F f, int x) { return f(f(x)); }
__global__ void k(const int* in, int* out) {
  Times times(3); Base base;
  int k = in[0];
  out[0] = apply(times, in[1]) + apply(base, 2);
  out[1] = ops[0](in[1], 7);
  out[2] = ops[1](in[1], 7);
  out[3] = twice([=](int x) { return x * k + 1; }, 2);
})",
                    {5, 6}, 4, 1),
                ElementsAre(18 + 3, 13, 7, 56));
}

TEST(LowerRun, LocalArraysStructsAndCopies) {
    EXPECT_THAT(run(R"(
struct Big { int v[40]; };
__device__ void swap(int& a, int& b) { int t = a; a = b; b = t; }
__global__ void k(const int* in, int* out) {
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = in[i];
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++) if (v[j] > v[j + 1]) swap(v[j], v[j + 1]);
  Big a;
  for (int i = 0; i < 40; i++) a.v[i] = v[i % 4];
  Big b = a;
  b.v[in[0] & 31] = 99;
  __builtin_memset(out, 0xFF, 24);
  for (int i = 0; i < 4; i++) out[i] = b.v[i] + a.v[i + 36] * 100;
  bool flags[3] = {v[0] == 1, v[1] == 0, true};
  out[4] = flags[in[1] % 3] + 2 * flags[2];
})",
                    {3, 1, 9, 7}, 6, 1),
                ElementsAre(101, 303, 707, 999, 2, -1));
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  __shared__ int4 s[4];
  s[threadIdx.x] = ((const int4*)in)[threadIdx.x];
  __syncthreads();
  int4 v = s[3 - threadIdx.x];
  v.y += 100;
  ((int4*)out)[threadIdx.x] = v;
})",
                    counting(16), 16, 4),
                ElementsAre(13, 114, 15, 16, 9, 110, 11, 12, 5, 106, 7, 8, 1, 102, 3, 4));
}

TEST(LowerRun, GlobalsWithInitialValuesAndAddresses) {
    EXPECT_THAT(run(R"(
__constant__ int weights[4] = {1, 2, 3, 4};
__device__ int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int* inside = &table[1][2];
__device__ const char* names[2] = {"a", "bc"};
__device__ int counter = 5;
__device__ struct { char c; short s; double d; float f[2]; } mixed = {'x', -3, 2.5, {1.5f, 7}};
__global__ void k(const int* in, int* out) {
  out[0] = weights[in[0]] + table[1][in[0]] * 10 + *inside * 100;
  out[1] = names[1][1];
  out[2] = ++counter;
  out[3] = mixed.c + mixed.s + (int)(mixed.d * 100) + (int)mixed.f[1];
})",
                    {2}, 4, 1),
                ElementsAre(3 + 60 + 600, 'c', 6, 'x' - 3 + 250 + 7));
}

TEST(LowerRun, Atomics) {
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  int old = atomicAdd(out, in[threadIdx.x]);
  atomicMax(out + 1, in[threadIdx.x]);
  atomicInc((unsigned*)out + 2, 4);
  atomicAdd_block(out + 3, 1);
  if (old == 0) atomicExch(out + 4, 77);
  int seen = out[5], assumed;
  do { assumed = seen; seen = atomicCAS(out + 5, assumed, assumed + in[threadIdx.x]); } while (seen != assumed);
})",
                    counting(8), 6, 8),
                ElementsAre(36, 8, 3, 8, 77, 36));
    const compile::Program p = lower_snippet(R"(
__global__ void k(int* out, int* other) { out[1] = atomicCAS(other, 1, 2); atomicAdd_block(other, 3); })");
    EXPECT_EQ(count_of(p, compile::Opcode::branch), 0U) << "the exchange of C branches, that of CUDA does not";
    ASSERT_EQ(p.atomics.size(), 2U);
    EXPECT_EQ(p.atomics[0].scope, compile::Scope::device);
    EXPECT_EQ(p.atomics[1].scope, compile::Scope::block);
    EXPECT_TRUE(p.atomics[0].result_used);
    EXPECT_FALSE(p.atomics[1].result_used);
}

TEST(LowerRun, WarpsAndBlocksTellEachOther) {
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  int v = in[threadIdx.x];
  unsigned ballot = __ballot_sync(~0u, v % 4 == 0);
  int count = __syncthreads_count(v > 10);
  int up = __shfl_up_sync(~0u, v, 1, 8);
  long long wide = __shfl_xor_sync(~0u, (long long)v << 40, 1) >> 40;
  if (threadIdx.x == 8) { out[0] = ballot; out[1] = count; out[2] = up; out[3] = (int)wide; }
})",
                    counting(32), 4, 32),
                ElementsAre(static_cast<int>(0x88888888), 22, 9, 10));
    EXPECT_THAT(run(R"(
__global__ void k(const int* in, int* out) {
  out[blockIdx.x] = in[blockIdx.x] * 2;
  __warptree_grid_sync();
  if (blockIdx.x == 0) { int s = 0; for (int i = 0; i < gridDim.x; i++) s += out[i]; out[7] = s; }
})",
                    counting(4), 8, 1, 4),
                ElementsAre(2, 4, 6, 8, 0, 0, 0, 20));
    const compile::Program p = lower_snippet("__global__ void k() { __warptree_grid_sync(); }");
    EXPECT_TRUE(p.kernels.front().cooperative);
    EXPECT_FALSE(p.kernels.front().independent_blocks);
}

TEST(LowerRun, HeapPrintAndAssert) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(int* out, int limit) {
  int* p = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; i++) p[i] = i * 3;
  out[0] = p[3];
  free(p);
  printf("out is %d\n", out[0]);
  assert(out[0] < limit);
  out[1] = 1;
})");
    Evaluator evaluator(p);
    const std::uint64_t out = evaluator.allocate(8);
    EXPECT_EQ(evaluator.run("k", {out, 10}), "");
    EXPECT_THAT(evaluator.values<int>(out, 2), ElementsAre(9, 1));
    EXPECT_EQ(evaluator.printed(), "out is %d\n");
    EXPECT_EQ(evaluator.run("k", {out, 9}), "assertion in line 8");
}

TEST(LowerRun, WhatTheMachineCannotDoStopsTheThreadThatReachesIt) {
    const compile::Program p = lower_snippet(R"(
__device__ int none(int x) { if (x > 3) return 1; }
__device__ int elsewhere(int);
__global__ void k(int* out, int which) {
  if (which == 1) { __int128 wide = out[0]; wide *= 3; out[0] = (int)(wide >> 70); }
  if (which == 2) asm volatile("wgmma.fence.sync.aligned;");
  if (which == 3) out[0] = none(0);
  if (which == 4) out[0] = elsewhere(2);
  if (which == 5) { int* p = (int*)__builtin_alloca(which * 4); p[0] = 1; out[0] = p[0]; }
  if (which == 6) __builtin_trap();
  out[0] = 7;
})");
    const auto why = [&](std::uint64_t which) {
        Evaluator evaluator(p);
        return evaluator.run("k", {evaluator.allocate(4), which});
    };
    EXPECT_EQ(why(0), "");
    EXPECT_THAT(why(1), testing::StartsWith("integers of more than 64 bits are not supported by warptree"));
    EXPECT_EQ(why(2), "inline assembly \"wgmma.fence.sync.aligned;\" is not supported by warptree");
    EXPECT_THAT(why(3), testing::StartsWith("control reaches code marked unreachable"));
    EXPECT_EQ(why(4), "elsewhere(int) is declared but not defined");
    ASSERT_EQ(p.kernels.front().undefined.size(), 1U);
    EXPECT_EQ(p.kernels.front().undefined.front().line, 8U);
    EXPECT_EQ(why(5), "an array whose size is known only at run time");
    EXPECT_EQ(why(6), "__trap()");
}

} // namespace
} // namespace warptree::tests
