// The window measures what the screen shows; on a fake device.
#include "app/catalogue/strategy.hpp"
#include "app/features/timings/state/timings_plan.hpp"
#include "tests/support/pretend_device.hpp"
#include "tests/support/timing_series.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warptree::session {
namespace {

using TimingsField = Timings::Field;
using timing::Quantity;

const std::atomic<bool> kGoOn{false};

// Measures the plan on the fake device, as the window does.
timing::Series measured(const Timings& shown) {
    tests::Pretend device;
    timing::MeasureOptions measure_options;
    measure_options.rule = {2, 0, 0.2, 0.005, 0.1, 20};
    measure_options.warm_ups = 0;
    measure_options.name = "Pretend (this GPU)";
    return timing::measure(plan_of(shown, 132), device, timing::steady_clock(), measure_options, kGoOn).series;
}

Timings screen() {
    Timings t({tests::made_up_series()});
    t.set(TimingsField::figure, "samples");
    return t;
}

// Rows of one series, by strategy.
std::set<std::string> variants(const Timings& t, std::size_t series) {
    std::set<std::string> all;
    for (const timing::Row& r : t.rows()) {
        if (r.series == series) {
            all.insert(r.point->what.variant);
        }
    }
    return all;
}

TEST(TimingsPlan, MeasuresTheRowsThatAreShown) {
    for (const auto& [field, text] :
         std::vector<std::pair<TimingsField, std::string>>{{TimingsField::show, "time"},
                                                           {TimingsField::mode, "warm"},
                                                           {TimingsField::elements, "2^16"},
                                                           {TimingsField::block, "fastest"},
                                                           {TimingsField::type, "f64"},
                                                           {TimingsField::quantity, "pipeline"},
                                                           {TimingsField::finish, "relaunch"},
                                                           {TimingsField::kernels, "reductions"},
                                                           {TimingsField::kernels, "scans"}}) {
        Timings t = screen();
        t.set(field, text);
        const timing::Conditions asked = t.conditions();
        timing::Series live = measured(t);
        ASSERT_FALSE(live.points.empty()) << text;
        for (const timing::Point& p : live.points) {
            EXPECT_EQ(p.what.n, asked.n);
            EXPECT_EQ(p.what.type, asked.type);
            EXPECT_EQ(p.what.mode, asked.mode);
            EXPECT_EQ(p.what.quantity, asked.quantity);
            if (asked.block && p.what.block != 0) {
                EXPECT_EQ(p.what.block, *asked.block);
            }
            // Whole reductions are compared with whole ones.
            const StrategyInfo* info = find_strategy(p.what.variant);
            if (asked.quantity == Quantity::kernel && info != nullptr && info->answer == Answer::total) {
                EXPECT_NE(p.what.finish, Finish::host) << p.what.variant << ", " << text;
            }
        }
        t.merge(std::move(live));
        EXPECT_EQ(t.conditions(), asked);
        std::set<std::string> wanted;
        for (const StrategyInfo& s : strategies()) {
            if (timing::can_be_timed(s) && timing::belongs(s.id, asked.kernels)) {
                wanted.emplace(s.id);
            }
        }
        const std::set<std::string> got = variants(t, t.shown_series().size() - 1);
        for (const std::string& id : wanted) {
            EXPECT_TRUE(got.contains(id)) << id << " is not shown at " << text;
        }
    }
}

// A recorded point with its own grid or parameters is measured with the same ones.
TEST(TimingsPlan, MeasuresTheConfigurationsThatAreShown) {
    timing::Series recorded = tests::made_up_series();
    for (timing::Point& p : recorded.points) {
        if (p.what.variant == "multiple-adds") {
            p.what.grid = 77;
        }
    }
    Timings t({recorded});
    t.set(TimingsField::figure, "samples");
    t.merge(measured(t));
    ASSERT_EQ(t.shown_series().size(), 2U);
    int compared = 0;
    for (const timing::Row& r : t.rows()) {
        if (r.series == 0 && r.summary) {
            const auto& points = t.shown_series()[1].points;
            EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const auto& p) {
                return p.what == r.point->what;
            })) << r.point->what.variant;
            ++compared;
        }
    }
    EXPECT_GE(compared, 6);
}

TEST(TimingsPlan, FollowsTheFigure) {
    Timings t = screen();
    const auto sizes_and_modes = [&] {
        std::pair<std::set<std::uint64_t>, std::set<timing::Mode>> all;
        for (const timing::Planned& p : plan_of(t, 132)) {
            all.first.insert(p.what.n);
            all.second.insert(p.what.mode);
        }
        return all;
    };
    EXPECT_EQ(sizes_and_modes().first.size(), 1U);
    EXPECT_EQ(sizes_and_modes().second.size(), 1U);
    t.set(TimingsField::figure, "modes");
    EXPECT_EQ(sizes_and_modes().first.size(), 1U);
    EXPECT_EQ(sizes_and_modes().second.size(), 2U);
    t.set(TimingsField::figure, "blocks");
    std::set<std::uint32_t> blocks;
    for (const timing::Planned& p : plan_of(t, 132)) {
        blocks.insert(p.what.block);
    }
    for (const std::uint32_t block : {128U, 256U, 512U, 1024U}) {
        EXPECT_TRUE(blocks.contains(block)) << block;
    }
    t.set(TimingsField::figure, "sizes");
    const std::set<std::uint64_t> curve{1U << 10, 1U << 13, 1U << 16, 1U << 19, 1U << 22, 1U << 25, 1U << 28};
    EXPECT_EQ(sizes_and_modes().first, curve);
    EXPECT_EQ(plan_of(t, 132).front().what.n, 1U << 22) << "what the bars show comes first";
    // The peer that gives the peak is included, though it is not a rung of the ladder.
    const auto all = plan_of(t, 132);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const auto& p) { return p.what.variant == "device-read"; }));
}

TEST(TimingsPlan, ALaterMeasurementKeepsWhatAnEarlierOneHas) {
    Timings t = screen();
    t.merge(measured(t));
    const std::size_t before = t.shown_series()[1].points.size();
    t.set(TimingsField::elements, "2^16");
    t.merge(measured(t));
    EXPECT_GT(t.shown_series()[1].points.size(), before);
    const std::size_t both = t.shown_series()[1].points.size();
    t.merge(measured(t));
    EXPECT_EQ(t.shown_series()[1].points.size(), both) << "the same experiments take the place of the old ones";
    t.set(TimingsField::elements, "2^22");
    EXPECT_FALSE(variants(t, 1).empty());
}

} // namespace
} // namespace warptree::session
