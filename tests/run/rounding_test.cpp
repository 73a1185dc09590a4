// Exact sums, rounding errors within Higham's bound, and the table of kernel resources.
#include "app/run/judge/rounding.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/theory/kernel_resources.hpp"
#include "tests/support/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>

namespace warptree::theory {
namespace {

TEST(ExactSum, IsExactWhereADoubleIsNot) {
    EXPECT_EQ(runs::exact_sum({}), 0);
    EXPECT_EQ(runs::exact_sum({1e100, 1, -1e100}), 1);
    EXPECT_EQ(runs::exact_sum({1, 1e16, 1, -1e16}), 2);
    EXPECT_EQ(runs::exact_sum({0.1, 0.2, -0.3}), 0x1p-55) << "0.1 + 0.2 - 0.3 in doubles is twice that";
    const double half = std::ldexp(1.0, -53); // half an ulp of 1
    EXPECT_EQ(runs::exact_sum({1, half}), 1) << "a tie goes to even";
    EXPECT_EQ(runs::exact_sum({1, half, std::ldexp(1.0, -120)}), 1 + 2 * half) << "what lies below breaks the tie";
    EXPECT_EQ(runs::exact_sum({1, half, -std::ldexp(1.0, -120)}), 1);
}

// Multiples of 2^-30 below 2^20 in magnitude: sums of integers that fit in 128 bits.
TEST(ExactSum, EqualsIntegerArithmetic) {
    std::mt19937_64 random(7);
    for (const std::size_t n : {1U, 2U, 31U, 32U, 33U, 1000U}) {
        std::vector<double> values(n);
        __extension__ __int128 sum = 0;
        for (double& v : values) {
            const auto whole = static_cast<std::int64_t>(random() % (1ULL << 50)) - (1LL << 49);
            sum += whole;
            v = std::ldexp(static_cast<double>(whole), -30);
        }
        EXPECT_EQ(runs::exact_sum(values), std::ldexp(static_cast<double>(sum), -30)) << n;
    }
}

TEST(Rounding, StaysWithinTheBoundOfItsDepth) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
        for (const std::uint64_t n : tests::sampled<std::uint64_t>({2, 33, 1000, 5000}, {33, 1000})) {
            RunControl control;
            const runs::RoundingTable t = runs::rounding({n, type, InputKind::random, 3}, control);
            ASSERT_GT(t.rows.size(), 10U);
            EXPECT_EQ(t.rows.back().strategy, "one by one");
            EXPECT_EQ(t.rows.back().depth, n - 1);
            for (const runs::RoundingRow& r : t.rows) {
                EXPECT_GT(r.depth, 0U) << r.strategy;
                // The bound is a first-order bound, and the reference is rounded once.
                EXPECT_LE(r.error, r.bound * 1.001 + std::abs(t.reference) * 0x1p-53) << r.strategy << " " << n;
            }
        }
    }
}

TEST(Rounding, IsNoneForWholeNumbers) {
    RunControl control;
    for (const runs::RoundingRow& r : runs::rounding({1000, ElementType::f32, InputKind::ones, 1}, control).rows) {
        EXPECT_EQ(r.result, 1000) << r.strategy;
        EXPECT_EQ(r.error, 0) << r.strategy;
    }
}

TEST(Rounding, TellsProgressAndStops) {
    RunControl control;
    std::atomic<double> last{0}; // set by several threads
    control.progress = [&](double part) {
        EXPECT_TRUE(part >= 0 && part <= 1) << part;
        last = part;
        control.cancel = part > 0.3;
    };
    EXPECT_THROW(runs::rounding({40'000, ElementType::f32, InputKind::random, 1}, control), Cancelled);
    EXPECT_GT(last, 0.3);
    EXPECT_TRUE(control.progress) << "the caller's own is back";
    EXPECT_THROW(runs::rounding({10, ElementType::i32, InputKind::ones, 1}, control), OptionError);
}

constexpr const char* kSample = R"({"format": "warptree.kernel-resources", "version": 1, "architecture": "sm_90",
 "cuda": "13.0", "kernels": [
  {"strategy": "sequential", "type": "f32", "op": "sum", "block": 0, "registers": 12, "shared_bytes": 0,
   "local_bytes": 0, "stack_bytes": 0},
  {"strategy": "unroll-complete", "type": "f32", "op": "sum", "block": 64, "registers": 14, "shared_bytes": 0,
   "local_bytes": 8, "stack_bytes": 16},
  {"strategy": "unroll-complete", "type": "f32", "op": "sum", "block": 256, "registers": 16, "shared_bytes": 0,
   "local_bytes": 0, "stack_bytes": 0},
  {"strategy": "unroll-complete", "type": "f64", "op": "sum", "block": 256, "registers": 20, "shared_bytes": 0,
   "local_bytes": 0, "stack_bytes": 0}]})";

TEST(KernelResources, AreReadAndChosenByBlock) {
    const ResourceTable t = parse_resources(kSample, "sample");
    EXPECT_EQ(t.architecture, "sm_90");
    EXPECT_EQ(t.cuda, "13.0");
    ASSERT_EQ(t.kernels.size(), 4U);
    EXPECT_EQ(t.kernels[1].local_bytes, 8U);
    EXPECT_EQ(t.kernels[1].stack_bytes, 16U);
    const auto registers = [&](ElementType type, std::uint32_t block) {
        std::vector<std::uint32_t> all;
        for (const KernelResources& k : select(t, type, Operator::sum, block)) {
            all.push_back(k.registers);
        }
        return all;
    };
    EXPECT_EQ(registers(ElementType::f32, 256), (std::vector{12U, 16U}));
    EXPECT_EQ(registers(ElementType::f32, 64), (std::vector{12U, 14U}));
    EXPECT_EQ(registers(ElementType::f32, 100), (std::vector{12U, 16U})) << "the next above";
    EXPECT_EQ(registers(ElementType::f32, 1024), (std::vector{12U, 16U})) << "the largest there is";
    EXPECT_EQ(registers(ElementType::f64, 32), (std::vector{20U}));
    EXPECT_TRUE(registers(ElementType::i64, 32).empty());
}

TEST(KernelResources, RefuseWhatIsNoTable) {
    const auto damaged = [](const std::string& from, const std::string& to) {
        std::string text = kSample;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const std::string& text :
         {std::string(), std::string("[]"), std::string("{}"), std::string(kSample).substr(0, 200),
          damaged("\"version\": 1", "\"version\": 2"), damaged("\"registers\": 12", "\"registers\": -1"),
          damaged("\"registers\": 12", "\"registers\": \"12\""), damaged("\"registers\": 12,", ""),
          damaged("\"f32\"", "\"f31\"")}) {
        EXPECT_THAT([&] { parse_resources(text, "the.json"); },
                    testing::ThrowsMessage<FileError>(testing::StartsWith("the.json: ")))
            << text.substr(0, 60);
    }
}

} // namespace
} // namespace warptree::theory
