// Inline assembly: the values that it computes, and the opcodes that it becomes.
#include "tests/support/evaluate.hpp"
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warptree::tests {
namespace {

using compile::Opcode;

struct Case {
    const char* text; // assembly; %0 is the result, %1 and %2 are a and b
    std::uint32_t a, b, expected;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }
class AssemblyOfWords : public testing::TestWithParam<Case> {};

TEST_P(AssemblyOfWords, Computes) {
    const Case& c = GetParam();
    const compile::Program p = lower_snippet(R"(
__global__ void k(unsigned a, unsigned b, unsigned* out) { unsigned r = 0; asm(TEXT : "+r"(r) : "r"(a), "r"(b)); *out = r; })",
                                             {{"TEXT", '"' + std::string(c.text) + '"'}});
    Evaluator evaluator(p);
    const std::uint64_t out = evaluator.allocate(4);
    ASSERT_EQ(evaluator.run("k", {c.a, c.b, out}), "");
    EXPECT_EQ(evaluator.values<std::uint32_t>(out, 1).front(), c.expected) << compile::listing(p);
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, AssemblyOfWords,
    testing::Values(
        Case{"mov.u32 %0, 42;", 0, 0, 42}, Case{"add.u32 %0, %1, %2;", 5, 0xFFFFFFFF, 4},
        Case{"mad.lo.s32 %0, %1, %2, 7;", 5, 0xFFFFFFFD, 0xFFFFFFF8}, Case{"mul.hi.u32 %0, %1, %2;", 0x80000000, 6, 3},
        Case{"bfe.u32 %0, %1, 4, 8;", 0x12345, 0, 0x34}, Case{"bfe.s32 %0, %1, 4, 8;", 0x00F80, 0, 0xFFFFFFF8},
        Case{"bfi.b32 %0, %1, %2, 8, 4;", 0x3, 0xFFFF, 0xF3FF}, Case{"popc.b32 %0, %1;", 0xF0F0, 0, 8},
        Case{"clz.b32 %0, %1;", 0x10000, 0, 15}, Case{"brev.b32 %0, %1;", 1, 0, 0x80000000},
        Case{"prmt.b32 %0, %1, %2, 0x5410;", 0x11112222, 0x33334444, 0x44442222},
        Case{"lop3.b32 %0, %1, %2, %1, 0x3c;", 0xFF00, 0x0FF0, 0xF0F0},
        Case{"shf.l.wrap.b32 %0, %1, %2, 8;", 0xAABBCCDD, 0x11223344, 0x223344AA},
        Case{"shr.s32 %0, %1, 4;", 0x80000000, 0, 0xF8000000}, Case{"not.b32 %0, %1;", 0xF, 0, 0xFFFFFFF0},
        Case{"min.s32 %0, %1, %2;", 0xFFFFFFFF, 1, 0xFFFFFFFF},
        Case{"{ .reg .pred p; setp.gt.u32 p, %1, %2; selp.b32 %0, %1, %2, p; }", 3, 9, 9},
        Case{"{\\n\\t.reg .u32 t;\\n\\t// a comment\\n\\tadd.u32 t, %1, %2;\\n\\tshl.b32 %0, t, 1;\\n\\t}", 3, 4, 14},
        Case{"{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %2; }", 1, 77, 77},
        Case{"{ .reg .pred p; setp.ne.u32 p, %1, 0; @!p mov.u32 %0, %2; @p add.u32 %0, %2, 1; }", 1, 77, 78},
        Case{"{ .reg .u64 w; mul.wide.u32 w, %1, %2; shr.u64 w, w, 16; cvt.u32.u64 %0, w; }", 0x10000, 0x10000,
             0x10000},
        Case{"{ .reg .b64 w; mov.b64 w, {%1, %2}; mov.b64 {_, %0}, w; }", 1, 2, 2},
        Case{"{ .reg .f32 f; cvt.rn.f32.u32 f, %1; mul.f32 f, f, 0f40000000; cvt.rzi.u32.f32 %0, f; }", 21, 0, 42},
        Case{"mov.u32 %0, %%ntid.x;", 0, 0, 1}, Case{"rem.u32 %0, %1, %2;", 17, 5, 2}));

// As the pseudocode of the PTX ISA has it ("Integer Arithmetic Instructions": bfind, bfe, bfi).
struct BitField {
    bool is_signed;
    std::uint64_t a;
    unsigned msb;

    bool bit(unsigned i) const { return (a >> i & 1) != 0; }
    std::uint64_t extract(unsigned at, unsigned length) const {
        const bool fill = is_signed && length > 0 && bit(std::min(at + length - 1, msb));
        std::uint64_t made = 0;
        for (unsigned i = 0; i <= msb; ++i)
            made |= static_cast<std::uint64_t>(i < length && at + i <= msb ? bit(at + i) : fill) << i;
        return made;
    }
    std::uint64_t insert(std::uint64_t into, unsigned at, unsigned length) const {
        for (unsigned i = 0; i < length && at + i <= msb; ++i)
            into = (into & ~(1ULL << (at + i))) | static_cast<std::uint64_t>(bit(i)) << (at + i);
        return into;
    }
    std::uint32_t find(bool shift) const {
        for (unsigned i = msb + 1; i-- > 0;)
            if (bit(i) != (is_signed && bit(msb))) return shift ? msb - i : i;
        return 0xFFFFFFFF;
    }
};

template <class Word> void expect_bit_fields(bool is_signed) {
    constexpr unsigned kBits = 8 * sizeof(Word);
    const std::string type = (is_signed ? "s" : "u") + std::to_string(kBits), any = "b" + std::to_string(kBits);
    const compile::Program p = lower_snippet(R"(
__global__ void k(WORD a, WORD b, unsigned at, unsigned length, WORD* made, unsigned* found) {
  asm(BFE : "=" HELD(made[0]) : HELD(a), "r"(at), "r"(length));
  asm(BFI : "=" HELD(made[1]) : HELD(a), HELD(b), "r"(at), "r"(length));
  asm(BFIND : "=r"(found[0]) : HELD(a));
  asm(SHIFTAMT : "=r"(found[1]) : HELD(a));
})",
                                             {{"WORD", kBits == 64 ? "unsigned long long" : "unsigned"},
                                              {"HELD", kBits == 64 ? R"("l")" : R"("r")"},
                                              {"BFE", R"("bfe.)" + type + R"( %0, %1, %2, %3;")"},
                                              {"BFI", R"("bfi.)" + any + R"( %0, %1, %2, %3, %4;")"},
                                              {"BFIND", R"("bfind.)" + type + R"( %0, %1;")"},
                                              {"SHIFTAMT", R"("bfind.shiftamt.)" + type + R"( %0, %1;")"}});
    Evaluator evaluator(p);
    const std::uint64_t made = evaluator.allocate(2 * sizeof(Word)), found = evaluator.allocate(8);
    const auto b = static_cast<Word>(0x5A5A'1234'8765'F00FULL);
    for (const std::uint64_t bits : {0ULL, 1ULL, 0x8000'0000ULL, 0x8000'0000'0000'0000ULL, 0x1234'5678'9ABC'DEF0ULL,
                                     0xF0F0'0F0F'8421'1248ULL, ~0ULL}) {
        const BitField field{is_signed, static_cast<Word>(bits), kBits - 1};
        for (const unsigned at : {0U, 1U, 7U, 28U, 31U, 32U, 33U, 60U, 63U, 64U, 200U, 255U, 256U + 4}) {
            for (const unsigned length : {0U, 1U, 8U, 31U, 32U, 33U, 63U, 64U, 100U, 255U, 256U, 256U + 5}) {
                ASSERT_EQ(evaluator.run("k", {field.a, b, at, length, made, found}), "");
                const auto out = evaluator.values<Word>(made, 2);
                EXPECT_EQ(out[0], static_cast<Word>(field.extract(at & 0xFF, length & 0xFF)))
                    << type << " of " << field.a << " at " << at << " length " << length;
                EXPECT_EQ(out[1], static_cast<Word>(field.insert(b, at & 0xFF, length & 0xFF)))
                    << any << " of " << field.a << " at " << at << " length " << length;
            }
        }
        const auto places = evaluator.values<std::uint32_t>(found, 2);
        EXPECT_EQ(places[0], field.find(false)) << type << " of " << field.a;
        EXPECT_EQ(places[1], field.find(true)) << type << " of " << field.a;
    }
}

TEST(AssemblyOfBitFields, IsAsThePtxManualHasIt) {
    for (const bool is_signed : {false, true}) {
        expect_bit_fields<std::uint32_t>(is_signed);
        expect_bit_fields<std::uint64_t>(is_signed);
    }
}

struct Effect {
    const char* text;
    std::vector<Opcode> ops;
};
void PrintTo(const Effect& e, std::ostream* out) { *out << e.text; }
class AssemblyOfThreads : public testing::TestWithParam<Effect> {};

TEST_P(AssemblyOfThreads, IsWhatTheMachineHas) {
    const Effect& e = GetParam();
    const compile::Program p = lower_snippet(R"(
__global__ void k(float* g, unsigned n) {
  __shared__ float s[64];
  unsigned r; float f; int i = threadIdx.x; unsigned long long w;
  const unsigned at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) float*)(s + i);
  asm volatile(TEXT : "=r"(r), "=f"(f), "=l"(w) : "l"(g), "r"(at), "r"(n), "f"(1.5f) : "memory");
})",
                                             {{"TEXT", '"' + std::string(e.text) + '"'}});
    EXPECT_EQ(traps(p), "");
    std::vector<Opcode> found;
    for (const compile::Instruction& in : p.functions.front().code) {
        const bool ours = in.op >= Opcode::load || in.op == Opcode::special;
        if (ours && in.op != Opcode::watch && in.op != Opcode::ret) found.push_back(in.op);
    }
    std::erase(found, Opcode::jump);
    if (!found.empty() && found.front() == Opcode::special && (e.ops.empty() || e.ops.front() != Opcode::special))
        found.erase(found.begin());
    EXPECT_EQ(found, e.ops) << compile::listing(p);
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, AssemblyOfThreads,
    testing::Values(Effect{"ld.global.nc.L1::no_allocate.f32 %1, [%3+8];", {Opcode::load}},
                    Effect{"ld.acquire.gpu.global.u32 %0, [%3];", {Opcode::load, Opcode::fence}},
                    Effect{"ld.shared.f32 %1, [%4];", {Opcode::special, Opcode::load}},
                    Effect{"st.volatile.global.f32 [%3], %6;", {Opcode::store}},
                    Effect{"st.release.sys.global.u32 [%3], %5;", {Opcode::fence, Opcode::store}},
                    Effect{"st.global.v2.f32 [%3], {%6, %6};", {Opcode::store}},
                    Effect{"red.relaxed.gpu.global.add.u32 [%3], %5;", {Opcode::atomic}},
                    Effect{"atom.global.cas.b32 %0, [%3], %5, 7;", {Opcode::atomic}},
                    Effect{"cp.async.cg.shared.global [%4], [%3], 16;", {Opcode::special, Opcode::copy_async}},
                    Effect{"cp.async.commit_group; cp.async.wait_group 1;", {Opcode::copy_commit, Opcode::copy_wait}},
                    Effect{"bar.sync 0;", {Opcode::barrier}}, Effect{"barrier.sync %5, 64;", {Opcode::barrier}},
                    Effect{"bar.arrive 1, 64;", {Opcode::barrier}},
                    Effect{"bar.warp.sync 0xffffffff;", {Opcode::sync_warp}},
                    Effect{"membar.gl; fence.acq_rel.cta;", {Opcode::fence, Opcode::fence}},
                    Effect{"shfl.sync.down.b32 %0, %5, 1, 0x1f, 0xffffffff;", {Opcode::shuffle}},
                    Effect{"activemask.b32 %0;", {Opcode::active_mask}},
                    Effect{"vote.sync.ballot.b32 %0, 1, 0xffffffff;", {Opcode::vote}},
                    Effect{"redux.sync.add.s32 %0, %5, 0xffffffff;", {Opcode::reduce_warp}},
                    Effect{"mov.u64 %2, %%clock64;", {Opcode::special}},
                    Effect{"prefetch.global.L2 [%3]; nanosleep.u32 20;", {}},
                    Effect{"cp.async.bulk.prefetch.L2.global [%3], %4;", {}}, Effect{"exit;", {Opcode::exit}}));

TEST(LowerAssembly, WhatIsNotKnownIsNotTakenApart) {
    for (const char* text : {"LOOP: bra LOOP;", "tensormap.replace.tile [%3], 1;", "@p st.global.u32 [%3], %5;",
                             "add.cc.u32 %0, %5, %5;"}) {
        const compile::Program p =
            lower_snippet("__global__ void k(int* g, unsigned n) { unsigned r; asm volatile(TEXT : \"=r\"(r), "
                          "\"=r\"(r), \"=r\"(r) : \"l\"(g), \"r\"(0), \"r\"(n)); }",
                          {{"TEXT", '"' + std::string(text) + '"'}});
        EXPECT_THAT(traps(p), testing::HasSubstr(text));
    }
}

} // namespace
} // namespace warptree::tests
