// Memory layout and accesses.
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using compile::Opcode;
using testing::ElementsAre;

std::vector<const compile::Access*> accesses(const compile::Program& p, Opcode op) {
    std::vector<const compile::Access*> found;
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code)
            if (in.op == op) found.push_back(&p.accesses[in.c]);
    return found;
}

struct Access {
    const char* type;
    int bytes, count;
    ValueType element;
};
void PrintTo(const Access& r, std::ostream* out) { *out << r.type; }
class LowerVectors : public testing::TestWithParam<Access> {};

TEST_P(LowerVectors, AreOneRequestEachWay) {
    const auto [type, bytes, count, element] = GetParam();
    for (const char* body :
         {"b[threadIdx.x] = a[threadIdx.x];", "T v = a[threadIdx.x]; v.x += 1; b[threadIdx.x] = v;"}) {
        const compile::Program p =
            lower_snippet(std::string("__global__ void k(const T* a, T* b) { ") + body + " }", {{"T", type}});
        for (const Opcode op : {Opcode::load, Opcode::store}) {
            const auto found = accesses(p, op);
            ASSERT_EQ(found.size(), 1U) << body << compile::listing(p);
            EXPECT_EQ(found[0]->bytes, bytes);
            EXPECT_EQ(found[0]->count, count);
            EXPECT_EQ(found[0]->space, compile::Space::global);
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Types, LowerVectors,
                         testing::Values(Access{"float4", 4, 4, ValueType::f32}, Access{"float2", 4, 2, ValueType::f32},
                                         Access{"int4", 4, 4, ValueType::i32}, Access{"double2", 8, 2, ValueType::f64},
                                         Access{"uchar4", 1, 4, ValueType::u8}));

TEST(LowerMemory, StructWithoutAlignmentIsARequestAField) {
    const compile::Program p = lower_snippet(R"(
struct Pair { float v; int i; };
__global__ void k(const Pair* a, Pair* b) { b[threadIdx.x] = a[threadIdx.x]; })");
    EXPECT_EQ(accesses(p, Opcode::load).size(), 2U);
    EXPECT_EQ(accesses(p, Opcode::store).size(), 2U);
}

TEST(LowerMemory, NeighboursThatNeedNotBeAlignedStayApart) {
    const compile::Program p = lower_snippet("__global__ void k(const float* a, float* b) { b[threadIdx.x] = a[2 * "
                                             "threadIdx.x] + a[2 * threadIdx.x + 1]; }");
    EXPECT_EQ(accesses(p, Opcode::load).size(), 2U);
}

TEST(LowerMemory, IndexScaleAndOffsetAreOfTheAccess) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const double* in, int n) {
  __shared__ double s[64];
  s[threadIdx.x + n] = in[n - 2];
})");
    std::vector<Opcode> ops;
    for (const compile::Instruction& in : p.functions.front().code)
        if (in.op != Opcode::watch) ops.push_back(in.op);
    EXPECT_THAT(ops, ElementsAre(Opcode::load, Opcode::special, Opcode::add32, Opcode::store, Opcode::ret))
        << compile::listing(p);
    const compile::Access& load = *accesses(p, Opcode::load).front();
    EXPECT_EQ(load.index, compile::Access::Index::i32);
    EXPECT_EQ(load.scale, 8U);
    EXPECT_EQ(load.offset, -16);
    const compile::Access& store = *accesses(p, Opcode::store).front();
    EXPECT_EQ(store.index, compile::Access::Index::u32);
    ASSERT_NE(store.array, compile::kNone);
    EXPECT_EQ(p.shared[store.array].name, "s");
}

TEST(LowerMemory, UnsignedIndexThatMayWrapIsNotFolded) {
    const compile::Program p =
        lower_snippet("__global__ void k(const int* in, int* out, unsigned i) { out[0] = in[i + 1]; }");
    EXPECT_EQ(count_of(p, Opcode::add32), 1U);
    EXPECT_EQ(accesses(p, Opcode::load).front()->offset, 0);
}

TEST(LowerMemory, ElementsHaveTheSignsOfTheirArrays) {
    const compile::Program p = lower_snippet(R"(
__device__ unsigned read(const unsigned* p) { return *p; }
__global__ void k(const unsigned* a, const short* b, const unsigned char* c, bool* d, const long long* e, float* f) {
  __shared__ unsigned short s[4];
  f[0] = read(a + 1) + b[1] + c[1] + d[1] + e[1] + s[1];
})");
    std::vector<ValueType> types;
    for (const compile::Access* access : accesses(p, Opcode::load)) types.push_back(access->type);
    EXPECT_THAT(types, testing::UnorderedElementsAre(ValueType::u32, ValueType::i16, ValueType::u8, ValueType::boolean,
                                                     ValueType::i64, ValueType::u16));
}

TEST(LowerMemory, SharedArraysOfDifferentKernelsTakeTheSamePlace) {
    const compile::Program p = lower_snippet(R"(
__device__ void both(int x) { __shared__ double d[4]; d[x] = x; }
__global__ void a(int* o) { __shared__ char c[3]; c[o[0]] = 1; both(o[1]); }
__global__ void b(int* o) { __shared__ float tile[8][9]; extern __shared__ int more[]; tile[o[0]][o[1]] = more[0]; }
__global__ void none(int* o) { __shared__ int unused[1000]; o[0] = 1; })");
    std::map<std::string, const compile::SharedArray*> arrays;
    for (const compile::SharedArray& array : p.shared) arrays[array.name] = &array;
    ASSERT_EQ(arrays.size(), 4U) << compile::listing(p);
    EXPECT_EQ(arrays["c"]->offset, 0U);
    EXPECT_EQ(arrays["d"]->offset, 8U);
    EXPECT_EQ(arrays["tile"]->offset, 0U);
    EXPECT_THAT(arrays["tile"]->extents, ElementsAre(8U, 9U));
    EXPECT_EQ(arrays["tile"]->element, ValueType::f32);
    EXPECT_EQ(arrays["tile"]->bytes, 288U);
    EXPECT_EQ(line_of(p, arrays["tile"]->location), 4U);
    EXPECT_EQ(p.static_shared_bytes, 288U);
    EXPECT_EQ(arrays["more"]->bytes, 0U);
    EXPECT_EQ(arrays["more"]->offset, 288U);
    for (const compile::Kernel& kernel : p.kernels) EXPECT_EQ(kernel.shared.size(), kernel.name == "none" ? 0U : 2U);
}

TEST(LowerMemory, VolatileIsSaid) {
    const compile::Program p = lower_snippet(
        "__global__ void k(volatile int* flag, int* data) { while (flag[0] == 0) {} flag[1] = data[0]; }");
    for (const Opcode op : {Opcode::load, Opcode::store})
        for (const compile::Access* access : accesses(p, op))
            EXPECT_EQ(access->is_volatile,
                      access->type == ValueType::i32 && access != accesses(p, Opcode::load).back());
}

TEST(LowerMemory, LongCopiesAreOneInstruction) {
    const compile::Program p = lower_snippet(R"(
struct Big { int v[100]; };
__global__ void k(const Big* a, Big* b, int n) { *b = *a; __builtin_memset(b, 1, 4 * n); })");
    EXPECT_EQ(count_of(p, Opcode::copy_memory), 1U);
    EXPECT_EQ(count_of(p, Opcode::fill_memory), 1U);
}

TEST(LowerMemory, CodeOfOurHeadersIsWhereItIsCalledFrom) {
    const compile::Program p = lower_snippet(R"(
__device__ __forceinline__ int twice(int x) {
  return max(x, 3) * 2;
}
__global__ void k(const int* in, int* out) {
  out[0] = twice(in[0]) +
           atomicAdd(out + 1, 5);
})");
    EXPECT_EQ(lines_where(p, [](const auto& in) { return in.op == Opcode::smax32; }), Lines{3});
    EXPECT_EQ(lines_where(p, [](const auto& in) { return in.op == Opcode::atomic; }), Lines{7});
    for (const compile::Instruction& in : p.functions.front().code) {
        if (in.op != Opcode::smax32) continue;
        const compile::Location& here = p.locations[in.location];
        ASSERT_NE(here.inlined_at, compile::kNone);
        EXPECT_EQ(p.locations[here.inlined_at].line, 6U);
        EXPECT_EQ(p.files[here.file].path, "snippet.cu");
    }
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code) EXPECT_NE(line_of(p, in.location), 0U);
}

TEST(LowerMemory, VariablesAreWatchedWhereTheyChange) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const float* in, float* out, unsigned n) {
  float sum = 0;
  for (unsigned i = 0; i < n; i++) {
    double twice = in[i] * 2.0;
    sum += twice;
  }
  out[0] = sum;
})");
    std::map<std::string, std::pair<ValueType, bool>> variables;
    for (const compile::Variable& v : p.variables) variables[v.name] = {v.type, v.parameter};
    EXPECT_EQ(variables, (std::map<std::string, std::pair<ValueType, bool>>{{"in", {ValueType::pointer, true}},
                                                                            {"out", {ValueType::pointer, true}},
                                                                            {"n", {ValueType::u32, true}},
                                                                            {"sum", {ValueType::f32, false}},
                                                                            {"i", {ValueType::u32, false}},
                                                                            {"twice", {ValueType::f64, false}}}));
    std::map<std::string, int> watched;
    for (const compile::Instruction& in : p.functions.front().code)
        if (in.op == Opcode::watch) ++watched[p.variables[in.c].name];
    EXPECT_EQ(watched["twice"], 1);
    EXPECT_GE(watched["sum"], 3);
    EXPECT_GE(watched["i"], 3);
}

} // namespace
} // namespace warptree::tests
