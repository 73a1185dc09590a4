// Races, deadlocks and wrong results as shown in the sentence, the tree and the warp grid.
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warptree::scene {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using tests::kMeasure;

std::size_t count_boxes(const Drawing& d, const Box& like, std::size_t layer) {
    const auto same = [&](const Box& b) {
        return b.fill == like.fill && b.pattern == like.pattern && b.stroke == like.stroke;
    };
    return static_cast<std::size_t>(std::count_if(d.layers[layer].boxes.begin(), d.layers[layer].boxes.end(), same));
}

bool says(const Drawing& d, std::string_view words) {
    const auto all = tests::texts(d);
    return std::any_of(all.begin(), all.end(), [&](const Text& t) { return t.text == words; });
}

TEST(ExhibitViews, TheSentenceNamesTheRaceAndTheWrongResult) {
    const Trace& t = tests::trace_of({"missing-barrier", 128, 128});
    EXPECT_THAT(summarize(t, tests::moment_at(t, "s = 32")).sentence,
                AllOf(HasSubstr("Threads race: "), HasSubstr("Thread 0 reads sdata[32] in step s = 32"),
                      HasSubstr("thread 32, of another warp, writes it in step s = 64"),
                      HasSubstr("in-order and lockstep the read comes first")));
    EXPECT_THAT(summarize(t, tests::moment_at(t, "s = 64")).sentence, Not(HasSubstr("race")));
    const StepSummary last = summarize(t, tests::moment_at(t, "store"));
    EXPECT_THAT(last.sentence, HasSubstr("The result is wrong: " + to_string(t.result) + " instead of 8128."));
    EXPECT_TRUE(last.facts.back().attention);
    EXPECT_EQ(last.facts.back().value, to_string(t.result));
    const Trace& right = tests::trace_of({"sequential", 128, 128});
    EXPECT_THAT(summarize(right, tests::moment_at(right, "store")).sentence, Not(HasSubstr("wrong")));
}

TEST(ExhibitViews, TheHostSaysSoWhenTheSumIsWrong) {
    const Trace& t = tests::trace_of({"missing-barrier", 1000, 256});
    ASSERT_GT(t.host_partials, 1U);
    EXPECT_THAT(summarize(t, {1, 0, 1}).sentence, HasSubstr("It is wrong: 499500 would be right."));
    EXPECT_THAT(summarize(t, tests::moment_at(t, "store")).sentence, Not(HasSubstr("wrong")));
}

TEST(ExhibitViews, TheSentenceSaysWhoWaitsForWhom) {
    const Trace& t = tests::trace_of({"barrier-in-branch", 128, 128});
    EXPECT_THAT(summarize(t, tests::moment_at(t, "s = 64")).sentence,
                AllOf(HasSubstr("In block 0 threads 0-63 wait forever at line "),
                      HasSubstr("where all 128 would have to arrive")));
    EXPECT_THAT(summarize(t, tests::moment_at(t, "s = 1")).sentence,
                AllOf(HasSubstr("threads 64-127 wait forever"),
                      HasSubstr("The launch never completes, and there is no result.")));
}

TEST(ExhibitViews, TheSentenceTellsTwoPathsFromLanesSwitchedOff) {
    const Trace& t = tests::trace_of({"divergence-thread", 1000, 256, Finish::relaunch});
    for (const char* side : {"if", "else"}) { // one after the other
        EXPECT_THAT(summarize(t, tests::moment_at(t, side)).sentence, HasSubstr("warps have inactive lanes")) << side;
    }
    const Trace& b = tests::trace_of({"divergence-block", 5000, 64, Finish::relaunch});
    for (const char* side : {"if", "else"}) {
        EXPECT_THAT(summarize(b, tests::moment_at(b, side)).sentence, HasSubstr("no warp diverges")) << side;
    }
}

// A mark for each racing access: the lane that reads too early and the one that writes too late.
TEST(ExhibitViews, TheWarpGridMarksTheLanesThatRace) {
    const Trace& t = tests::trace_of({"missing-barrier", 128, 128});
    const Launch& l = t.launches[0];
    std::set<std::pair<unsigned, unsigned>> accesses;
    for (const Hazard& h : l.hazards) {
        accesses.insert({h.first_step, h.first_thread});
        accesses.insert({h.second_step, h.second_thread});
    }
    for (const ThemeName name : kThemeNames) {
        const auto context = tests::context_of(t, tests::moment_at(t, "s = 32"), kMeasure, name);
        const Theme& theme = *context.theme;
        const Drawing d = draw_warps(context, {0, 0, 1400, 500}, 0);
        Box mark;
        mark.fill = theme.hazard;
        mark.pattern = Pattern::cross_hatch;
        EXPECT_EQ(count_boxes(d, mark, 2), accesses.size() + 1) << "and one in the legend";
        EXPECT_TRUE(says(d, "races"));
        const Trace& clean = tests::trace_of({"sequential", 128, 128});
        const auto other = tests::context_of(clean, tests::moment_at(clean, "s = 32"), kMeasure, name);
        EXPECT_EQ(count_boxes(draw_warps(other, {0, 0, 1400, 500}, 0), mark, 2), 0U);
    }
}

TEST(ExhibitViews, TheWarpGridFramesLanesThatWaitForEver) {
    const Trace& t = tests::trace_of({"barrier-in-branch", 128, 128});
    const Drawing d = draw_warps(tests::context_of(t, tests::moment_at(t, "s = 64"), kMeasure), {0, 0, 1400, 500}, 0);
    const auto all = tests::texts(d);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Text& x) { return x.text == "waits forever"; }), 5)
        << "four warps and the legend";
}

TEST(ExhibitViews, WordsNeverOverlapInTheWarpGrid) {
    for (const tests::Case& c :
         {tests::Case{"missing-barrier", 128, 128}, tests::Case{"barrier-in-branch", 128, 128},
          tests::Case{"barrier-in-branch", 2048, 1024}, tests::Case{"missing-syncwarp", 64, 64}}) {
        const Trace& t = tests::trace_of(c);
        for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
            for (const Rect area : {Rect{0, 0, 520, 260}, Rect{5, 5, 900, 400}, Rect{0, 0, 1800, 700}}) {
                const Drawing d =
                    draw_warps(tests::context_of(t, {0, 1, 1}, kMeasure, ThemeName::dark, scale), area, 0);
                const auto all = tests::texts(d);
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const Rect a = tests::extent(all[i], kMeasure);
                    EXPECT_TRUE(inside(area, a)) << all[i].text;
                    for (std::size_t k = 0; k < i; ++k) {
                        EXPECT_FALSE(a.overlaps(tests::extent(all[k], kMeasure)))
                            << tests::title(c) << " " << scale << ": " << all[i].text << " on " << all[k].text;
                    }
                }
            }
        }
    }
}

} // namespace
} // namespace warptree::scene
