// Distinguishing wrong scans of floats from rounding, with exact arithmetic and the interpreter's scans.
#include "app/catalogue/strategy.hpp"
#include "app/measure/timing/launches.hpp"
#include "app/measure/timing/scan_check.hpp"
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warptree::timing {
namespace {

constexpr std::uint64_t kSeed = 5;

// Random floats are multiples of 2^-23, so integers sum them exactly.
std::int64_t in_steps(std::uint64_t i) {
    return static_cast<std::int64_t>(std::ldexp(element<double>(Data::random, kSeed, i), 23));
}
double from_steps(std::int64_t steps) { return std::ldexp(static_cast<double>(steps), -23); }

// Checks the whole scan part by part, as on the GPU.
template <class T>
WrongElements wrong_in(const std::vector<T>& out, std::uint64_t tile, bool exclusive, const ScanTolerance& tolerance,
                       std::uint64_t part = 64) {
    const std::uint64_t n = out.size();
    const auto type = ElementTypeOf<T>::value;
    const auto before = sums_before(Data::random, n, type, kSeed, part);
    WrongElements all;
    for (std::uint64_t first = 0; first < n; first += tile < n ? tile : part) {
        const std::uint64_t end = std::min(n, first + (tile < n ? tile : part));
        const auto one = wrong_in_part(out.data(), first, end, tile, tile < n ? RunningSum{} : before[first / part],
                                       exclusive, kSeed, Data::random, tolerance);
        all.first = std::min(all.first, one.first);
        all.count += one.count;
    }
    return all;
}

TEST(ScanCheck, SumsBeforeAreExact) {
    for (const std::uint64_t n : {1ULL, 31ULL, 32ULL, 33ULL, 1000ULL, 140003ULL}) {
        for (const std::uint64_t part : {7ULL, 4096ULL}) {
            for (const ElementType type : {ElementType::f32, ElementType::f64}) {
                const auto before = sums_before(Data::random, n, type, kSeed, part);
                ASSERT_EQ(before.size(), (n + part - 1) / part);
                std::int64_t sum = 0, magnitude = 0, least = 0, most = 0;
                for (std::uint64_t i = 0; i < n; ++i) {
                    if (i % part == 0) {
                        const RunningSum& b = before[i / part];
                        ASSERT_EQ(b.high + b.low, from_steps(sum)) << i;
                        ASSERT_NEAR(b.magnitude, from_steps(magnitude), 1e-9 * b.magnitude);
                        ASSERT_EQ(b.least, from_steps(least)) << i;
                        ASSERT_EQ(b.most, from_steps(most)) << i;
                    }
                    sum += in_steps(i);
                    magnitude += std::abs(in_steps(i));
                    least = std::min(least, sum);
                    most = std::max(most, sum);
                }
            }
        }
    }
}

TEST(ScanCheck, KeepsWhatADoubleLoses) {
    RunningSum sum;
    for (const double x : {1e16, 1.0, 1.0, 1.0, -1e16}) {
        sum.add(x);
    }
    EXPECT_EQ(sum.high + sum.low, 3);
    EXPECT_EQ(sum.largest(), 1e16 + 4); // 1e16 + 3, rounded
}

TEST(ScanCheck, DepthBoundsTheScansOfTheInterpreter) {
    // A scan with look-back carries a prefix through every tile; a block scan through none.
    Configuration c;
    c.variant = "scan-lookback";
    c.n = 1U << 22;
    EXPECT_EQ(scan_depth(c).chain, launches(c).front().grid);
    c.variant = "scan-shared";
    EXPECT_EQ(scan_depth(c).chain, 0U);
    EXPECT_GE(scan_depth(c).tree, 2U * 8);
    EXPECT_TRUE(std::isinf(scan_tolerance({1U << 23, 0}, ElementType::f32).of_magnitude));
    EXPECT_NEAR(scan_tolerance({10, 0}, ElementType::f32).of_magnitude, 10 * std::ldexp(1, -24), 1e-12);
}

template <class T> std::vector<T> interpreted(const std::string& id, std::uint64_t n, bool exclusive) {
    RunOptions o = cpu(id, n);
    o.type = ElementTypeOf<T>::value;
    o.input = InputKind::random;
    o.seed = kSeed;
    o.window = {0, 1024}; // all blocks keep their outputs
    o.parameters["exclusive"] = exclusive ? 1 : 0;
    const Trace t = runs::run_any(o);
    std::vector<T> values(n);
    const Launch& l = t.launches.front();
    for (const Output& out : l.outputs) { // in store order: the last store to an element counts
        if (l.allocations.at(out.allocation).name == "out") {
            values[out.index] = out.index < l.partials.size() ? l.partials[out.index].as<T>()
                                                              : Scalar{o.type, l.nodes.at(out.node).bits}.as<T>();
        }
    }
    return values;
}

class EveryScanIsChecked : public testing::TestWithParam<std::string> {
  protected:
    template <class T> void check(std::uint64_t n, bool exclusive) {
        const StrategyInfo& info = require_strategy(GetParam());
        Configuration c;
        c.variant = info.id;
        c.n = n;
        c.block = info.default_block;
        c.type = ElementTypeOf<T>::value;
        const std::uint64_t tile = info.answer == Answer::scan ? n : outputs_per_block(info, {n, c.block, c.type, {}});
        const ScanTolerance tolerance = scan_tolerance(scan_depth(c), c.type);
        std::vector<T> out = interpreted<T>(c.variant, n, exclusive);
        EXPECT_EQ(wrong_in(out, tile, exclusive, tolerance).count, 0U) << n;

        // First one element is missing from the rest of its tile, then the last output is NaN.
        const std::uint64_t lost = n / 2, end = std::min(n, (lost / tile + 1) * tile);
        std::vector<T> without = out;
        for (std::uint64_t i = lost; i < end; ++i) {
            without[i] -= element<T>(Data::random, kSeed, lost);
        }
        const auto found = wrong_in(without, tile, exclusive, tolerance);
        EXPECT_EQ(found.count, end - lost) << n;
        EXPECT_EQ(found.first, lost);
        std::vector<T> poisoned = out;
        poisoned.back() = std::numeric_limits<T>::quiet_NaN();
        EXPECT_EQ(wrong_in(poisoned, tile, exclusive, tolerance).first, n - 1);
    }
};
INSTANTIATE_TEST_SUITE_P(Strategies, EveryScanIsChecked, testing::ValuesIn([] {
                             std::vector<std::string> ids;
                             for (const StrategyInfo& s : strategies()) {
                                 if (is_scan(s) && s.family != Family::exhibit) {
                                     ids.emplace_back(s.id);
                                 }
                             }
                             return ids;
                         }()),
                         [](const auto& info) {
                             std::string id = info.param;
                             std::replace(id.begin(), id.end(), '-', '_');
                             return id;
                         });

TEST_P(EveryScanIsChecked, RightOnesPassAndWrongOnesDoNot) {
    for (const std::uint64_t n : tests::sampled<std::uint64_t>({1, 31, 32, 33, 1000}, {33})) {
        check<float>(n, false);
        check<float>(n, true);
        check<double>(n, true);
    }
}

// Tiles of several vectors per thread, which are used from 2^16 elements on.
TEST(ScanCheck, TakesTheTilesOfALongScan) {
    Configuration c;
    c.variant = "scan-lookback";
    c.n = (1U << 16) + 33;
    c.type = ElementType::f32;
    const ScanTolerance tolerance = scan_tolerance(scan_depth(c), c.type);
    std::vector<float> out = interpreted<float>(c.variant, c.n, false);
    EXPECT_EQ(wrong_in(out, c.n, false, tolerance, 4096).count, 0U);
    out[c.n / 3] += 0.25F;
    EXPECT_EQ(wrong_in(out, c.n, false, tolerance, 4096).first, c.n / 3);
}

// Sums in half precision are distinguished from single precision; with small integers both would be exact.
TEST(ScanCheck, TellsALowerPrecision) {
    constexpr std::uint64_t n = 256;
    std::vector<float> single, half;
    float a = 0, b = 0;
    const auto rounded = [](float x) { // to 11 bits
        int exponent = 0;
        const float fraction = std::frexp(x, &exponent);
        return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
    };
    for (std::uint64_t i = 0; i < n; ++i) {
        single.push_back(a += element<float>(Data::random, kSeed, i));
        half.push_back(b = rounded(b + element<float>(Data::random, kSeed, i)));
    }
    const ScanTolerance tolerance = scan_tolerance({n, 0}, ElementType::f32);
    EXPECT_EQ(wrong_in(single, n, false, tolerance).count, 0U);
    EXPECT_GT(wrong_in(half, n, false, tolerance).count, n / 4);
}

} // namespace
} // namespace warptree::timing
