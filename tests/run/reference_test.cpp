// The reference for results: exact where it must be, and tolerant only of what the type's range explains.
#include "app/theory/reference.hpp"

#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <unistd.h>
#include <vector>

namespace warptree {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T> Elements elements(const std::vector<T>& values) {
    Elements e;
    e.type = ElementTypeOf<T>::value;
    e.bytes.resize(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        e.set_bits(i, Scalar::of(values[i]).bits);
    }
    return e;
}

std::vector<float> repeated(std::size_t count, float first, float second) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        all[i] = i % 2 == 0 ? first : second;
    }
    return all;
}

bool accepts(const std::vector<float>& x, Operator op, float got) {
    double error = 0;
    return agrees(Scalar::of(got), reference(elements(x), op, 10), error);
}

TEST(Reference, AProductThatStaysInRangeAcceptsOnlyItself) {
    const std::vector<float> x = repeated(64, 2, 0.5F); // intermediate products of at most 2^32
    EXPECT_TRUE(accepts(x, Operator::product, 1));
    EXPECT_TRUE(accepts(x, Operator::product, 1 + 0x1p-21F));
    for (const float wrong : {1.001F, 2.0F, -1.0F, 0.0F, kInfinity, -kInfinity, kNan}) {
        EXPECT_FALSE(accepts(x, Operator::product, wrong)) << wrong;
    }
}

TEST(Reference, AProductMayOverflowWithItsOwnSignOnly) {
    const std::vector<float> x = repeated(8, 1e20F, -1e-10F); // 1e40, with intermediate products up to 1e80
    EXPECT_TRUE(accepts(x, Operator::product, kInfinity));
    EXPECT_FALSE(accepts(x, Operator::product, -kInfinity));
    EXPECT_FALSE(accepts(x, Operator::product, -1));
    const std::vector<float> y = repeated(6, 1e20F, 1e-10F); // 1e30, and no order goes below 1e-30
    EXPECT_TRUE(accepts(y, Operator::product, kInfinity));
    EXPECT_TRUE(accepts(y, Operator::product, 1e30F));
    EXPECT_FALSE(accepts(y, Operator::product, 2e30F)) << "finite, and nothing could vanish";
    EXPECT_FALSE(accepts(y, Operator::product, 0));
    EXPECT_FALSE(accepts(y, Operator::product, kNan));
}

TEST(Reference, AProductIsNoNumberWhereInfinityMayMeetZero) {
    const std::vector<float> x = repeated(256, 1e30F, 1e-30F);
    EXPECT_TRUE(accepts(x, Operator::product, kNan));
    EXPECT_TRUE(accepts(x, Operator::product, 0));
    EXPECT_FALSE(accepts(x, Operator::product, -1)) << "the sign does not depend on the order";
    std::vector<float> zero(8, 1e30F);
    zero[3] = 0;
    EXPECT_TRUE(accepts(zero, Operator::product, kNan));
    EXPECT_TRUE(accepts(zero, Operator::product, 0));
    EXPECT_FALSE(accepts(zero, Operator::product, kInfinity)) << "a zero factor is never lost";
    EXPECT_FALSE(accepts(zero, Operator::product, 1));
    EXPECT_FALSE(accepts({2, 0, 3}, Operator::product, kNan)) << "nothing overflows";
}

TEST(Reference, AProductThatVanishesAcceptsZero) {
    const std::vector<float> x(64, 1e-3F);
    EXPECT_TRUE(accepts(x, Operator::product, 0));
    EXPECT_FALSE(accepts(x, Operator::product, 1e-30F));
    EXPECT_FALSE(accepts(x, Operator::product, kNan));
    EXPECT_FALSE(accepts(x, Operator::product, kInfinity));
}

TEST(Reference, ASumLeavesItsRangeOnTheSideOfItsTerms) {
    const std::vector<float> x = repeated(8, 2e38F, -1.0F);
    EXPECT_TRUE(accepts(x, Operator::sum, kInfinity));
    EXPECT_FALSE(accepts(x, Operator::sum, -kInfinity));
    EXPECT_FALSE(accepts(x, Operator::sum, kNan));
    const std::vector<float> y = repeated(8, 2e38F, -2e38F);
    for (const float possible : {0.0F, kInfinity, -kInfinity, kNan}) {
        EXPECT_TRUE(accepts(y, Operator::sum, possible)) << possible;
    }
    const std::vector<float> z = repeated(1000, 1, -1);
    for (const float wrong : {1.0F, kInfinity, -kInfinity, kNan}) {
        EXPECT_FALSE(accepts(z, Operator::sum, wrong)) << wrong;
    }
}

// The reference itself neither overflows nor underflows; a long double would at 1e4932.
TEST(Reference, AProductOfManyFactorsIsExact) {
    std::vector<double> x(4096, 0x1p600);
    std::fill(x.begin() + 2048, x.end(), 0x1p-600);
    EXPECT_EQ(reference(elements(x), Operator::product, 12).value.as<double>(), 1);
    std::reverse(x.begin(), x.end());
    EXPECT_EQ(reference(elements(x), Operator::product, 12).value.as<double>(), 1);
}

// The result of multiplying in any order is accepted.
TEST(Reference, AcceptsEveryOrderOfMultiplying) {
    std::mt19937 random(11);
    unsigned special = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<float> x(1 + random() % 40);
        for (float& v : x) {
            v = std::ldexp(1 + static_cast<float>(random() % 1000) / 1000, static_cast<int>(random() % 120) - 60);
            v = random() % 2 == 0 ? v : -v;
        }
        const Reference want = reference(elements(x), Operator::product, x.size());
        for (int order = 0; order < 4; ++order) {
            std::vector<float> left = x;
            while (left.size() > 1) { // any two at a time
                std::swap(left[random() % left.size()], left.back());
                const float b = left.back();
                left.pop_back();
                left[random() % left.size()] *= b;
            }
            double error = 0;
            EXPECT_TRUE(agrees(Scalar::of(left[0]), want, error)) << left[0] << " for " << to_string(want.value);
            special += std::isfinite(left[0]) && left[0] != 0 ? 0 : 1;
        }
    }
    EXPECT_GT(special, 20U) << "none left the range";
}

class FromFile : public testing::Test {
  protected:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("warptree-reference-" + std::to_string(getpid()) + ".txt");
    void TearDown() override { std::filesystem::remove(path_); }
};

TEST_F(FromFile, InfinityTimesZeroOnTheWayIsNoFaultOfTheKernel) {
    std::ofstream(path_) << [] {
        std::string text;
        for (int i = 0; i < 256; ++i) {
            text += i % 2 == 0 ? "1e-30\n" : "1e30\n";
        }
        return text;
    }();
    unsigned undefined = 0;
    for (const char* id : {"sequential", "interleaved-modulo", "block-shuffle"}) {
        RunOptions o = cpu(id, 256);
        o.block = 256;
        o.type = ElementType::f32;
        o.op = Operator::product;
        o.input = InputKind::file;
        o.input_file = path_.string();
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass) << id;
        EXPECT_NEAR(t.reference.as_double(), 1, 1e-4);
        undefined += std::isnan(t.result.as_double()) ? 1 : 0;
    }
    EXPECT_GT(undefined, 0U) << "no order met infinity times zero";
}

} // namespace
} // namespace warptree
