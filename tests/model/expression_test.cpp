// Expressions compared with the same ones compiled by the C++ compiler, and with loops.
#include "app/base/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace warptree {
namespace {

using ::testing::HasSubstr;

// Names: x, y, twice(a), most(a [, b]); scope "far": x.
ExpressionGrammar grammar(bool ranges = true) {
    ExpressionGrammar g;
    g.ranges = ranges;
    g.scopes = {"far"};
    g.operand = "a number, x, y or '('";
    g.find = [](std::string_view scope, std::string_view name) -> std::optional<ExpressionName> {
        if (scope == "far") {
            return name == "x" ? std::optional(ExpressionName{4, 0, 0}) : std::nullopt;
        }
        return name == "x"       ? std::optional(ExpressionName{0, 0, 0})
               : name == "y"     ? std::optional(ExpressionName{1, 0, 0})
               : name == "twice" ? std::optional(ExpressionName{2, 1, 1})
               : name == "most"  ? std::optional(ExpressionName{3, 1, 2})
                                 : std::nullopt;
    };
    return g;
}

std::int64_t value(std::string_view text, std::int64_t x = 0, std::int64_t y = 0, Overflow overflow = Overflow::wraps) {
    return IntegerExpression(text, grammar())
        .value(overflow, [&](std::uint32_t id, std::span<const std::int64_t> a) -> std::int64_t {
            switch (id) {
            case 0: return x;
            case 1: return y;
            case 2: return 2 * a[0];
            case 3: return a.size() == 1 ? a[0] : std::max(a[0], a[1]);
            default: return 1000 + x;
            }
        });
}

template <class Act> std::string why(Act act) {
    try {
        act();
    } catch (const OptionError& e) {
        return e.what();
    }
    return "no error";
}

TEST(Expression, MeansWhatItMeansInC) {
    for (std::int64_t x : {-7, -1, 0, 1, 5, 33}) {
        for (std::int64_t y : {-3, 1, 2, 31}) {
            EXPECT_EQ(value("x + y * 3 - x / y % 4", x, y), x + y * 3 - x / y % 4);
            EXPECT_EQ(value("x - y - 1", x, y), x - y - 1);
            EXPECT_EQ(value("x & 6 | y ^ 3", x, y), ((x & 6) | (y ^ 3)));
            EXPECT_EQ(value("x < y == y >= 2", x, y), static_cast<int>((x < y) == (y >= 2)));
            EXPECT_EQ(value("x || y && !x", x, y), static_cast<int>(x != 0 || (y != 0 && x == 0)));
            EXPECT_EQ(value("x ? y ? 1 : 2 : -3", x, y), x != 0 ? (y != 0 ? 1 : 2) : -3);
            EXPECT_EQ(value("~x + -y - +x", x, y), ~x + -y - x);
            EXPECT_EQ(value("1 << (y & 7) | x >> 1", x, y), ((1 << (y & 7)) | (x >> 1)));
            EXPECT_EQ(value("(x + y) * (x - y) != 0x1f", x, y), static_cast<int>((x + y) * (x - y) != 0x1f));
            EXPECT_EQ(value("most(x, y) + twice(most(x)) + far.x", x, y), std::max(x, y) + 2 * x + 1000 + x);
        }
    }
    EXPECT_EQ(value("0 && 1 / 0"), 0) << "the right side is not looked at";
    EXPECT_EQ(value("1 || 1 / 0"), 1);
    EXPECT_EQ(value("1 ? 5 : 1 / 0"), 5);
}

TEST(Expression, RunsOverRanges) {
    std::int64_t count = 0, sum = 0, first = -1, nested = 0;
    for (std::int64_t k = 3; k < 50; ++k) {
        count += k % 7 == 2 ? 1 : 0;
        sum += k * k;
        first = first < 0 && k * k > 200 ? k : first;
        for (std::int64_t j = 0; j < k; ++j) {
            nested += j % 3;
        }
    }
    EXPECT_EQ(value("count(k, 3, 50, k % 7 == 2)"), count);
    EXPECT_EQ(value("sum(k, 3, 50, k * k)"), sum);
    EXPECT_EQ(value("first(k, 3, 50, k * k > 200)"), first);
    EXPECT_EQ(value("sum(k, 3, 50, sum(j, 0, k, j % 3))"), nested);
    EXPECT_EQ(value("highest(k, 0 - 5, 5, k * (4 - k))"), 4);
    EXPECT_EQ(value("lowest(k, 0 - 5, 5, k * (4 - k))"), -45);
    EXPECT_EQ(value("sum(k, 5, 5, 1)"), 0);
    EXPECT_THAT(why([] { value("highest(k, 5, 5, 1)"); }), HasSubstr("no value from 5 to 4"));
    EXPECT_THAT(why([] { value("first(k, 0, 9, k > 9)"); }), HasSubstr("no value from 0 to 8"));
    EXPECT_THAT(why([] { value("sum(k, 0, 100000000, 1)"); }), HasSubstr("too many values"));
    EXPECT_THAT(why([] { value("sum(k, 0, 9, sum(k, 0, 9, 1))"); }), HasSubstr("a name other than 'k'"));
    EXPECT_THAT(why([] { value("sum(x, 0, 9, 1)"); }), HasSubstr("a name other than 'x'"));
    EXPECT_THAT(why([] { value("sum(k, 0, 9, 1) + k"); }), HasSubstr("expected a number, x, y or '('"));
    EXPECT_THAT(why([] { IntegerExpression("sum(k, 0, 9, k)", grammar(false)); }), HasSubstr("expected a number"));
}

TEST(Expression, WrapsOrRefusesWhatGoesBeyond64Bits) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
    EXPECT_EQ(value("x + 1", most), least);
    EXPECT_EQ(value("x * 2", most), -2);
    EXPECT_EQ(value("-x", least), least);
    EXPECT_EQ(value("x / -1", least), least);
    EXPECT_EQ(value("x % -1", least), 0);
    for (const char* text : {"x + 1", "x * 2", "0 - 2 - x", "sum(k, 0, 2, x)"}) {
        EXPECT_THAT(why([&] { value(text, most, 0, Overflow::refused); }), HasSubstr("beyond 64 bits")) << text;
    }
    EXPECT_EQ(value("x % -1", least, 0, Overflow::refused), 0);
    EXPECT_THAT(why([] { value("1 / x"); }), HasSubstr("division by zero"));
    EXPECT_THAT(why([] { value("1 % x"); }), HasSubstr("division by zero"));
    EXPECT_THAT(why([] { value("1 << 64"); }), HasSubstr("shift by 64"));
    EXPECT_THAT(why([] { value("1 >> -1"); }), HasSubstr("shift by -1"));
}

TEST(Expression, SaysWhereItIsWrong) {
    const auto refused = [](std::string_view text) { return why([&] { value(text); }); };
    EXPECT_THAT(refused(""), HasSubstr("expected a number, x, y or '(' at character 1"));
    EXPECT_THAT(refused("x +"), HasSubstr("at character 4 of 'x +', where it ends"));
    EXPECT_THAT(refused("x y"), HasSubstr("an operator or the end at character 3 of 'x y', before 'y'"));
    EXPECT_THAT(refused("(x"), HasSubstr("expected ')'"));
    EXPECT_THAT(refused("x ? 1"), HasSubstr("expected ':'"));
    EXPECT_THAT(refused("z"), HasSubstr("before 'z'"));
    EXPECT_THAT(refused("twice"), HasSubstr("1 in parentheses after twice"));
    EXPECT_THAT(refused("most(1, 2, 3)"), HasSubstr("1 to 2 in parentheses after most"));
    EXPECT_THAT(refused("near.x"), HasSubstr("before the dot"));
    EXPECT_THAT(refused("far.y"), HasSubstr("expected a number"));
    EXPECT_THAT(refused("99999999999999999999"), HasSubstr("expected a number"));
    EXPECT_THAT(refused("0x"), HasSubstr("expected a number"));
    EXPECT_THAT(refused(std::string(100000, '(')), HasSubstr("longer than 4096"));
    EXPECT_THAT(refused(std::string(4000, '(')), HasSubstr("less nesting"));
    EXPECT_THAT(refused(std::string(4000, '-')), HasSubstr("less nesting"));
    EXPECT_TRUE(IntegerExpression().empty());
    EXPECT_FALSE(IntegerExpression("1", grammar()).empty());
}

} // namespace
} // namespace warptree
