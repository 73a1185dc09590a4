// Which lines combine elements, which of them are steps of a tree, and what tells the steps apart.
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LowerSteps, TreeInSharedMemoryIsAStageLoop) {
    const compile::Program p = lower_snippet(R"(
__global__ void reduce(const int* in, int* out, unsigned n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
})");
    EXPECT_EQ(combine_lines(p), Lines{9});
    EXPECT_EQ(stage_lines(p), Lines{9});
    EXPECT_THAT(loops(p), ElementsAre("d*"));
    EXPECT_THAT(statements(p), IsEmpty());
}

TEST(LowerSteps, GatheringIsNoStepButTheShufflesAfterItAre) {
    const compile::Program p = lower_snippet(R"(
__global__ void reduce(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
})");
    EXPECT_EQ(combine_lines(p), (Lines{5, 7}));
    EXPECT_EQ(stage_lines(p), Lines{7});
    EXPECT_THAT(loops(p), ElementsAre("i", "offset*"));
}

TEST(LowerSteps, IndicesAndConstantsAreNoElements) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i * n + (i ^ 5) - threadIdx.x % 7;
  int a = in[i] * 2 + 1;
  int b = -in[j];
  out[i] = a * b;
})");
    EXPECT_EQ(combine_lines(p), Lines{7});
    EXPECT_EQ(stage_lines(p), Lines{});
    for (const compile::Instruction& in : p.functions.front().code)
        if (line_of(p, in.location) == 4) {
            EXPECT_EQ(in.tag_dst, 0) << compile::listing(p);
        }
}

TEST(LowerSteps, UnrolledLastWarpIsAStatementALine) {
    const compile::Program p = lower_snippet(R"(
template <unsigned B> __device__ void last(volatile int* s, unsigned t) {
  if (B >= 64) s[t] += s[t + 32];
  if (B >= 32) s[t] += s[t + 16];
  if (B >= 16) s[t] += s[t + 8];
}
template <unsigned B> __global__ void reduce(const int* in, int* out) {
  __shared__ int s[2 * B];
  unsigned t = threadIdx.x;
  s[t] = in[t] + in[t + B];
  __syncthreads();
  if (B >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (t < 32) last<B>(s, t);
  if (t == 0) out[0] = s[0];
}
template __global__ void reduce<128>(const int*, int*);)");
    EXPECT_EQ(stage_lines(p), (Lines{3, 4, 5, 12}));
    EXPECT_EQ(combine_lines(p), (Lines{3, 4, 5, 10, 12}));
    EXPECT_THAT(statements(p), ElementsAre("12", "3", "4", "5")) << "B is the same on all lines: it tells none apart";
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Statement& s : f.statements)
            EXPECT_NE(f.code[s.instruction].flags & compile::kBeginsStatement, 0);
}

TEST(LowerSteps, TemplateArgumentTellsUnrolledStepsApart) {
    const char* text = R"(
template <unsigned stride> __device__ INLINE void stage(int* s, unsigned t) {
  if (t < stride) s[t] += s[t + stride];
  __syncthreads();
}
__global__ void reduce(const int* in, int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  stage<64>(s, threadIdx.x);
  stage<32>(s, threadIdx.x);
  if (threadIdx.x == 0) out[0] = s[0];
})";
    for (const char* how : {"#define INLINE __forceinline__\n", "#define INLINE\n"}) {
        const compile::Program p = lower_snippet(how + std::string(text));
        EXPECT_THAT(statements(p), ElementsAre("4 stride=64", "4 stride=32")) << how;
    }
}

TEST(LowerSteps, ShufflesInARowAreStatementsAndASumOnOneLineIsOne) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out) {
  __shared__ int s[32];
  int v = in[threadIdx.x];
  v += __shfl_xor_sync(~0u, v, 2);
  v += __shfl_xor_sync(~0u, v, 1);
  s[threadIdx.x] = v;
  __syncthreads();
  out[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
})");
    EXPECT_THAT(statements(p), ElementsAre("5", "6", "9"));
    // The load on line 4 is not part of the first step.
    const compile::FunctionCode& f = p.functions.front();
    EXPECT_EQ(f.code[f.statements.front().instruction].op, compile::Opcode::shuffle);
}

TEST(LowerSteps, OperatorInAFunctionIsWhatItsCallerMakesOfIt) {
    const compile::Program p = lower_snippet(R"(
__device__ int op(int a, int b) {
  return a + b;
}
__global__ void k(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 64) sum = op(sum, in[i]);
  s[t] = sum;
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] = op(s[t], s[t + d]);
  }
  if (t == 0) *out = s[0];
})");
    constexpr unsigned kOfSteps = compile::kCombines | compile::kStage;
    std::vector<unsigned> flags; // of the addition, once for each copy of op
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code)
            if (f.name == "op" && in.op == compile::Opcode::add32) flags.push_back(in.flags & kOfSteps);
    EXPECT_THAT(flags, testing::UnorderedElementsAre(compile::kCombines, kOfSteps));
    EXPECT_THAT(loops(p), ElementsAre("i", "d*"));
    EXPECT_THAT(statements(p), IsEmpty());
}

TEST(LowerSteps, BarrierInACalledFunctionMakesItsLoopTheStages) {
    const compile::Program p = lower_snippet(R"(
__device__ void step(int* s, int t, int d) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
__global__ void k(const int* in, int* out, int tiles) {
  __shared__ int s[64];
  int t = threadIdx.x;
  for (int tile = 0; tile < tiles; tile++) {
    s[t] = in[tile * 64 + t];
    __syncthreads();
    for (int d = 32; d; d /= 2) step(s, t, d);
    if (t == 0) out[tile] = s[0];
    __syncthreads();
  }
})");
    EXPECT_THAT(loops(p), ElementsAre("tile", "d*"));
    EXPECT_THAT(statements(p), IsEmpty());
    EXPECT_EQ(stage_lines(p), Lines{2});
}

TEST(LowerSteps, ArrayInGlobalMemoryThatGoesBackIsATree) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(int* data, const int* weights, int n) {
  int t = threadIdx.x;
  for (int d = n / 2; d > 0; d /= 2) {
    if (t < d) data[t] += data[t + d];
    __syncthreads();
  }
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += weights[i] * weights[i + 1];
  data[n] = sum;
})");
    EXPECT_EQ(stage_lines(p), Lines{5});
    EXPECT_THAT(loops(p), ElementsAre("d*", "i"));
}

TEST(LowerSteps, ValuesKeptInRegistersAreNoStepOfTheirOwn) {
    const compile::Program p = lower_snippet(R"(
__global__ void scan(const int* in, int* out) {
  int v[4];
  for (int k = 0; k < 4; k++) v[k] = in[threadIdx.x * 4 + k];
  for (int k = 1; k < 4; k++)
    v[k] = v[k - 1] + v[k];
  for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = v[k];
})");
    EXPECT_EQ(combine_lines(p), Lines{6});
    EXPECT_EQ(stage_lines(p), Lines{});
}

TEST(LowerSteps, VariableOfALoopIsTheOneThatItsTestUses) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int n) {
  int sum = 0, i = 0, calls = 7;
  do { sum += in[i]; calls += 3; i++; } while (i < n);
  int half = n;
  while (half > 1) { half = (half + 1) / 2; sum += in[half]; }
  for (int lo = 0, count = 5; (1 << lo) < n; lo++) { sum += in[lo] + count; count *= 2; }
  for (;;) { sum ^= in[calls]; if (--calls < 0) break; }
  out[0] = sum;
})");
    EXPECT_THAT(loops(p), ElementsAre("i", "half", "lo", "calls"));
}

TEST(LowerSteps, TurnsBeginBehindATestAndAtABody) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n && in[i] > 0; i++) sum += in[i];
  int j = 0;
  do { sum += in[j++]; } while (j < n);
  out[0] = sum;
})");
    std::vector<std::size_t> begins(2), ends(2);
    std::vector<std::uint32_t> begin_blocks(2, compile::kNone);
    for (const compile::Edge& e : p.edges) {
        if (e.begins != compile::kNone) {
            ++begins[e.begins];
            begin_blocks[e.begins] = e.block;
        }
        if (e.ends != compile::kNone) ++ends[e.ends];
    }
    // One edge into the body after both tests; two into the body of the loop that tests at its end.
    EXPECT_THAT(begins, ElementsAre(1U, 2U)) << compile::listing(p);
    EXPECT_THAT(ends, ElementsAre(1U, 1U));
    EXPECT_NE(begin_blocks[0], p.loops[0].header);
    EXPECT_EQ(begin_blocks[1], p.loops[1].header);
}

TEST(LowerSteps, LoopThatReadsWhatItAddsInItsConditionBeginsWithIt) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int limit) {
  int sum = 0, i = 0;
  while ((sum += in[i]) < limit) i++;
  out[0] = sum;
})");
    for (const compile::Edge& e : p.edges)
        if (e.begins != compile::kNone) {
            EXPECT_EQ(e.block, p.loops[e.begins].header);
        }
}

TEST(LowerSteps, StructFieldsAreStepsTogether) {
    const compile::Program p = lower_snippet(R"(
struct Pair { float v; int i; };
__device__ Pair better(Pair a, Pair b) { return a.v >= b.v ? a : b; }
__global__ void argmax(const float* in, int* out) {
  __shared__ Pair s[64];
  int t = threadIdx.x;
  s[t] = {in[t], t};
  __syncthreads();
  for (int d = 32; d; d /= 2) {
    if (t < d) s[t] = better(s[t], s[t + d]);
    __syncthreads();
  }
  if (t == 0) *out = s[0].i;
})");
    EXPECT_THAT(loops(p), ElementsAre("d*"));
    EXPECT_EQ(choice_lines(p, true), Lines{3});
}

} // namespace
} // namespace warptree::tests
