// Right and wrong outputs compared with what is expected of them.
#include "app/base/error.hpp"
#include "app/run/judge/expectation.hpp"

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

TEST(Expectation, OfIndices) {
    EXPECT_TRUE(passes("argmax", {kIn}, ints({5})));
    EXPECT_FALSE(passes("argmax", {kIn}, ints({4})));
    EXPECT_TRUE(passes("argmin", {kIn}, ints({1}))) << "any of equal ones";
    EXPECT_TRUE(passes("argmin", {kIn}, ints({3})));
    EXPECT_FALSE(passes("argmin", {kIn}, ints({8}))) << "past the end";
    EXPECT_FALSE(passes("argmin", {kIn}, ints({-1})));
    EXPECT_TRUE(passes("argmax", {floats({0.5F, 2.5F, -3})}, ints({1}))) << "of floats, an integer";
}

TEST(Expectation, OfMoments) {
    const Numbers in = floats({2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_TRUE(passes("mean", {in}, floats({5})));
    EXPECT_FALSE(passes("mean", {in}, floats({5.001F})));
    EXPECT_TRUE(passes("variance", {in}, floats({4})));
    EXPECT_FALSE(passes("variance", {in}, floats({32.0F / 7})));
    EXPECT_TRUE(passes("sample-variance", {in}, floats({32.0F / 7})));
    EXPECT_TRUE(passes("mean-and-variance", {in}, floats({5, 4})));
    EXPECT_FALSE(passes("mean-and-variance", {in}, floats({5, 3.99F})));
    EXPECT_FALSE(passes("mean-and-variance", {in}, floats({5}))) << "one is missing";
    EXPECT_TRUE(passes("mean", {kIn}, floats({31.0F / 8}))) << "of integers, in floats";
}

TEST(Expectation, OfRows) {
    const Numbers in = floats({0, 0, 0, 0.6931471805599453F});
    EXPECT_TRUE(passes("softmax", {in}, floats({0.2F, 0.2F, 0.2F, 0.4F})));
    EXPECT_FALSE(passes("softmax", {in}, floats({0.2F, 0.2F, 0.2F, 0.41F})));
    runs::Expected rows = expected_from("softmax", std::nullopt);
    rows.shape = {2};
    const auto by_rows = [&](const Numbers& out) { return judge(rows, {in}, out, 4, 4, 1, 3).pass; };
    EXPECT_TRUE(by_rows(floats({0.5F, 0.5F, 1.0F / 3, 2.0F / 3})));
    EXPECT_FALSE(by_rows(floats({0.2F, 0.2F, 0.2F, 0.4F})));
    EXPECT_TRUE(passes("layer-norm", {floats({1, -1})}, floats({0.999995F, -0.999995F})));
    EXPECT_FALSE(passes("layer-norm", {floats({1, -1})}, floats({1.01F, -1.01F})));
}

TEST(Expectation, OfLists) {
    EXPECT_TRUE(passes("histogram", {kIn}, ints({0, 2, 1, 1, 1, 1, 1, 0, 0, 1})));
    EXPECT_TRUE(passes("histogram", {kIn}, ints({0, 2, 1}))) << "values past the last bin are not counted";
    EXPECT_FALSE(passes("histogram", {kIn}, ints({0, 2, 1, 1, 1, 1, 1, 0, 0, 2})));
    const Numbers holes = ints({0, 3, 0, -2, 5, 0});
    EXPECT_TRUE(passes("compact", {holes}, ints({3, -2, 5, 0, 0, 0})));
    EXPECT_FALSE(passes("compact", {holes}, ints({3, 5, -2}))) << "in order";
    EXPECT_FALSE(passes("compact", {holes}, ints({3, -2}))) << "one is missing";
    EXPECT_TRUE(passes("compact-positive", {holes}, ints({3, 5})));
    EXPECT_TRUE(passes("top-k", {kIn}, ints({9, 6, 5})));
    EXPECT_FALSE(passes("top-k", {kIn}, ints({9, 5, 6})));
    EXPECT_TRUE(passes("sorted", {holes}, ints({-2, 0, 0, 0, 3, 5})));
    EXPECT_FALSE(passes("sorted", {holes}, ints({-2, 0, 0, 0, 5, 3})));
    EXPECT_FALSE(passes("sorted", {holes}, ints({-2, 0, 0, 3, 3, 5}))) << "in order, but not the same elements";
    EXPECT_FALSE(passes("sorted", {holes}, ints({-2, 0, 0, 0, 3}))) << "one is missing";
    EXPECT_TRUE(passes("sorted-descending", {holes}, ints({5, 3, 0, 0, 0, -2})));
    EXPECT_FALSE(passes("sorted-descending", {holes}, ints({-2, 0, 0, 0, 3, 5})));
    EXPECT_TRUE(passes("sorted", {floats({2.5F, -1, 0.25F})}, floats({-1, 0.25F, 2.5F})));
    EXPECT_TRUE(passes("row-sums", {kIn, ints({0, 2, 2, 8})}, ints({4, 0, 27})));
    EXPECT_FALSE(passes("row-sums", {kIn, ints({0, 2, 2, 8})}, ints({4, 27, 0})));
    EXPECT_THROW(passes("row-sums", {kIn}, ints({4})), OptionError);
    EXPECT_THROW(passes("row-sums", {kIn, ints({0, 9})}, ints({4})), OptionError) << "past the end";
}

} // namespace
} // namespace warptree::tests
