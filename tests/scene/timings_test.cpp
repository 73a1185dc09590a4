// What the Timings screen shows, and that values are drawn where they belong.
#include "app/base/error.hpp"
#include "app/features/timings/state/timings.hpp"
#include "tests/support/scene_fixture.hpp"
#include "tests/support/timing_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warptree {
namespace {

using TimingsField = session::Timings::Field;
using tests::kMeasure;
scene::PlotContext context() { return {&scene::theme(scene::ThemeName::light), &kMeasure, 1}; }

timing::Series published() {
    timing::Series s{"Old (published)", {}, {}};
    s.provenance.source = "a book";
    for (const auto& [variant, ms] : {std::pair{"interleaved-modulo", 8.0}, {"sequential", 2.0}}) {
        timing::Point p;
        p.what.variant = variant;
        p.what.n = 1 << 22;
        p.what.block = 128;
        p.what.mode = timing::Mode::unstated;
        p.what.finish = Finish::relaunch;
        p.bytes = 4ULL << 22;
        p.published_seconds = ms / 1e3;
        s.points.push_back(p);
    }
    return s;
}
session::Timings two() { return session::Timings({tests::made_up_series(), published()}); }

TEST(Timings, ShowWhatFitsAndRemember) {
    session::Timings t = two();
    EXPECT_EQ(t.shown_series().size(), 2U);
    t.set(TimingsField::elements, "2^28");
    t.set(TimingsField::block, "fastest");
    t.set(TimingsField::show, "bandwidth");
    t.set(TimingsField::figure, "samples");
    t.set(TimingsField::mode, "warm");
    t.set(TimingsField::finish, "relaunch");
    t.show(1, false);
    session::Timings back = two();
    back.restore(t.values());
    EXPECT_EQ(back.values(), t.values());
    EXPECT_EQ(back.conditions(), t.conditions());
    EXPECT_EQ(back.shown_series().size(), 1U);
    auto damaged = t.values();
    damaged["n"] = "many";
    damaged["show"] = "beauty";
    back.restore(damaged);
    EXPECT_EQ(back.conditions(), t.conditions()) << "what cannot be used is left out";
}

TEST(Timings, RefuseWithWhatWorks) {
    session::Timings t = two();
    const auto before = t.values();
    for (const auto& [field, text] : {std::pair{TimingsField::elements, "0"},
                                      {TimingsField::elements, "x"},
                                      {TimingsField::block, "2048"},
                                      {TimingsField::block, "0"},
                                      {TimingsField::type, "f16"},
                                      {TimingsField::op, "mean"},
                                      {TimingsField::mode, "unstated"},
                                      {TimingsField::quantity, "all"},
                                      {TimingsField::finish, "never"},
                                      {TimingsField::kernels, "best"},
                                      {TimingsField::show, "beauty"},
                                      {TimingsField::figure, "pie"}}) {
        const auto taken = [&t, f = field, x = std::string(text)] { t.set(f, x); };
        EXPECT_THAT(taken, testing::ThrowsMessage<OptionError>(testing::HasSubstr("take "))) << text;
    }
    EXPECT_EQ(t.values(), before);
    EXPECT_THAT([&] { t.show_only({"nothing of that name"}); },
                testing::ThrowsMessage<OptionError>(testing::HasSubstr("Made-up GPU")));
}

TEST(Timings, TurnThroughWhatWasMeasured) {
    session::Timings t = two();
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
        t.turn(TimingsField::elements, 1);
        seen.insert(t.value(TimingsField::elements));
    }
    EXPECT_EQ(seen, (std::set<std::string>{"2^10", "2^13", "2^16", "2^19", "2^22", "2^25", "2^28"}));
    for (const TimingsField f : session::Timings::kFields) {
        const auto all = t.choices(f);
        EXPECT_NE(std::find(all.begin(), all.end(), t.value(f)), all.end()) << session::id(f);
        t.turn(f, 1);
        t.turn(f, -1);
    }
    EXPECT_EQ(t.values(), [&] {
        session::Timings same = two();
        same.set(TimingsField::elements, t.value(TimingsField::elements));
        return same.values();
    }());
}

TEST(Timings, TheSelectionKeepsItsKernel) {
    session::Timings t = two();
    EXPECT_FALSE(t.selected());
    t.move(1);
    t.move(1);
    ASSERT_TRUE(t.selected());
    const std::string variant = t.rows()[*t.selected()].point->what.variant;
    EXPECT_EQ(variant, "interleaved-strided");
    t.set(TimingsField::elements, "2^28");
    EXPECT_EQ(t.rows()[*t.selected()].point->what.variant, variant);
    t.set(TimingsField::kernels, "scans");
    EXPECT_FALSE(t.selected());
    t.move(1); // nothing to go to
    t.set(TimingsField::kernels, "ladder");
    EXPECT_EQ(t.rows()[*t.selected()].point->what.variant, variant);
    t.move(-2);
    EXPECT_EQ(*t.selected(), t.rows().size() - 1) << "goes round";
}

TEST(Timings, TheBlockGoesWithTheKernelsUnlessOneWasAskedFor) {
    session::Timings t = two();
    EXPECT_EQ(t.value(TimingsField::block), "128");
    t.set(TimingsField::kernels, "scans");
    EXPECT_EQ(t.value(TimingsField::block), "fastest");
    t.set(TimingsField::kernels, "ladder");
    EXPECT_EQ(t.value(TimingsField::block), "128");
    t.set(TimingsField::block, "256");
    t.set(TimingsField::kernels, "reductions");
    EXPECT_EQ(t.value(TimingsField::block), "256");
    session::Timings again = two();
    again.restore(t.values());
    EXPECT_EQ(again.values(), t.values());
}

TEST(Timings, AnOpenedFileIsShownWhereItHasSomething) {
    session::Timings t = two();
    timing::Series scan{"Mine", {}, {tests::timed("scan-warp", 1000, 1e-6, 64)}};
    t.add({scan});
    t.go_to("Mine");
    EXPECT_EQ(t.value(TimingsField::kernels), "scans");
    EXPECT_EQ(t.value(TimingsField::elements), "1000");
    ASSERT_EQ(t.rows().size(), 1U);
    scan.points[0].what.n = 2000;
    t.add({scan}); // replaces the one with that name
    EXPECT_EQ(t.count(), 3U);
    EXPECT_TRUE(t.rows().empty());
    t.show_fitting();
    EXPECT_TRUE(t.shown_series().empty());
}

// A logarithmic axis has no zero, so values are equal marks, without lengths to compare.
TEST(TimingsScene, OnALogarithmicAxisValuesAreMarksNotBars) {
    scene::Groups groups;
    groups.axis = {"", scene::AxisScale::log2, 1, 64};
    groups.series = {"a"};
    groups.groups = {{"one", {{2, "2×", {}, {}}}}, {"two", {{8, "8×", {}, {}}}}, {"three", {{32, "32×", {}, {}}}}};
    const scene::Drawing d = scene::draw_groups(context(), {0, 0, 600, 300}, groups, nullptr);
    std::vector<scene::Rect> marks;
    for (const scene::Box& b : d.layers[0].boxes) {
        marks.push_back(b.rect);
    }
    ASSERT_EQ(marks.size(), 3U);
    for (const scene::Rect& m : marks) {
        EXPECT_FLOAT_EQ(m.w, marks[0].w);
        EXPECT_LT(m.w, 12);
    }
    EXPECT_NEAR(marks[1].x - marks[0].x, marks[2].x - marks[1].x, 0.5) << "equal factors are equally far apart";
    EXPECT_GT(marks[1].x, marks[0].x + 50);
}

TEST(TimingsScene, BarsAreAsLongAsTheSpeedUps) {
    scene::Groups groups;
    groups.axis = {"", scene::AxisScale::linear, 0, 10};
    groups.series = {"a", "b"};
    groups.groups = {{"one", {{2, "2×", {}, {}}, {4, "4×", {}, {}}}},
                     {"two", {{8, "8×", {}, {}}, {std::nullopt, "not measured", {}, {}}}}};
    std::vector<scene::PlotHit> hits;
    const scene::Drawing d = scene::draw_groups(context(), {0, 0, 600, 300}, groups, &hits);
    std::vector<float> widths; // two keys of the legend, then the bars
    for (const scene::Box& b : d.layers[0].boxes) {
        widths.push_back(b.rect.w);
    }
    ASSERT_EQ(widths.size(), 5U);
    EXPECT_NEAR(widths[3], 2 * widths[2], 0.01);
    EXPECT_NEAR(widths[4], 4 * widths[2], 0.01);
    EXPECT_EQ(hits.size(), 4U) << "a missing value can be pointed at, too";
    const auto texts = tests::texts(d);
    for (const char* wanted : {"not measured", "8×", "one", "two", "a", "b"}) {
        EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.text == wanted; })) << wanted;
    }
}

TEST(TimingsScene, NamesStandBesideTheEndsOfTheirCurves) {
    scene::Plot plot;
    plot.x = {"n", scene::AxisScale::linear, 0, 1};
    plot.y = {"y", scene::AxisScale::linear, 0, 10};
    plot.label_ends = true;
    for (int i = 0; i < 6; ++i) { // the ends of five lie close together
        plot.series.push_back({std::string(1, static_cast<char>('a' + i)), {{0, 0}, {1, i == 0 ? 9.0 : 2 + 0.01 * i}}});
    }
    const auto texts = tests::texts(scene::draw_plot(context(), {0, 0, 500, 300}, plot));
    std::vector<std::pair<float, std::string>> names;
    for (const auto& t : texts) {
        if (t.text.size() == 1 && t.text[0] >= 'a' && t.text[0] <= 'f') {
            names.emplace_back(t.anchor.y, t.text);
            EXPECT_GT(t.anchor.x, 300);
        }
    }
    std::sort(names.begin(), names.end());
    ASSERT_EQ(names.size(), 6U);
    std::string order;
    for (std::size_t i = 0; i < names.size(); ++i) {
        order += names[i].second;
        EXPECT_TRUE(i == 0 || names[i].first - names[i - 1].first >= 13) << "apart by a line";
    }
    EXPECT_EQ(order, "afedcb") << "in the order of the ends, from above";
}

TEST(TimingsScene, SaysWhyAKernelIsAboveWhatWasMeasured) {
    timing::Series series = tests::made_up_series();
    const auto said = [&] {
        session::Timings t({series});
        t.set(TimingsField::show, "bandwidth");
        std::string all;
        for (const auto& text : tests::texts(scene::compose_timings(context(), 1400, 900, t.view()))) {
            all += text.text + " ";
        }
        return all;
    };
    EXPECT_EQ(said().find("above the measured line"), std::string::npos) << "none is";
    const std::uint64_t n = 1ULL << 28;
    for (timing::Point& p : series.points) {
        if (p.what.variant == "multiple-adds" && p.what.n == n) {
            p = tests::timed("multiple-adds", n, 4.0 * static_cast<double>(n) / 3.9e12, 128, p.what.mode);
        }
    }
    const std::string why = said();
    EXPECT_NE(why.find("multiple-adds is "), std::string::npos) << why;
    EXPECT_NE(why.find("above the measured line at n = 2^28"), std::string::npos) << why;
    EXPECT_NE(why.find("device-read"), std::string::npos) << why;
    EXPECT_NE(why.find("B = 128, relaunch"), std::string::npos) << why;
}

TEST(TimingsScene, ErrorBarsSpanTheQuartiles) {
    scene::Plot plot;
    plot.x = {"", scene::AxisScale::linear, 0, 2};
    plot.y = {"", scene::AxisScale::linear, 0, 10};
    plot.series = {{"", {{1, 5, 2, 8}}, true}};
    const scene::Drawing with = scene::draw_plot(context(), {0, 0, 400, 300}, plot);
    plot.series[0].points[0] = {1, 5};
    const scene::Drawing without = scene::draw_plot(context(), {0, 0, 400, 300}, plot);
    const auto& curves = with.layers[0].curves;
    ASSERT_EQ(curves.size(), without.layers[0].curves.size() + 3) << "a bar and its two ends";
    float field = 0;
    for (const auto& c : without.layers[0].curves) {
        field = std::max(field, std::abs(c.from.y - c.to.y));
    }
    const auto bar = std::find_if(curves.end() - 3, curves.end(),
                                  [](const scene::Curve& c) { return c.from.x == c.to.x && c.from.y != c.to.y; });
    ASSERT_NE(bar, curves.end());
    EXPECT_NEAR(std::abs(bar->from.y - bar->to.y), field * 0.6F, 0.5F);
}

TEST(TimingsScene, EveryRowAndBarCanBePointedAt) {
    const session::Timings t = two();
    const auto d = scene::draw_timings(context(), {0, 0, 1600, 1000}, t.view());
    EXPECT_EQ(d.parts, 3);
    for (const timing::Row& row : t.rows()) {
        EXPECT_GE(std::count_if(d.hits.begin(), d.hits.end(), [&](const auto& h) { return h.point == row.point; }), 2)
            << row.point->what.variant;
    }
    for (const scene::TimingHit& h : d.hits) {
        const auto* found = d.at({h.rect.x + h.rect.w / 2, h.rect.y + h.rect.h / 2});
        ASSERT_NE(found, nullptr);
        EXPECT_FALSE(scene::describe(t.shown_series()[found->series], *found->point, nullptr).empty());
    }
    EXPECT_EQ(d.at({-5, -5}), nullptr);
}

TEST(TimingsScene, BlockSizesStandSideBySide) {
    timing::Series series{"Blocks", {}, {}};
    for (const std::uint32_t block : {128U, 256U, 512U}) {
        series.points.push_back(tests::timed("sequential", 1 << 22, 1e-6 * block, block));
        if (block != 256) {
            series.points.push_back(tests::timed("first-add", 1 << 22, 2e-6 * block, block));
        }
    }
    session::Timings t({series});
    t.set(TimingsField::figure, "blocks");
    t.set(TimingsField::show, "time");
    const auto d = scene::draw_timings(context(), {0, 0, 1600, 1000}, t.view());
    const auto texts = tests::texts(d.drawing);
    const auto said = [&](const std::string& wanted) {
        return std::count_if(texts.begin(), texts.end(), [&](const auto& text) { return text.text == wanted; });
    };
    EXPECT_EQ(said("B = 128"), 1);
    EXPECT_EQ(said("B = 512"), 1);
    EXPECT_EQ(said("B = 256"), 0) << "only one kernel has it";
    EXPECT_EQ(said(timing::time_text(1e-6 * 512)), 1);
    EXPECT_EQ(said(timing::time_text(2e-6 * 512)), 1);
    for (const timing::Point& p : t.shown_series()[0].points) {
        EXPECT_EQ(std::any_of(d.hits.begin(), d.hits.end(), [&](const auto& h) { return h.point == &p; }),
                  p.what.block != 256);
    }
    t.set(TimingsField::elements, "1000");
    const auto none = tests::texts(scene::draw_timings(context(), {0, 0, 1600, 1000}, t.view()).drawing);
    EXPECT_TRUE(std::any_of(none.begin(), none.end(), [](const auto& text) {
        return text.text.find("no shown series has two block sizes") != std::string::npos;
    }));
}

TEST(TimingsScene, APointSaysEverythingItKnows) {
    const session::Timings t = two();
    const auto row = std::find_if(t.rows().begin(), t.rows().end(),
                                  [](const auto& r) { return r.point->what.variant == "sequential"; });
    const std::string measured = scene::describe(t.shown_series()[0], *row->point, &*row);
    for (const char* wanted :
         {"sequential", "2^22 int sum", "B = 128", "relaunch", "cold", "median", "quartiles", "25 samples", "noise-low",
          "checked", "of the theoretical 4000 GB/s", "step", "cumulative", "0123abc", "2026-01-02", "Made-up GPU"}) {
        EXPECT_THAT(measured, testing::HasSubstr(wanted));
    }
    const std::string old = scene::describe(t.shown_series()[1], *t.rows().back().point, &t.rows().back());
    for (const char* wanted : {"as published", "a book", "cache not stated", "cumulative 4.00×"}) {
        EXPECT_THAT(old, testing::HasSubstr(wanted));
    }
}

} // namespace
} // namespace warptree
