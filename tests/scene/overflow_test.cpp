#include "app/trace/explain/overflow.hpp"

#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree {
namespace {

using testing::HasSubstr;

Trace reduced(std::uint64_t n, ElementType type, Operator op, InputKind input) {
    RunOptions o;
    o.strategy = "sequential";
    o.n = n;
    o.block = 256;
    o.type = type;
    o.op = op;
    o.input = input;
    o.backend = Backend::cpu;
    o.window.count = 1;
    return runs::run_any(o);
}

TEST(Overflow, ASumThatWrapsIsToldWithItsExactValue) {
    constexpr std::uint64_t kN = 1U << 17;
    const Trace wraps = reduced(kN, ElementType::i32, Operator::sum, InputKind::iota);
    ASSERT_TRUE(wraps.pass) << "correct, as integers go";
    EXPECT_THAT(explain_overflow(wraps), HasSubstr(std::to_string(kN * (kN - 1) / 2)));
    EXPECT_THAT(explain_overflow(wraps), HasSubstr("more than an int holds (2147483647)"));
    EXPECT_EQ(explain_overflow(reduced(kN, ElementType::i64, Operator::sum, InputKind::iota)), "");
    EXPECT_EQ(explain_overflow(reduced(kN, ElementType::f32, Operator::sum, InputKind::iota)), "");
    EXPECT_EQ(explain_overflow(reduced(kN, ElementType::i32, Operator::max, InputKind::iota)), "");
    EXPECT_EQ(explain_overflow(reduced(65536, ElementType::i32, Operator::sum, InputKind::iota)), "")
        << "the largest power of two whose sum fits";
}

TEST(Overflow, AProductOfManyFactorsWraps) {
    EXPECT_THAT(explain_overflow(reduced(16, ElementType::i32, Operator::product, InputKind::random)),
                HasSubstr("The exact product is"));
    EXPECT_EQ(explain_overflow(reduced(4096, ElementType::i32, Operator::product, InputKind::alternating)), "");
    EXPECT_EQ(explain_overflow(reduced(4096, ElementType::i32, Operator::product, InputKind::iota)), "") << "zero";
}

} // namespace
} // namespace warptree
