// A program to bytes and back; invalid bytes; what check() rejects.
#include "app/compile/client/compiler.hpp"
#include "app/compile/program/fields.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace warptree::tests {
namespace {

using compile::CompileError;
using compile::kNone;
using compile::Opcode;
using compile::Program;

// A program with an entry in every table.
const Program& rich() {
    static const Program program = lower_snippet(R"(
struct Pair { float v; int i; };
__constant__ int weights[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ const char* names[2] = {"a", "bc"};
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int most(int a, int b) { return a > b ? a : b; }
__device__ Op ops[2] = {add, most};
__global__ void k(const int* in, int* out, Pair pair, int which, unsigned long long wide) {
  __shared__ int s[64];
  extern __shared__ float more[];
  int t = threadIdx.x;
  s[t] = in[t];
  more[t] = pair.v;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) { if (s[t + d] < s[t]) s[t] = s[t + d]; }
    __syncthreads();
  }
  int v = ops[which & 1](s[t], in[t]) + weights[t & 3];
  v += __shfl_down_sync(~0u, v, 4, 16);
  v += __ballot_sync(~0u, v > 3) + __syncthreads_count(v);
  switch (wide) { case 0: v = 1; break; case 5000000000ull: v += 2; break; default: v = names[t & 1][0]; }
  atomicAdd(out, v); atomicCAS(&counter, 1, 2);
  if (t == 0) printf("%d\n", v);
  assert(v != 7);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(0), "l"(in));
  asm volatile("cp.async.wait_all;");
  out[t] = s[0] + (int)more[0];
})");
    return program;
}

TEST(ProgramBytes, RoundTrip) {
    EXPECT_EQ(compile::program_from_bytes(compile::to_bytes(rich())), rich());
    EXPECT_EQ(compile::program_from_bytes(compile::to_bytes(Program{})), Program{});
}

// Gives every field the same value, except one.
struct Fill {
    int other = -1, seen = 0;
    template <class... T> void operator()(T&... values) { (fill(values), ...); }
    template <class T> void fill(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value = seen++ == other;
        } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
            value = static_cast<T>(seen++ == other ? 57 : 3);
        } else if constexpr (std::is_same_v<T, std::string>) {
            value = seen++ == other ? "x" : "y";
        } else if constexpr (std::is_array_v<T>) {
            for (auto& each : value) fill(each);
        } else if constexpr (requires { value.emplace_back(); }) {
            value.resize(1);
            for (auto& each : value) fill(each);
        } else {
            compile::fields(value, *this);
        }
    }
};

TEST(ProgramBytes, EveryFieldIsWritten) {
    Program same;
    Fill counting;
    counting.fill(same);
    const std::vector<std::uint8_t> bytes = compile::to_bytes(same);
    EXPECT_GT(counting.seen, 150);
    for (int i = 0; i < counting.seen; ++i) {
        Program program;
        Fill{i}.fill(program);
        EXPECT_NE(compile::to_bytes(program), bytes) << "field " << i;
    }
}

TEST(ProgramBytes, TooShortTooLongAndForeignBytesAreRefused) {
    const std::vector<std::uint8_t> bytes = compile::to_bytes(rich());
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50)
        EXPECT_THROW(compile::program_from_bytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                     CompileError);
    std::vector<std::uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_THROW(compile::program_from_bytes(longer), CompileError);
    EXPECT_THROW(compile::program_from_bytes({}), CompileError);
    EXPECT_THROW(compile::program_from_bytes(std::vector<std::uint8_t>(1000, 0x55)), CompileError);
}

TEST(ProgramBytes, DamagedBytesAreAProgramOrRefused) {
    const std::vector<std::uint8_t> bytes = compile::to_bytes(rich());
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
        std::vector<std::uint8_t> damaged = bytes;
        for (unsigned k = 0; k <= random() % 3; ++k) {
            const std::size_t at = random() % damaged.size();
            static constexpr std::uint8_t kTelling[] = {0x00, 0xFF, 0x7F, 0x80, 0x01};
            damaged[at] = random() % 2 == 0 ? static_cast<std::uint8_t>(random()) : kTelling[random() % 5];
        }
        try {
            const Program program = compile::program_from_bytes(damaged);
            EXPECT_FALSE(compile::listing(program).empty()); // which follows every index
        } catch (const CompileError& error) {
            EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
            ++refused;
        }
    }
    EXPECT_GT(refused, 400);
}

struct Damage {
    const char* what;
    std::function<void(Program&)> make;
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.what; }
class ProgramCheck : public testing::TestWithParam<Damage> {};

compile::Instruction& first(Program& p, Opcode op) {
    for (compile::FunctionCode& f : p.functions)
        for (compile::Instruction& in : f.code)
            if (in.op == op) return in;
    throw std::runtime_error(std::string("no ") + compile::name(op));
}

TEST_P(ProgramCheck, IsRefused) {
    Program program = rich();
    EXPECT_NO_THROW(compile::check(program));
    GetParam().make(program);
    EXPECT_THROW(compile::check(program), CompileError);
}

INSTANTIATE_TEST_SUITE_P(
    Damages, ProgramCheck,
    testing::
        Values(
            Damage{"opcode", [](Program& p) { p.functions[0].code[0].op = static_cast<Opcode>(9999); }},
            Damage{"row", [](Program& p) { first(p, Opcode::add32).a = p.functions[0].rows; }},
            Damage{"missing row", [](Program& p) { first(p, Opcode::add32).b = kNone; }},
            Damage{"second half of a row", [](Program& p) { first(p, Opcode::load).a = p.functions[0].rows - 1; }},
            Damage{"tag", [](Program& p) { first(p, Opcode::load).tag_dst = 60000; }},
            Damage{"location", [](Program& p) { first(p, Opcode::load).location = 1U << 20; }},
            Damage{"value type", [](Program& p) { first(p, Opcode::add32).type = static_cast<ValueType>(77); }},
            Damage{"access", [](Program& p) { first(p, Opcode::store).c = 1U << 20; }},
            Damage{"width of an access", [](Program& p) { p.accesses[first(p, Opcode::load).c].bytes = 3; }},
            Damage{"elements of an access", [](Program& p) { p.accesses[first(p, Opcode::load).c].count = 32; }},
            Damage{"selection of an access", [](Program& p) { p.accesses[first(p, Opcode::load).c].selection = 9999; }},
            Damage{"array of an access", [](Program& p) { p.accesses[0].array = 9999; }},
            Damage{"edge", [](Program& p) { first(p, Opcode::jump).c = 1U << 20; }},
            Damage{"block of an edge", [](Program& p) { p.edges[first(p, Opcode::branch).b].block = 9999; }},
            Damage{"moves of an edge", [](Program& p) { p.edges[first(p, Opcode::jump).c].move_count = 1U << 30; }},
            Damage{"loop of an edge", [](Program& p) { p.edges[first(p, Opcode::jump).c].begins = 9999; }},
            Damage{"keep of an edge", [](Program& p) { p.edges[first(p, Opcode::jump).c].keep = 9999; }},
            Damage{"row of a move", [](Program& p) { p.moves[0].src = 1U << 20; }},
            Damage{"rows of a move", [](Program& p) { p.moves[0].rows = 0; }},
            Damage{"end of a block", [](Program& p) { --p.functions[0].blocks[0].count; }},
            Damage{"empty block", [](Program& p) { p.functions[0].blocks[1].count = 0; }},
            Damage{"code of a block", [](Program& p) { p.functions[0].blocks[0].first = 1U << 20; }},
            Damage{"where lanes meet", [](Program& p) { p.functions[0].blocks[0].reconverge = 9999; }},
            Damage{"loop of a block", [](Program& p) { p.functions[0].blocks[0].loop = 9999; }},
            Damage{"parent of a loop", [](Program& p) { p.loops[0].parent = 0; }},
            Damage{"variable of a loop", [](Program& p) { p.loops[0].variable = 9999; }},
            Damage{"row of a loop", [](Program& p) { p.loops[0].row = 1U << 20; }},
            Damage{"value of an atomic", [](Program& p) { p.atomics[0].value = 1U << 20; }},
            Damage{"expected of an atomic", [](Program& p) { p.atomics[1].expected = kNone; }},
            Damage{"mask of an exchange", [](Program& p) { p.exchanges[0].mask = kNone; }},
            Damage{"mode of a shuffle", [](Program& p) { p.exchanges[first(p, Opcode::shuffle).c].mode = 4; }},
            Damage{"width of an exchange", [](Program& p) { p.exchanges[0].bytes = 2; }},
            Damage{"predicate of a barrier", [](Program& p) { p.barriers.back().predicate = kNone; }},
            Damage{"edges of a switch", [](Program& p) { p.switches[0].edges.pop_back(); }},
            Damage{"arguments of a call",
                   [](Program& p) {
                       p.calls[0].arguments.clear();
                       p.calls[0].function = 0;
                   }},
            Damage{"function of a call", [](Program& p) { p.calls[0].function = 9999; }},
            Damage{"row of a copy", [](Program& p) { p.copies[0].from = kNone; }},
            Damage{"width of a copy", [](Program& p) { p.copies[0].bytes = 5; }},
            Damage{
                "text",
                [](Program& p) {
                    auto& in = first(p, Opcode::ret);
                    in.op = Opcode::trap;
                    in.c = 9999;
                }},
            Damage{"variable", [](Program& p) { first(p, Opcode::watch).c = 9999; }},
            Damage{"function of a variable", [](Program& p) { p.variables[0].function = 9999; }},
            Damage{"constant", [](Program& p) { p.functions[0].constants[0].row = 1U << 20; }},
            Damage{"too many rows", [](Program& p) { p.functions[0].rows = 1U << 30; }},
            Damage{"no tag row", [](Program& p) { p.functions[0].tag_rows = 0; }},
            Damage{"no block", [](Program& p) { p.functions[0].blocks.clear(); }},
            Damage{"statement", [](Program& p) { p.functions[0].statements.push_back({1U << 20, 0, "", 0}); }},
            Damage{"kernel", [](Program& p) { p.kernels[0].function = 9999; }},
            Damage{"parameters of a kernel", [](Program& p) { p.kernels[0].parameters.pop_back(); }},
            Damage{"row of a parameter", [](Program& p) { p.kernels[0].parameters[0].row = 3; }},
            Damage{"struct of a kernel", [](Program& p) { p.kernels[0].parameters[2].local_offset = 1U << 20; }},
            Damage{"arrays of a kernel", [](Program& p) { p.kernels[0].shared.push_back(99); }},
            Damage{"file", [](Program& p) { p.locations.back().file = 99; }},
            Damage{"call of a location", [](Program& p) { p.locations.back().inlined_at = 1U << 20; }},
            Damage{"shared array", [](Program& p) { p.shared[0].bytes = 1U << 30; }},
            Damage{"initial value", [](Program& p) { p.globals[0].initial.resize(p.globals[0].initial.size() + 1); }},
            Damage{"address in a global",
                   [](Program& p) { p.globals.back().addresses.push_back({1U << 20, 0, kNone, 0}); }},
            Damage{"results", [](Program& p) { p.functions[0].results.push_back({9999, 1, 0}); }},
            Damage{"row of a selection", [](Program& p) { p.selections.back().x = 1U << 20; }},
            Damage{"access of a keep", [](Program& p) { p.keeps[0].access = 9999; }}));

TEST(ProgramListing, NamesWhatItLists) {
    const std::string text = compile::listing(rich());
    for (const char* part : {"kernel k", "stage loop", "of d", "shuffle", "atomic", "branch_switch", "case 5000000000",
                             "keeps", "combines, stage", "function", "call_pointer", "default", "shared more: 0 bytes"})
        EXPECT_THAT(text, testing::HasSubstr(part));
}

} // namespace
} // namespace warptree::tests
