// Right and wrong outputs compared with what is expected of them.
#include "app/base/error.hpp"
#include "app/run/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>

namespace warptree::tests {
namespace {

using runs::expected_from;
using runs::judge;
using runs::Numbers;

Numbers ints(std::vector<int> list) {
    Numbers n{ValueType::i32, {}};
    for (const int v : list) {
        n.bits.push_back(static_cast<std::uint32_t>(v));
    }
    return n;
}
Numbers floats(std::vector<float> list) {
    Numbers n{ValueType::f32, {}};
    for (const float v : list) {
        n.bits.push_back(std::bit_cast<std::uint32_t>(v));
    }
    return n;
}
bool passes(const char* what, const std::vector<Numbers>& in, const Numbers& out, std::uint64_t block = 4,
            std::uint64_t blocks = 1) {
    return judge(expected_from(what, std::nullopt), in, out, in.front().size(), block, blocks, 3).pass;
}

const Numbers kIn = ints({3, 1, 4, 1, 5, 9, 2, 6});

TEST(Expectation, OfOperators) {
    EXPECT_TRUE(passes("sum", {kIn}, ints({31})));
    EXPECT_TRUE(passes("sum", {kIn}, ints({9, 22}))) << "partial results, that the host folds";
    EXPECT_TRUE(passes("sum", {kIn}, ints({31, 9, 22}))) << "the result, and notes behind it";
    EXPECT_FALSE(passes("sum", {kIn}, ints({32})));
    EXPECT_FALSE(passes("sum", {kIn}, ints({9, 23})));
    EXPECT_FALSE(passes("sum", {kIn}, ints({})));
    EXPECT_TRUE(passes("max", {kIn}, ints({4, 9})));
    EXPECT_FALSE(passes("max", {kIn}, ints({4, 6})));
    EXPECT_TRUE(passes("min", {kIn}, ints({1})));
    EXPECT_TRUE(passes("product", {kIn}, ints({3 * 4 * 5 * 9 * 2 * 6})));
    EXPECT_TRUE(passes("xor", {kIn}, ints({3 ^ 1 ^ 4 ^ 1 ^ 5 ^ 9 ^ 2 ^ 6})));
    EXPECT_TRUE(passes("sum-of-squares", {kIn}, ints({173})));
}

TEST(Expectation, OfDotProducts) {
    EXPECT_TRUE(passes("dot", {kIn, ints({1, 1, 1, 1, 2, 2, 2, 2})}, ints({9 + 44})));
    EXPECT_FALSE(passes("dot", {kIn, ints({1, 1, 1, 1, 2, 2, 2, 2})}, ints({54})));
    EXPECT_THROW(passes("dot", {kIn}, ints({1})), OptionError);
}

TEST(Expectation, OfScans) {
    EXPECT_TRUE(passes("scan", {kIn}, ints({3, 4, 8, 9, 14, 23, 25, 31})));
    EXPECT_TRUE(passes("exclusive-scan", {kIn}, ints({0, 3, 4, 8, 9, 14, 23, 25})));
    EXPECT_TRUE(passes("block-scan", {kIn}, ints({3, 4, 8, 9, 5, 14, 16, 22}), 4, 2));
    EXPECT_TRUE(passes("exclusive-block-scan", {kIn}, ints({0, 3, 4, 8, 0, 5, 14, 16}), 4, 2));
    EXPECT_FALSE(passes("scan", {kIn}, ints({3, 4, 8, 9, 14, 23, 25}))) << "one is missing";
    const auto verdict =
        judge(expected_from("scan", std::nullopt), {kIn}, ints({3, 4, 8, 8, 14, 23, 25, 31}), 8, 4, 1, 3);
    EXPECT_FALSE(verdict.pass);
    EXPECT_EQ(verdict.first_wrong, 3U);
    EXPECT_EQ(verdict.result, 8U);
    EXPECT_EQ(verdict.reference, 9U);
}

TEST(Expectation, OfSegments) {
    EXPECT_TRUE(passes("segments", {kIn}, ints({4, 5, 14, 8})));
    EXPECT_TRUE(passes("segments", {kIn}, ints({8, 15, 8}))) << "the last one is shorter";
    EXPECT_FALSE(passes("segments", {kIn}, ints({4, 5, 14, 9})));
}

TEST(Expectation, OfFloatingNumbersAllowsForRounding) {
    std::vector<float> in(1000);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = 1.0F / static_cast<float>(i + 1);
    }
    const float forth = std::accumulate(in.begin(), in.end(), 0.0F),
                back = std::accumulate(in.rbegin(), in.rend(), 0.0F);
    EXPECT_NE(forth, back);
    const auto judged = [&](float v) {
        return judge(expected_from("sum", std::nullopt), {floats(in)}, floats({v}), 1000, 256, 1, 999).pass;
    };
    EXPECT_TRUE(judged(forth));
    EXPECT_TRUE(judged(back));
    EXPECT_FALSE(judged(back * 1.001F));
}

TEST(Expectation, OfInputsOfANarrowerType) {
    EXPECT_TRUE(passes("sum", {kIn}, floats({31})));
    EXPECT_FALSE(passes("sum", {kIn}, floats({32})));
    const Numbers bytes{ValueType::i8, {0xFFU, 100, 100, 100}}, halves{ValueType::f16, {0x3C00U, 0xC500U}};
    EXPECT_TRUE(passes("sum", {bytes}, ints({299})));
    EXPECT_TRUE(passes("min", {bytes}, ints({-1})));
    EXPECT_TRUE(passes("sum", {halves}, floats({-4})));
    EXPECT_TRUE(passes("dot", {halves, halves}, floats({26})));
    EXPECT_THROW(passes("sum", {halves}, ints({-4})), OptionError);
}

TEST(Expectation, OfNothingAndOfNonsense) {
    EXPECT_TRUE(passes("none", {kIn}, ints({12345})));
    EXPECT_THROW(expected_from("everything", std::nullopt), OptionError);
    EXPECT_THROW(passes("sum", {floats({3, 1})}, ints({4})), OptionError) << "a float array has no int sum";
    EXPECT_THROW(judge(expected_from("sum", std::nullopt), {}, ints({31}), 8, 4, 1, 3), OptionError);
}

} // namespace
} // namespace warptree::tests
