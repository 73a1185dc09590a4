// Statistics compared with closed forms and brute force; rows with hand calculations.
#include "app/measure/timing/statistics.hpp"
#include "app/measure/timing/table.hpp"
#include "tests/support/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

namespace warptree::timing {
namespace {

std::vector<double> counting(std::size_t n) { // 1 … n, shuffled
    std::vector<double> s(n);
    std::iota(s.begin(), s.end(), 1.0);
    std::shuffle(s.begin(), s.end(), std::mt19937(7));
    return s;
}

TEST(Statistics, OfTheFirstNaturalNumbers) {
    for (const std::size_t n : {1U, 2U, 5U, 31U, 32U, 33U, 1000U}) {
        const Summary s = summarize(counting(n));
        const auto m = static_cast<double>(n);
        EXPECT_EQ(s.count, n);
        EXPECT_EQ(s.minimum, 1);
        EXPECT_EQ(s.maximum, m);
        EXPECT_DOUBLE_EQ(s.median, (m + 1) / 2);
        EXPECT_DOUBLE_EQ(s.mean, (m + 1) / 2);
        EXPECT_DOUBLE_EQ(s.lower_quartile, 1 + (m - 1) / 4);
        EXPECT_DOUBLE_EQ(s.upper_quartile, 1 + 3 * (m - 1) / 4);
        EXPECT_NEAR(s.deviation, n == 1 ? 0 : std::sqrt(m * (m + 1) / 12), 1e-9 * m);
        EXPECT_LE(s.median_interval.low, s.median);
        EXPECT_GE(s.median_interval.high, s.median);
        EXPECT_DOUBLE_EQ(s.median_interval.low + s.median_interval.high, m + 1) << "symmetric ranks";
    }
}

// The rows show a point's seconds, the details its summary: the two must be one number, to the last bit.
TEST(Statistics, SecondsAreTheMedianOfTheSummary) {
    std::mt19937 random(3);
    std::lognormal_distribution<double> time(-10, 1);
    for (std::size_t n = 1; n <= 200; ++n) {
        Point p;
        std::generate_n(std::back_inserter(p.samples), n, [&] { return time(random); });
        const std::vector<double> before = p.samples;
        EXPECT_EQ(*seconds_of(p), summarize(p.samples).median) << n;
        EXPECT_EQ(p.samples, before);
    }
}

// Brute force: the probability of at most k heads in n tosses of a fair coin.
double coin(unsigned n, unsigned k) {
    std::vector<double> ways(n + 1, 0);
    ways[0] = 1;
    for (unsigned i = 0; i < n; ++i) {
        for (unsigned j = i + 1; j > 0; --j) {
            ways[j] = (ways[j] + ways[j - 1]) / 2;
        }
        ways[0] /= 2;
    }
    return std::accumulate(ways.begin(), ways.begin() + k + 1, 0.0);
}

TEST(Statistics, TheMediansIntervalHoldsItAsOftenAsItSays) {
    for (const unsigned n : {1U, 5U, 6U, 9U, 10U, 31U, 32U, 33U, 500U}) {
        const Summary s = summarize(counting(n));
        const auto k = static_cast<unsigned>(s.median_interval.low); // rank from 1, as samples are 1 … n
        EXPECT_NEAR(s.confidence, std::max(0.0, 1 - 2 * coin(n, k - 1)), 1e-9) << n;
        if (n >= 6) {
            EXPECT_GE(s.confidence, kConfidence) << n;
            EXPECT_LT(1 - 2 * coin(n, k), kConfidence) << "a narrower one of " << n << " would do";
        }
    }
    EXPECT_GT(summarize(counting(100000)).confidence, 0.949) << "no underflow";
}

TEST(Statistics, VerdictsFollowTheIntervals) {
    const auto around = [](double middle, double spread) {
        std::vector<double> s;
        for (int i = -10; i <= 10; ++i) {
            s.push_back(middle * (1 + spread * i / 10));
        }
        return summarize(s);
    };
    EXPECT_EQ(compare(around(1, 1e-4), around(1, 1e-4)), Verdict::same);
    EXPECT_EQ(compare(around(1, 1e-4), around(1.001, 1e-4)), Verdict::same) << "apart, but by less than matters";
    EXPECT_EQ(compare(around(1, 0.01), around(1.1, 0.01)), Verdict::faster);
    EXPECT_EQ(compare(around(1.1, 0.01), around(1, 0.01)), Verdict::slower);
    EXPECT_EQ(compare(around(1, 0.2), around(1.02, 0.2)), Verdict::cannot_tell);
    const std::vector<double> few{1, 1, 1, 1, 1};
    EXPECT_EQ(compare(summarize(few), around(2, 0.01)), Verdict::cannot_tell);
    for (const Verdict v : {Verdict::same, Verdict::faster, Verdict::slower, Verdict::cannot_tell}) {
        EXPECT_FALSE(name(v).empty());
    }
}

Point point(const char* variant, std::uint64_t n, double seconds, std::uint32_t block = 128,
            Finish finish = Finish::relaunch) {
    Point p;
    p.what.variant = variant;
    p.what.n = n;
    p.what.block = block;
    p.what.finish = finish;
    p.bytes = 4 * n;
    p.samples = {seconds, seconds, seconds * 1.5};
    p.rounds = {0, 1, 2};
    p.stop = Stop::noise_low;
    p.verified = true;
    return p;
}

constexpr std::uint64_t kN = 1 << 22;

std::vector<Series> two() {
    Series a{"a", {}, {}};
    a.provenance.theoretical_bytes_per_second = 4e12;
    a.points = {point("sequential", kN, 25e-6),
                point("interleaved-modulo", kN, 40e-6),
                point("interleaved-modulo", kN, 30e-6, 256),
                point("interleaved-modulo", kN, 10e-6, 128, Finish::host), // only part of the work
                point("interleaved-modulo", 1000, 2e-6),
                point("device-read", kN, 5e-6, 0),
                point("device-read", 1 << 28, 4.0 * (1 << 28) / 3.5e12, 0)};
    Point refused = point("first-add", kN, 1);
    refused.samples.clear();
    refused.rounds.clear();
    refused.stop = Stop::none;
    refused.skipped = "its result was wrong";
    a.points.push_back(refused);
    Series b{"b | \"quoted\", too", {}, {point("interleaved-modulo", kN, 80e-6)}};
    b.points[0].what.mode = Mode::unstated;
    return {a, b};
}

TEST(Table, RowsHaveTheSpeedUpsOfTheLectures) {
    const auto all = two();
    const auto r = rows(all, Conditions{});
    ASSERT_EQ(r.size(), 4U);
    EXPECT_EQ(r[0].point->what.variant, "interleaved-modulo");
    EXPECT_DOUBLE_EQ(*r[0].seconds, 40e-6) << "finishing on the host is a part of the work, and 256 was not asked for";
    EXPECT_EQ(r[0].fits, 2U);
    EXPECT_FALSE(r[0].step);
    EXPECT_DOUBLE_EQ(*r[0].cumulative, 1);
    EXPECT_EQ(r[1].point->what.variant, "sequential");
    EXPECT_FALSE(r[1].step) << "the rung before it was not measured";
    EXPECT_DOUBLE_EQ(*r[1].cumulative, 40.0 / 25);
    EXPECT_DOUBLE_EQ(*r[1].bytes_per_second, 4.0 * kN / 25e-6);
    EXPECT_DOUBLE_EQ(*r[1].elements_per_second, kN / 25e-6);
    EXPECT_DOUBLE_EQ(*r[1].share, 4.0 * kN / 25e-6 / 4e12);
    EXPECT_NEAR(*r[1].share_measured, 4.0 * kN / 25e-6 / 3.5e12, 1e-12);
    EXPECT_EQ(r[2].point->skipped, "its result was wrong");
    EXPECT_FALSE(r[2].seconds || r[2].step || r[2].cumulative || r[2].share);
    EXPECT_EQ(r[3].series, 1U) << "a mode that is not stated belongs to each";
    EXPECT_DOUBLE_EQ(*r[3].cumulative, 1);
    EXPECT_FALSE(r[3].share);
}

TEST(Table, AStepIsAgainstTheRungBeforeOnTheLadderOnly) {
    auto all = two();
    all[0].points.push_back(point("interleaved-strided", kN, 32e-6));
    auto r = rows(std::span(all).first(1), Conditions{});
    ASSERT_EQ(r.size(), 4U);
    EXPECT_DOUBLE_EQ(*r[1].step, 40.0 / 32);
    EXPECT_DOUBLE_EQ(*r[2].step, 32.0 / 25);
    Conditions c;
    c.kernels = Kernels::reductions;
    for (const Row& row : rows(std::span(all).first(1), c)) {
        EXPECT_FALSE(row.step) << row.point->what.variant;
    }
}

TEST(Table, ConditionsChoose) {
    const auto all = two();
    const auto modulo = [&](const Conditions& c) { return best_point(all[0], "interleaved-modulo", c); };
    Conditions c;
    c.block.reset();
    EXPECT_DOUBLE_EQ(*seconds_of(*modulo(c)), 30e-6) << "the fastest block";
    c.finish = Finish::host;
    EXPECT_DOUBLE_EQ(*seconds_of(*modulo(c)), 10e-6) << "when it is asked for";
    c.mode = Mode::warm;
    EXPECT_EQ(modulo(c), nullptr);
    EXPECT_TRUE(rows(std::span(all).first(1), c).empty());
    c = {};
    c.kernels = Kernels::reductions;
    const auto r = rows(std::span(all).first(1), c);
    ASSERT_EQ(r.size(), 4U);
    EXPECT_EQ(r.back().point->what.variant, "device-read");
    EXPECT_FALSE(r.back().step || r.back().cumulative) << "a peer is no step of the ladder";
    EXPECT_GT(*r.back().share, 0);
    const auto curve = along_n(all[0], "interleaved-modulo", Conditions{});
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_EQ(curve[0]->what.n, 1000U);
    EXPECT_TRUE(along_n(all[0], "first-add", Conditions{}).empty());
}

TEST(Table, EveryKernelBelongsSomewhere) {
    for (const char* v : {"interleaved-modulo", "vectorized", "scan-lookback", "segmented", "tiled-matmul", "cub-scan",
                          "cub-reduce", "device-copy", "device-read", "unheard-of", "missing-barrier"}) {
        EXPECT_EQ(int{belongs(v, Kernels::reductions)} + int{belongs(v, Kernels::scans)} +
                      int{belongs(v, Kernels::others)},
                  1)
            << v;
    }
    EXPECT_TRUE(belongs("sequential", Kernels::ladder));
    EXPECT_FALSE(belongs("vectorized", Kernels::ladder));
    for (const Kernels k : kKernels) {
        EXPECT_EQ(kernels_from(name(k)), k);
    }
}

TEST(Table, TextsAreShortAndHaveTheirUnit) {
    EXPECT_EQ(time_text(8.054e-3), "8.054 ms");
    EXPECT_EQ(time_text(40.2e-6), "40.20 µs");
    EXPECT_EQ(time_text(1), "1.000 s");
    EXPECT_EQ(time_text(2.5e-8), "25.00 ns");
    EXPECT_EQ(rate_text(62.671e9), "62.67 GB/s");
    EXPECT_EQ(rate_text(4536e9), "4536 GB/s");
    EXPECT_EQ(share_text(0.7254), "72.5 %");
    EXPECT_EQ(factor_text(30.04), "30.04×");
    EXPECT_EQ(count_text(1 << 22), "2^22");
    EXPECT_EQ(count_text(1000), "1000");
}

TEST(Table, CsvComesBack) {
    const auto all = two();
    const auto r = rows(all, Conditions{});
    const auto lines = parse_csv(to_csv(all, r));
    ASSERT_EQ(lines.size(), r.size() + 1);
    const auto column = [&](const char* title) {
        return static_cast<std::size_t>(std::find(lines[0].begin(), lines[0].end(), title) - lines[0].begin());
    };
    for (std::size_t i = 0; i < r.size(); ++i) {
        const auto& line = lines[i + 1];
        ASSERT_EQ(line.size(), lines[0].size());
        EXPECT_EQ(line[0], all[r[i].series].name);
        EXPECT_EQ(line[column("skipped")], r[i].point->skipped);
        const std::string& seconds = line[column("seconds")];
        EXPECT_EQ(seconds.empty(), !r[i].seconds);
        if (r[i].seconds) {
            EXPECT_EQ(std::stod(seconds), *r[i].seconds) << "to the last digit";
            EXPECT_EQ(std::stod(line[column("cumulative_speedup")]), *r[i].cumulative);
        }
    }
}

TEST(Table, MarkdownHasAsManyCellsInEachLine) {
    const auto all = two();
    const std::string text = to_markdown(all, rows(all, Conditions{}));
    std::size_t lines = 0, from = 0;
    for (std::size_t to = text.find('\n'); to != std::string::npos;
         from = to + 1, to = text.find('\n', from), ++lines) {
        const std::string line = text.substr(from, to - from);
        std::size_t bars = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
        }
        EXPECT_EQ(bars, 14U) << line;
    }
    EXPECT_EQ(lines, 6U);
    EXPECT_THAT(text, ::testing::HasSubstr("not measured"));
    EXPECT_THAT(text, ::testing::HasSubstr("its result was wrong"));
}

TEST(Table, ShownPointsAreThoseOfTheRows) {
    const auto all = two();
    const auto some = shown_points(all, rows(all, Conditions{}));
    ASSERT_EQ(some.size(), 2U);
    EXPECT_EQ(some[0].points.size(), 3U);
    EXPECT_EQ(some[0].provenance, all[0].provenance);
    EXPECT_EQ(rows(some, Conditions{}).size(), 4U);
}

} // namespace
} // namespace warptree::timing
