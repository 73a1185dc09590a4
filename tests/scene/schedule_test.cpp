// The block schedule, and the recorded facts beside a step, on made-up recordings.
#include "app/measure/counters/counters.hpp"
#include "app/views/parts.hpp"
#include "app/views/recorded.hpp"
#include "app/views/schedule/schedule.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::scene {
namespace {

// Twelve blocks of 1000 ns on 2 of 4 multiprocessors, two at a time on each.
clocks::Recording recording() {
    clocks::Recording r;
    r.device = "NVIDIA H200";
    r.strategy = "sequential";
    r.n = 3072;
    r.block = 64;
    r.multiprocessors = 4;
    r.plain_us = 4;
    r.clocked_us = 5;
    for (std::uint32_t b = 0; b < 12; ++b) {
        const std::uint64_t begin = std::uint64_t{1000} * (b / 4);
        r.blocks.push_back({b % 2 == 0 ? 0U : 3U, begin, begin + 1000});
    }
    r.steps = {{"load", 24, 300, 400, 500, 120}, {"s = 32", 24, 50, 60, 70, 25}};
    return r;
}

TEST(Schedule, DrawsEachBlockOfAMultiprocessorOnce) {
    const tests::EvenMeasure measure;
    const clocks::Recording r = recording();
    const Theme& t = theme(ThemeName::dark);
    const Drawing d = draw_schedule(r, t, measure, 1, {10, 20, 900, 500});
    std::vector<Rect> bars;
    for (const Box& box : d.layers[0].boxes) {
        if (box.fill == t.accent_fill) {
            bars.push_back(box.rect);
        }
    }
    ASSERT_EQ(bars.size(), r.blocks.size()) << "both multiprocessors have room";
    for (std::size_t i = 0; i < bars.size(); ++i) {
        EXPECT_TRUE(inside(inset(d.clip, -1), bars[i]));
        for (std::size_t j = i + 1; j < bars.size(); ++j) {
            EXPECT_FALSE(inset(bars[i], 0.1F).overlaps(inset(bars[j], 0.1F))) << i << " and " << j;
        }
    }
    // Each takes a third of the time.
    EXPECT_NEAR(bars[0].w * 3, bars[0].w + bars[2].w + bars[4].w, 0.1F);
}

TEST(Schedule, FitsEverySizeAndScale) {
    const tests::EvenMeasure measure;
    const clocks::Recording r = recording();
    for (const auto& [w, h] : {std::pair{1240.0F, 640.0F}, std::pair{690.0F, 350.0F}, std::pair{330.0F, 240.0F},
                               std::pair{90.0F, 60.0F}, std::pair{10.0F, 10.0F}}) {
        for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
            const Drawing d = compose_schedule(r, theme(ThemeName::light), measure, scale, w, h);
            const auto all = tests::texts(d);
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Rect at = tests::extent(all[i], measure);
                EXPECT_TRUE(inside(inset(d.clip, -0.5F), at)) << all[i].text << " at " << w << " scale " << scale;
                for (std::size_t j = i + 1; j < all.size(); ++j) {
                    EXPECT_FALSE(inset(at, 0.5F).overlaps(inset(tests::extent(all[j], measure), 0.5F)))
                        << all[i].text << " and " << all[j].text << " at " << w << "x" << h << " scale " << scale;
                }
            }
        }
    }
}

TEST(Schedule, SaysWhatItShows) {
    const std::string text = schedule_sentence(recording());
    EXPECT_EQ(text, "12 blocks on 2 multiprocessors, at most 2 at a time on one; the last ends after 3.0 µs. The clock "
                    "readings make the launch 25 % longer.");
}

TEST(Recorded, CyclesOfTheStepByItsLabel) {
    const Trace& trace = tests::trace_of({"sequential", 64, 64});
    const auto facts = clock_facts(trace, {0, 1, 1}, recording());
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].label, "H200 cycles");
    EXPECT_EQ(facts[0].value, "60");
    EXPECT_THAT(facts[0].note, testing::EndsWith("B = 64, int: a warp in this step, 25 of them at barriers"));
    EXPECT_TRUE(clock_facts(trace, {0, 2, 1}, recording()).empty()) << "s = 16 was not recorded";
    clocks::Recording other = recording();
    other.block = 256;
    EXPECT_TRUE(clock_facts(trace, {0, 1, 1}, other).empty()) << "another launch";
    other = recording();
    other.type = ElementType::f64;
    EXPECT_TRUE(clock_facts(trace, {0, 1, 1}, other).empty());
}

TEST(Recorded, CountsAsPredictedOrNot) {
    const Trace& trace = tests::trace_of({"sequential", 64, 64});
    counters::Recording r;
    r.device = "NVIDIA H200";
    counters::Row row;
    row.strategy = "sequential";
    row.n = 4096;
    row.block = 64;
    row.predicted.shared_load_requests = row.counted.shared_load_requests = 9;
    row.predicted.shared_load_wavefronts = row.counted.shared_load_wavefronts = 95;
    r.rows.push_back(row);
    auto facts = counter_facts(trace, r, {});
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[0].value, "as predicted");
    EXPECT_FALSE(facts[0].attention);
    EXPECT_THAT(facts[0].note, testing::HasSubstr("n = 4,096, B = 64, int: wavefronts predicted 95, counted 95"));
    r.rows[0].counted.shared_load_wavefronts = 96;
    r.rows[0].divergent_branches = 3;
    facts = counter_facts(
        trace, r,
        {{"sequential", "shared_load_wavefronts", "", 0, counters::Formula("predicted + 1"), {}, {}, "a reason"}});
    EXPECT_EQ(facts[0].value, "1 differs, for a known reason");
    EXPECT_FALSE(facts[0].attention) << "no alarm where the reason is known";
    EXPECT_THAT(facts[0].note,
                testing::EndsWith(", counted 96. Shared load wavefronts: 95 predicted, 96 counted. a reason."));
    EXPECT_EQ(facts[1].value, "branches");
    // A reason that several counters share is given once.
    r.rows[0].counted.shared_load_requests = 12;
    facts = counter_facts(trace, r, {});
    EXPECT_EQ(facts[0].value, "2 differ, not all explained");
    EXPECT_TRUE(facts[0].attention);
    EXPECT_THAT(facts[0].note,
                testing::EndsWith("Shared load requests: 9 predicted, 12 counted; shared load wavefronts: "
                                  "95 predicted, 96 counted. Not explained."));
    EXPECT_TRUE(counter_facts(tests::trace_of({"first-add", 64, 64}), r, {}).empty());
    r.rows[0].block = 128;
    EXPECT_TRUE(counter_facts(trace, r, {}).empty()) << "counted in other blocks";
}

} // namespace
} // namespace warptree::scene
