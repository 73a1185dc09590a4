// What is measured, and when a point has been sampled enough.
#include "app/base/error.hpp"
#include "app/measure/timing/estimate.hpp"
#include "app/measure/timing/expected.hpp"
#include "app/measure/timing/launches.hpp"
#include "app/measure/timing/plan.hpp"
#include "app/measure/timing/presets.hpp"
#include "app/measure/timing/sampler.hpp"

#include "app/run/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace warptree::timing {
namespace {

using testing::HasSubstr;

Configuration configuration(std::string variant, std::uint64_t n, std::uint32_t block = 0) {
    Configuration c;
    c.variant = std::move(variant);
    c.n = n;
    c.block = block;
    return c;
}

TEST(TimingLaunches, AreThoseOfTheTracePipeline) {
    // ceil(n / 2B) blocks until one is left.
    Configuration c = configuration("first-add", 1000000, 128);
    c.finish = Finish::relaunch;
    const auto all = launches(c);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0], (KernelLaunch{1000000, 128, 3907, 3907}));
    EXPECT_EQ(all[1], (KernelLaunch{3907, 128, 16, 16}));
    EXPECT_EQ(all[2], (KernelLaunch{16, 128, 1, 1}));
}

TEST(TimingLaunches, TakeTheBlockOfTheSecondLaunch) {
    Configuration c = configuration("two-kernel", 1U << 24, 512);
    c.finish = Finish::relaunch;
    EXPECT_EQ(launches(c), (std::vector<KernelLaunch>{{1U << 24, 512, 1024, 1024}, {1024, 1024, 1, 1}}));
}

TEST(TimingLaunches, OfOtherFinishesAreOne) {
    for (const Finish f : {Finish::host, Finish::atomic, Finish::last_block}) {
        Configuration c = configuration("sequential", 1000, 32);
        c.finish = f;
        const auto all = launches(c);
        ASSERT_EQ(all.size(), 1U);
        EXPECT_EQ(all[0].grid, 32U);
        EXPECT_EQ(all[0].outputs, f == Finish::atomic ? 1U : 32U);
    }
}

TEST(TimingLaunches, TakeTheGridThatIsAskedFor) {
    Configuration c = configuration("multiple-adds", 1U << 20, 256);
    EXPECT_EQ(launches(c)[0].grid, 64U);
    c.grid = 528;
    EXPECT_EQ(launches(c)[0].grid, 528U);
    EXPECT_EQ(launches(c)[0].outputs, 528U);
}

TEST(TimingTraffic, CountsWhatMustMove) {
    EXPECT_EQ(traffic(configuration("sequential", 1000)).total(), 4000U);
    EXPECT_EQ(traffic(configuration("scan-warp", 1000)).total(), 8000U);
    EXPECT_EQ(traffic(configuration("cub-reduce", 1000)).total(), 4000U);
    EXPECT_EQ(traffic(configuration("cub-scan", 1000)).total(), 8000U);
    EXPECT_EQ(traffic(configuration("device-copy", 1000)).written, 4000U);
    EXPECT_EQ(traffic(configuration("device-read", 1000)).written, 0U);
    Configuration wide = configuration("sequential", 1ULL << 31);
    wide.type = ElementType::f64;
    EXPECT_EQ(traffic(wide).total(), 1ULL << 34); // beyond 32 bits
    wide.quantity = Quantity::launch;
    EXPECT_EQ(traffic(wide).total(), 0U);
}

TEST(TimingCeiling, IsThePeakOverWhatCannotStayInTheCache) {
    Provenance p;
    p.theoretical_bytes_per_second = 1000;
    p.l2_bytes = 100;
    EXPECT_DOUBLE_EQ(ceiling(Mode::cold, {200, 0}, p), 1000);
    EXPECT_DOUBLE_EQ(ceiling(Mode::cold, {50, 0}, p), 1000);          // cold: the cache starts empty
    EXPECT_DOUBLE_EQ(ceiling(Mode::cold, {200, 200}, p), 4000.0 / 3); // 100 of 400 may not be written back
    EXPECT_DOUBLE_EQ(ceiling(Mode::warm, {200, 0}, p), 2000);
    EXPECT_EQ(ceiling(Mode::warm, {100, 0}, p), 0); // all of it may come from the cache
    p.theoretical_bytes_per_second = 0;
    EXPECT_EQ(ceiling(Mode::cold, {200, 0}, p), 0);
}

TEST(TimingPlan, IsTheProductOfItsAxes) {
    Axes a;
    a.variants = {"sequential", "vectorized", "device-copy"};
    a.sizes = {1000, 2000};
    a.types = {ElementType::i32, ElementType::f64};
    a.blocks = {64, 128, 256};
    a.modes = {Mode::cold, Mode::warm};
    const auto all = plan(std::span(&a, 1), 132);
    // A peer has no block size.
    EXPECT_EQ(all.size(), 2U * 2 * 2 * (3 + 3 + 1));
    for (const Planned& p : all) {
        EXPECT_EQ(p.skipped, "") << p.what.variant;
        EXPECT_EQ(p.what.block == 0, p.what.variant == "device-copy");
    }
    // Points with the same input are adjacent.
    std::set<std::pair<std::uint64_t, ElementType>> seen;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto key = std::pair(all[i].what.n, all[i].what.type);
        const bool goes_on = i > 0 && key == std::pair(all[i - 1].what.n, all[i - 1].what.type);
        EXPECT_EQ(seen.insert(key).second, !goes_on);
    }
}

TEST(TimingPlan, KeepsTheImpossibleWithItsReason) {
    Axes a;
    a.variants = {"warp-shuffle", "unroll-last-warp", "warp-atomic", "tiled-matmul", "missing-barrier"};
    a.sizes = {1U << 12};
    a.blocks = {48};
    a.finishes = {Finish::host};
    const auto all = plan(std::span(&a, 1), 132);
    ASSERT_EQ(all.size(), 5U);
    EXPECT_THAT(all[1].skipped, HasSubstr("48"));
    EXPECT_NE(all[2].skipped, ""); // 48 is not a multiple of 32
    EXPECT_THAT(all[3].skipped, HasSubstr("neither a reduction nor a scan"));
    EXPECT_THAT(all[4].skipped, HasSubstr("on purpose"));
    a.variants = {"warp-atomic"};
    a.blocks = {64};
    EXPECT_THAT(plan(std::span(&a, 1), 132)[0].skipped, HasSubstr("--finish atomic"));
    a.variants = {"sequential"};
    a.grids = {7};
    EXPECT_THAT(plan(std::span(&a, 1), 132)[0].skipped, HasSubstr("grid"));
}

TEST(TimingPlan, HasEachConfigurationOnceAndKnowsItsParameters) {
    Axes a;
    a.variants = {"scan-coarsened", "scan-coarsened", "persistent", "cub-scan"};
    a.sizes = {4096};
    a.parameters["batch"] = {2, 8};
    const auto all = plan(std::span(&a, 1), 132);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].what.parameters, (ParameterValues{{"batch", 2}, {"exclusive", 0}, {"vectors", 0}}));
    EXPECT_EQ(all[1].what.parameters.at("batch"), 8U);
    EXPECT_EQ(all[2].what.parameters.at("sms"), 132U); // as many as the device has
    EXPECT_EQ(all[3].what.parameters, (ParameterValues{{"exclusive", 0}}));
}

TEST(TimingPlan, GivesAnOperatorOnlyToWhatHasOne) {
    Axes a;
    a.variants = {"cub-reduce", "cub-scan", "device-copy", "device-read"};
    a.sizes = {4096};
    a.ops = {Operator::max, Operator::sum};
    const auto all = plan(std::span(&a, 1), 132);
    ASSERT_EQ(all.size(), 5U);
    for (const Planned& p : all) {
        EXPECT_EQ(p.skipped, "");
        EXPECT_TRUE(p.what.op == Operator::sum || p.what.variant == "cub-reduce");
    }
}

TEST(TimingPlan, FillsTheDeviceWhereBlocksStride) {
    Axes a;
    a.variants = {"multiple-adds", "sequential"};
    a.sizes = {4096};
    a.grids_per_multiprocessor = {4};
    const auto all = plan(std::span(&a, 1), 132);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].what.grid, 528U);
    EXPECT_EQ(all[1].what.grid, 0U); // its grid covers the input
    EXPECT_EQ(all[1].skipped, "");
}

TEST(TimingPlan, RefusesAWordThatIsNoVariant) {
    Axes a;
    a.variants = {"sequentail"};
    a.sizes = {1};
    EXPECT_THROW(plan(std::span(&a, 1), 1), OptionError);
}

TEST(TimingPresets, CanAllBePlanned) {
    for (const Preset& preset : presets()) {
        const auto axes = preset.axes();
        const auto all = plan(axes, 132);
        const auto possible = std::count_if(all.begin(), all.end(), [](const Planned& p) { return p.skipped.empty(); });
        EXPECT_GT(possible, 4) << preset.name;
        EXPECT_EQ(static_cast<std::size_t>(possible), all.size()) << preset.name;
        for (const std::string_view peer : {kRead, kCopy}) {
            const bool reads_only = preset.name == "cascading-map", copies_only = preset.name == "coarsened-map";
            if ((peer == kRead && !copies_only) || (peer == kCopy && !reads_only)) {
                EXPECT_TRUE(
                    std::any_of(all.begin(), all.end(), [&](const Planned& p) { return p.what.variant == peer; }))
                    << preset.name << " without " << peer;
            }
        }
    }
    EXPECT_EQ(find_preset("nothing"), nullptr);
}

// The ladder's recorded and live measurements are the same experiments: both reduce to one value.
TEST(TimingPresets, LeaveNoPartials) {
    for (const char* preset : {"ladder", "sweep", "blocks"}) {
        const auto axes = find_preset(preset)->axes();
        for (const Planned& p : plan(axes, 132)) {
            const StrategyInfo* info = find_strategy(p.what.variant);
            if (info != nullptr && info->answer == Answer::total) {
                EXPECT_NE(p.what.finish, Finish::host) << preset << " " << p.what.variant;
            }
        }
    }
}

TEST(TimingPresets, HaveEveryReductionAndScanInThreeTypesAndFourBlocks) {
    const auto axes = find_preset("everything")->axes();
    std::set<std::tuple<std::string, ElementType, std::uint64_t>> sizes;
    std::set<std::tuple<std::string, ElementType, std::uint32_t, std::uint64_t>> blocks;
    for (const Planned& p : plan(axes, 132)) {
        sizes.emplace(p.what.variant, p.what.type, p.what.n);
        blocks.emplace(p.what.variant, p.what.type, p.what.block, p.what.n);
    }
    int strategies_seen = 0;
    for (const StrategyInfo& s : strategies()) {
        if (!can_be_timed(s) || s.family == Family::exhibit || s.answer == Answer::segments) {
            continue;
        }
        ++strategies_seen;
        for (const ElementType type : {ElementType::i32, ElementType::f32, ElementType::f64}) {
            if (taken_type(s, type) != type) {
                continue;
            }
            for (unsigned k = 10; k <= 30; k += 2) {
                EXPECT_TRUE(sizes.contains({std::string(s.id), type, 1ULL << k})) << s.id << " 2^" << k;
            }
            for (const std::uint32_t block : {128U, 256U, 512U, 1024U}) {
                for (const unsigned k : {16U, 22U, 28U}) {
                    EXPECT_EQ(blocks.contains({std::string(s.id), type, block, 1ULL << k}),
                              catalogue::takes(s.blocks, block))
                        << s.id << " B = " << block;
                }
            }
        }
    }
    EXPECT_GT(strategies_seen, 25);
}

TEST(TimingEstimate, AddsUpWhatEveryPointTakes) {
    Axes a;
    a.variants = {"sequential", "first-add", "tiled-matmul"};
    a.sizes = {1000, 1U << 30};
    a.types = {ElementType::i32, ElementType::f64};
    const auto planned = plan(std::span(&a, 1), 132);
    StopRule rule;
    rule.min_time = 0.25;
    const auto groups = estimate(planned, rule, 3, Pace{});
    ASSERT_EQ(groups.size(), 4U);
    double sum = 0;
    for (const GroupEstimate& g : groups) {
        EXPECT_EQ(g.points, 2U) << "one of the three is no reduction";
        EXPECT_GT(g.seconds, 2 * rule.min_time);
        sum += g.seconds;
    }
    EXPECT_LT(groups.front().seconds, 1);
    // More bytes, a longer minimum time and a slower GPU take longer.
    EXPECT_GT(groups[3].seconds, groups[1].seconds);
    const auto total = [&](const StopRule& r, const Pace& pace) {
        double all = 0;
        for (const GroupEstimate& g : estimate(planned, r, 3, pace)) {
            all += g.seconds;
        }
        return all;
    };
    EXPECT_DOUBLE_EQ(total(rule, Pace{}), sum);
    EXPECT_GT(total(StopRule{}, Pace{}), sum + 1.5);
    Pace slow;
    slow.peak_bytes_per_second /= 100;
    EXPECT_GT(total(rule, slow), sum);
    EXPECT_TRUE(estimate({}, rule, 3, Pace{}).empty());
}

StopRule rule(double min_time, double limit) {
    StopRule r;
    r.min_time = min_time;
    r.time_limit = limit;
    return r;
}

TEST(TimingSampler, NeedsItsSamplesAndItsTime) {
    Sampler s(rule(1, 100));
    EXPECT_EQ(s.done(), std::nullopt); // never without a sample
    for (unsigned k = 0; k < 9; ++k) {
        s.add(1e-3, k, 1);
        EXPECT_EQ(s.done(), std::nullopt);
    }
    s.add(1e-3, 9, 1);
    EXPECT_EQ(s.done(), Stop::noise_low);

    Sampler quick(rule(1, 100));
    for (unsigned k = 0; k < 99; ++k) {
        quick.add(1e-3, 0, 0.01);
    }
    EXPECT_EQ(quick.done(), std::nullopt);
    quick.add(1e-3, 0, 0.02);
    EXPECT_EQ(quick.done(), Stop::noise_low);
}

TEST(TimingSampler, KnowsItsNoise) {
    Sampler s(rule(1, 100));
    for (const double x : {1.0, 2.0, 3.0, 4.0}) {
        s.add(x, 0, 0);
    }
    EXPECT_NEAR(s.noise(), std::sqrt(5.0 / 3) / 2.5, 1e-12); // deviation over count - 1, mean 2.5
}

TEST(TimingSampler, StopsWhenNoiseNoLongerChanges) {
    Sampler s(rule(0.1, 100));
    unsigned taken = 0;
    while (!s.done() && taken < 1000) {
        s.add(taken % 2 == 0 ? 0.9 : 1.1, 0, 0.01);
        ++taken;
    }
    EXPECT_EQ(s.done(), Stop::noise_stable);
    EXPECT_GE(taken, 20U);
    EXPECT_LT(taken, 40U);
}

TEST(TimingSampler, SaysWhatTheTimeLimitMissed) {
    Sampler growing(rule(0.1, 1));
    for (unsigned k = 0; !growing.done(); ++k) { // its noise keeps growing
        growing.add(std::pow(1.1, k), 0, 0.01);
    }
    EXPECT_EQ(growing.done(), Stop::time_limit);
    EXPECT_THAT(growing.unmet(), HasSubstr("neither below 0.5 %"));

    Sampler slow(rule(0.1, 1));
    slow.add(3, 0, 3);
    EXPECT_EQ(slow.done(), Stop::time_limit);
    EXPECT_THAT(slow.unmet(), HasSubstr("1 of the 10 samples"));
}

TEST(TimingExpected, IsTheReferenceOfTheSameInput) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint64_t n : {1ULL, 31ULL, 32ULL, 33ULL, 1000ULL, 140003ULL}) { // the last has several parts
            RunOptions o;
            o.type = type;
            o.n = n;
            o.input = InputKind::random;
            o.seed = 7;
            const Elements input = runs::make_input(o);
            for (const Operator op : {Operator::sum, Operator::min, Operator::max}) {
                const Reference want = reference(input, op, 20);
                const Reference got = expected_total(Data::random, n, type, op, 7, 20);
                EXPECT_EQ(got.value, want.value) << name(type) << " " << n;
                EXPECT_NEAR(got.tolerance, want.tolerance, 1e-9 * want.tolerance);
            }
            std::uint32_t words = 0;
            for (std::size_t w = 0; w < input.bytes.size() / 4; ++w) {
                words += reinterpret_cast<const std::uint32_t*>(input.bytes.data())[w];
            }
            EXPECT_EQ(expected_words(Data::random, n, type, 7), words);
            EXPECT_NEAR(host_total(type, Operator::sum, input.bytes.data(), n).as_double(),
                        reference(input, Operator::sum, 20).value.as_double(), 1e-3);
        }
    }
}

TEST(TimingExpected, WholeNumbersSumExactlyInAnyOrder) {
    constexpr std::uint64_t n = 100000;
    float forward = 0, backward = 0;
    std::int64_t exact = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto x = element<float>(Data::whole, 3, i);
        ASSERT_EQ(x, std::round(x));
        ASSERT_LE(std::abs(x), 8);
        forward += x;
        backward += element<float>(Data::whole, 3, n - 1 - i);
        exact += static_cast<std::int64_t>(x);
    }
    EXPECT_EQ(forward, backward);
    const Reference want = expected_total(Data::whole, n, ElementType::f32, Operator::sum, 3, 1000);
    EXPECT_EQ(want.value.as<float>(), static_cast<float>(exact));
    EXPECT_EQ(forward, static_cast<float>(exact));
    EXPECT_EQ(want.tolerance, 0); // a dropped element shows in the last bit
}

} // namespace
} // namespace warptree::timing
