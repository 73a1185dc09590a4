// Rows shared by several values: the guarantees in program.hpp.
#include "app/compile/program/shape.hpp"
#include "tests/support/evaluate.hpp"
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using compile::Use;

constexpr const char* kText = R"(
struct Pair { double v; int i; };
__device__ Pair better(Pair a, Pair b) { return a.v > b.v ? a : b; }
__device__ int sum(int a, int b, int c) { return a * b + c; }
__global__ void k(const float4* in, float4* out, const double* d, int n) {
  __shared__ Pair s[64];
  int t = threadIdx.x, a = n, b = t;
  s[t] = {d[t], t};
  __syncthreads();
  for (int i = 0; i < n; i++) { int c = a; a = b; b = c + i; }
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] = better(s[t], s[t + d]);
    __syncthreads();
  }
  float4 v = in[t];
  v.x = sum(a, b, s[0].i); v.w *= 2;
  switch (t) { case 0: v.y = 1; break; case 5: v.z = v.x; break; default: v.y += __shfl_xor_sync(~0u, v.y, 1); }
  out[t] = v;
})";

TEST(LowerRows, NoInstructionWritesWhatItReads) {
    const compile::Program p = lower_snippet(kText);
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code) {
            std::set<std::uint32_t> read, written;
            compile::for_each_row(p, in, [&](std::uint32_t row, std::uint32_t count, Use use) {
                for (std::uint32_t i = 0; i < count; ++i) (use == Use::read ? read : written).insert(row + i);
            });
            for (const std::uint32_t row : written) EXPECT_FALSE(read.contains(row)) << compile::name(in.op);
        }
}

TEST(LowerRows, ConstantsShareNone) {
    const compile::Program p = lower_snippet(kText);
    for (const compile::FunctionCode& f : p.functions) {
        std::set<std::uint32_t> constants, written;
        for (const compile::Constant& c : f.constants)
            for (std::uint32_t i = 0; i < c.rows; ++i) EXPECT_TRUE(constants.insert(c.row + i).second);
        const auto write = [&](std::uint32_t row, std::uint32_t count) {
            for (std::uint32_t i = 0; i < count; ++i) written.insert(row + i);
        };
        for (const compile::Instruction& in : f.code) {
            compile::for_each_row(p, in, [&](std::uint32_t row, std::uint32_t count, Use use) {
                if (use == Use::write) write(row, count);
            });
            for (const auto& [edge, kind] : {std::pair{in.b, compile::shape(in.op).b}, {in.c, compile::shape(in.op).c}})
                for (std::uint32_t m = 0; kind == compile::Operand::edge && m < p.edges[edge].move_count; ++m)
                    write(p.moves[p.edges[edge].first_move + m].dst, p.moves[p.edges[edge].first_move + m].rows);
        }
        for (const compile::Value& v : f.parameters) write(v.row, v.rows);
        for (const std::uint32_t row : written) EXPECT_FALSE(constants.contains(row));
    }
}

TEST(LowerRows, CopiesThatSwapAreSaidToOverlap) {
    const compile::Program p = lower_snippet(kText);
    int overlapping = 0;
    for (const compile::Edge& edge : p.edges) {
        bool found = false;
        for (std::uint32_t i = 0; i < edge.move_count; ++i)
            for (std::uint32_t k = 0; k < edge.move_count; ++k) {
                const compile::Move &a = p.moves[edge.first_move + i], &b = p.moves[edge.first_move + k];
                found |= a.dst < b.src + b.rows && b.src < a.dst + a.rows;
            }
        EXPECT_EQ(edge.overlapping, found);
        overlapping += found ? 1 : 0;
    }
    EXPECT_EQ(overlapping, 1);
}

TEST(LowerRows, FewAreNeededForMuchCode) {
    std::string text = "__global__ void k(const float* in, float* out) { float v = 0;\n";
    for (int i = 0; i < 500; ++i) text += "v = v * in[v > 3 ? 1 : 2] + v;\n";
    const compile::Program p = lower_snippet(text + "out[0] = v; }");
    EXPECT_GT(p.functions.front().code.size(), 3000U);
    EXPECT_LT(p.functions.front().rows, 20U);
    EXPECT_LT(p.functions.front().tag_rows, 10U);
}

TEST(LowerRows, NothingIsNumberedThatNobodyNeeds) {
    const compile::Program p =
        lower_snippet("__global__ void k(int* out, int n) { int unused = n * 3; out[0] = 1; (void)unused; }");
    EXPECT_EQ(count_of(p, compile::Opcode::mul32), 0U);
    EXPECT_EQ(p.functions.front().tag_rows, 1U);
    std::set<std::uint32_t> used;
    const compile::FunctionCode& f = p.functions.front();
    for (const compile::Instruction& in : f.code)
        compile::for_each_row(p, in, [&](std::uint32_t row, std::uint32_t count, Use) {
            for (std::uint32_t i = 0; i < count; ++i) used.insert(row + i);
        });
    for (const compile::Value& v : f.parameters)
        for (std::uint32_t i = 0; i < v.rows; ++i) used.insert(v.row + i);
    EXPECT_EQ(used.size(), f.rows);
}

TEST(LowerRows, LoopVariableKeepsItsRowThroughTheLoop) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int n) {
  for (int i = 0; i < 4; i++) {
    int x = in[i], y = in[n];
    for (int k = 0; k < n; k++) { x += y * in[k]; y ^= x; }
    out[x & 3] = y;
  }
})");
    const compile::FunctionCode& f = p.functions.front();
    for (const compile::Block& block : f.blocks)
        for (std::uint32_t l = block.loop; l != compile::kNone; l = p.loops[l].parent)
            for (std::uint32_t i = 0; i < block.count; ++i)
                compile::for_each_row(p, f.code[block.first + i], [&](std::uint32_t row, std::uint32_t, Use use) {
                    if (use == Use::write) {
                        EXPECT_NE(row, p.loops[l].row);
                    }
                });
}

} // namespace
} // namespace warptree::tests
