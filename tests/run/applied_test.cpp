// The strategies whose answer is no sum of all elements: the same under every order, right for their own parameters, and
// with the trees and the counts that their lessons speak of. tests/run/catalogue_results_test.cpp has sizes and types.
#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "tests/run/exhibit_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace warptree {
namespace {

RunOptions applied(const StrategyInfo& info, std::uint64_t n) {
    RunOptions o = exhibit(info.id, n, info.default_block);
    o.type = taken_type(info);
    return o;
}
RunOptions applied(std::string_view id, std::uint64_t n) { return applied(require_strategy(id), n); }

std::vector<double> results(const Trace& t) {
    std::vector<double> all;
    for (const Scalar& s : t.launches.back().partials) {
        all.push_back(s.as_double());
    }
    return all;
}

std::vector<double> elements(const RunOptions& o) {
    const Elements e = runs::make_input(resolve(o));
    std::vector<double> all;
    for (std::size_t i = 0; i < e.size(); ++i) {
        all.push_back(Scalar{o.type, e.bits(i)}.as_double());
    }
    return all;
}

TEST(AppliedReductions, IsTheSameInEveryOrder) {
    unsigned seen = 0;
    for (const StrategyInfo& s : strategies()) {
        if (s.family != Family::applied) {
            continue;
        }
        ++seen;
        const bool rows = std::ranges::any_of(s.parameters, &catalogue::ParameterText::as_n); // n² elements
        for (const std::uint64_t n : {1, 31, 32, 33, rows ? 100 : 1000}) {
            const std::vector<double> first = results(runs::run_any(applied(s, n)));
            for (const WarpOrder order : kWarpOrders) {
                RunOptions o = applied(s, n);
                o.order = order;
                const Trace t = runs::run_any(o);
                EXPECT_TRUE(t.pass) << s.id << " " << n << " " << name(order);
                EXPECT_EQ(results(t), first) << s.id << " " << n << " " << name(order);
                EXPECT_TRUE(t.launches.front().findings.empty()) << s.id << " " << n << " " << name(order);
            }
        }
    }
    EXPECT_EQ(seen, 15U);
}

TEST(AppliedReductions, AnArgmaxIsThePlaceOfTheLargest) {
    for (const std::uint64_t n : {1, 33, 1000, 5000}) {
        RunOptions o = applied("argmax", n);
        const std::vector<double> x = elements(o);
        const Trace t = runs::run_any(o);
        EXPECT_EQ(x[static_cast<std::size_t>(results(t).front())], *std::max_element(x.begin(), x.end()));
        EXPECT_EQ(t.result.type, ElementType::u32) << "a place is no element of the input";
        o.type = ElementType::f64;
        EXPECT_EQ(runs::run_any(o).result.type, ElementType::u32);
    }
}

TEST(AppliedReductions, AMergeOfRecordsIsANodeInABlock) {
    for (const char* id : {"argmax", "welford", "kahan"}) {
        for (const std::uint64_t n : {31, 32, 33, 200, 256}) {
            const Trace t = runs::run_any(applied(id, n));
            EXPECT_EQ(t.tree.leaves, n) << id;
            EXPECT_EQ(t.tree.useful_combines, n - 1) << id << " " << n;
        }
    }
    EXPECT_EQ(runs::run_any(applied("argmax", 5000)).tree.useful_combines, 4999U);
}

// 1 and many numbers that vanish beside it: a plain sum in float loses them, the pair does not.
TEST(AppliedReductions, ACompensatedSumKeepsWhatRoundingTakes) {
    RunOptions o = applied("kahan", 100'000);
    const std::vector<double> x = elements(o);
    long double sum = 0;
    for (const double v : x) {
        sum += v;
    }
    EXPECT_EQ(runs::run_any(o).result.as<float>(), static_cast<float>(sum));
    o.strategy = "warp-atomic";
    EXPECT_NE(runs::run_any(o).result.as<float>(), static_cast<float>(sum)) << "else the input shows nothing";
}

TEST(AppliedReductions, RowsAreNormalisedForAnyNumberOfColumns) {
    for (const char* id : {"softmax-rows", "softmax-online", "layer-norm"}) {
        for (const std::uint32_t columns : {1U, 31U, 32U, 33U, 1000U}) {
            for (const std::uint64_t n : {33, 1000}) {
                RunOptions o = applied(id, n);
                o.parameters["columns"] = columns;
                const Trace t = runs::run_any(o);
                EXPECT_TRUE(t.pass) << id << " " << columns << " " << n;
                const std::vector<double> x = elements(o), y = results(t);
                const std::size_t row = std::min<std::size_t>(columns, n), kept = std::min(y.size(), row);
                double most = x[0], sum = 0, mean = 0, square = 0;
                for (std::size_t i = 0; i < row; ++i) {
                    most = std::max(most, x[i]);
                    mean += x[i] / static_cast<double>(row);
                }
                for (std::size_t i = 0; i < row; ++i) {
                    sum += std::exp(x[i] - most);
                    square += (x[i] - mean) * (x[i] - mean) / static_cast<double>(row);
                }
                for (std::size_t i = 0; i < kept; ++i) {
                    const double want = std::string_view(id) == "layer-norm" ? (x[i] - mean) / std::sqrt(square + 1e-5)
                                                                             : std::exp(x[i] - most) / sum;
                    EXPECT_NEAR(y[i], want, 1e-4 * (1 + std::fabs(want))) << id << " " << columns << " " << i;
                }
            }
        }
    }
}

TEST(AppliedReductions, EveryBinIsCounted) {
    for (const char* id : {"histogram", "histogram-private", "histogram-warp"}) {
        for (const std::uint32_t bins : {1U, 31U, 64U, 1000U}) {
            RunOptions o = applied(id, 1000);
            o.parameters["bins"] = bins;
            std::map<double, double> counts;
            for (const double x : elements(o)) {
                ++counts[x];
            }
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << id << " " << bins;
            const std::vector<double> got = results(t);
            for (std::size_t bin = 0; bin < std::min<std::size_t>(bins, got.size()); ++bin) {
                EXPECT_EQ(got[bin], counts[static_cast<double>(bin)]) << id << " " << bin;
            }
        }
    }
}

// All elements alike: an atomic an element, one a warp, and one a block on global memory.
TEST(AppliedReductions, AggregationSparesAtomics) {
    const auto atomics = [](const char* id) {
        RunOptions o = applied(id, 1000);
        o.input = InputKind::ones;
        return runs::run_any(o).launches.front().totals().atomics;
    };
    EXPECT_EQ(atomics("histogram"), 1000U);
    EXPECT_EQ(atomics("histogram-private"), 1000U + 8U);
    EXPECT_EQ(atomics("histogram-warp"), 32U);
}

TEST(AppliedReductions, KeepsInOrderWhatIsNotZero) {
    {
        const char* const id = "compact";
        for (const std::uint64_t n : {1, 33, 1000}) {
            const RunOptions o = applied(id, n);
            std::vector<double> kept = elements(o);
            std::erase(kept, 0.0);
            const std::vector<double> got = results(runs::run_any(o));
            for (std::size_t i = 0; i < std::min(got.size(), kept.size()); ++i) {
                EXPECT_EQ(got[i], kept[i]) << id << " " << n << " " << i;
            }
        }
    }
}

TEST(AppliedReductions, TheLargestStandInDescendingOrder) {
    for (const std::uint32_t k : {1U, 5U, 31U, 32U}) {
        for (const std::uint64_t n : {1, 31, 33, 1000}) {
            RunOptions o = applied("top-k", n);
            o.parameters["k"] = k;
            std::vector<double> x = elements(o);
            std::sort(x.rbegin(), x.rend());
            x.resize(std::min<std::size_t>(n, k));
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << k << " " << n;
            EXPECT_EQ(results(t), x) << k << " " << n;
        }
    }
}

TEST(AppliedReductions, RaggedRowsAreSummed) {
    for (const char* id : {"segmented-csr", "segmented-csr-warp", "segmented-csr-block"}) {
        for (const std::uint64_t rows : {1, 10, 33, 70}) {
            const RunOptions o = applied(id, rows);
            RunOptions all = o; // row r has r elements
            all.n = std::max<std::uint64_t>(rows * (rows - 1) / 2, 1);
            const std::vector<double> got = results(runs::run_any(o));
            const Elements in = runs::make_input(all);
            std::size_t next = 0;
            for (std::size_t row = 0; row < std::min<std::size_t>(rows, got.size()); ++row) {
                double sum = 0;
                for (std::size_t i = 0; i < row; ++i) {
                    sum += Scalar{o.type, in.bits(next++)}.as_double();
                }
                EXPECT_EQ(got[row], sum) << id << " row " << row << " of " << rows;
            }
        }
    }
}

TEST(Scan, PaddingTakesTheConflictsOfBlelloch) {
    const auto counted = [](const char* id) {
        return runs::run_any(exhibit(id, 1024, 1024)).launches.front().totals();
    };
    const Counters plain = counted("scan-blelloch"), padded = counted("blelloch-padded");
    EXPECT_EQ(plain.combines + 1024, padded.combines) << "each thread adds its own element";
    EXPECT_EQ(plain.barriers, padded.barriers);
    EXPECT_LT(2 * padded.shared_load_wavefronts, plain.shared_load_wavefronts);
}

} // namespace
} // namespace warptree
