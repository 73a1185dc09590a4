#include "app/base/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warptree {
namespace {

TEST(Element, NamesReadBack) {
    for (ElementType type : kElementTypes) {
        EXPECT_EQ(element_type_from(name(type)), type);
    }
    for (Operator op : kOperators) {
        EXPECT_EQ(operator_from(name(op)), op);
    }
    EXPECT_EQ(name(Operator::xor_), "xor");
    EXPECT_FALSE(element_type_from("i16"));
    EXPECT_FALSE(element_type_from(""));
    EXPECT_FALSE(operator_from("Sum"));
}

TEST(Element, ScalarKeepsItsBits) {
    EXPECT_EQ(Scalar::of(std::int32_t{-1}).bits, 0xFFFFFFFFU);
    EXPECT_EQ(Scalar::of(1.0F).bits, 0x3F800000U);
    EXPECT_EQ(Scalar::of(std::int64_t{-2}).as<std::int64_t>(), -2);
    EXPECT_EQ(Scalar::of(std::uint32_t{4000000000U}).as_double(), 4e9);
    EXPECT_EQ(Scalar::of(-0.0), Scalar::of(-0.0));
    EXPECT_FALSE(Scalar::of(-0.0) == Scalar::of(0.0));
}

TEST(Element, TextIsShortAndExact) {
    EXPECT_EQ(to_string(Scalar::of(std::int32_t{36})), "36");
    EXPECT_EQ(to_string(Scalar::of(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
    EXPECT_EQ(to_string(Scalar::of(std::uint32_t{0xFFFFFFFFU})), "4294967295");
    EXPECT_EQ(to_string(Scalar::of(0.1F)), "0.1");
    EXPECT_EQ(to_string(Scalar::of(0.1)), "0.1");
    EXPECT_EQ(to_string(Scalar::of(-0.0)), "-0");
    EXPECT_EQ(to_string(Scalar::of(-std::numeric_limits<double>::infinity())), "-inf");
    EXPECT_EQ(to_string(Scalar::of(std::copysign(std::nanf(""), -1.0F))), "nan");
    for (double value : {1.0 / 3, 6.02214076e23, 1e-300, std::numeric_limits<double>::max()}) {
        EXPECT_EQ(std::stod(to_string(Scalar::of(value))), value);
    }
}

} // namespace
} // namespace warptree
