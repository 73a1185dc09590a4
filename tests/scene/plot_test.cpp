// Axes, ticks, numbers, and that values are drawn where they belong.
#include "app/views/plots/plot.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warptree::scene {
namespace {

using tests::kMeasure;
PlotContext context(float scale = 1) { return {&theme(ThemeName::light), &kMeasure, scale}; }

TEST(PlotAxis, TicksAreRoundInsideAndFew) {
    for (const auto& [from, to] : {std::pair{0.0, 1.0}, {0.0, 1024.0}, {-3.7, 12.2}, {0.0, 86.4}, {0.0, 1e-5}}) {
        for (const int most : {2, 5, 9}) {
            const auto all = ticks({"", AxisScale::linear, from, to}, most);
            ASSERT_GE(all.size(), 1U);
            EXPECT_LE(static_cast<int>(all.size()), most + 2);
            for (const Tick& t : all) {
                EXPECT_GE(t.at, from - 1e-9 * (to - from));
                EXPECT_LE(t.at, to + 1e-9 * (to - from));
            }
        }
    }
    const auto powers = ticks({"", AxisScale::log2, 1, 1 << 20}, 6);
    ASSERT_GE(powers.size(), 3U);
    EXPECT_LE(powers.size(), 7U);
    for (const Tick& t : powers) {
        EXPECT_EQ(t.at, std::exp2(std::round(std::log2(t.at))));
    }
    EXPECT_EQ(powers.back().text, "2^20");
    EXPECT_EQ(ticks({"", AxisScale::log10, 1, 1000}, 9).size(), 4U);
}

TEST(PlotAxis, NumbersAreShort) {
    for (const auto& [value, text] : {std::pair{0.0, "0"},
                                      {0.25, "0.25"},
                                      {1024.0, "1024"},
                                      {16384.0, "16.4k"},
                                      {1048576.0, "1.05M"},
                                      {1.2e12, "1.2T"},
                                      {1e-7, "1e-07"},
                                      {-2.5, "-2.5"},
                                      {9999.0, "9999"},
                                      {1e4, "10k"}}) {
        EXPECT_EQ(short_number(value), text);
    }
}

TEST(PlotAxis, FractionsAreWhereTheyShouldBe) {
    EXPECT_DOUBLE_EQ(fraction({"", AxisScale::linear, 2, 4}, 3), 0.5);
    EXPECT_NEAR(fraction({"", AxisScale::log2, 1, 16}, 4), 0.5, 1e-12);
    EXPECT_NEAR(fraction({"", AxisScale::log10, 0.01, 100}, 1), 0.5, 1e-12);
    const Axis span = spanning("", AxisScale::log10, {3, 800, 0, -1, std::numeric_limits<double>::infinity()});
    EXPECT_DOUBLE_EQ(span.from, 1);
    EXPECT_DOUBLE_EQ(span.to, 1000);
    for (const AxisScale scale : {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
        for (const std::vector<double>& values : {std::vector<double>{}, {5}, {8, 8}, {0}, {1e-9, 2}}) {
            const Axis axis = spanning("", scale, values);
            EXPECT_LT(axis.from, axis.to);
            EXPECT_TRUE(scale == AxisScale::linear || axis.from > 0);
        }
    }
}

Plot sample() {
    Plot plot;
    plot.x = {"n", AxisScale::log2, 1, 1024};
    plot.y = {"time", AxisScale::linear, 0, 10};
    plot.series = {{"one", {{1, 1}, {32, 5}, {1024, 10}}, true, false},
                   {"two", {{1, 10}, {1024, 0}}, false, true},
                   {"beyond", {{0, 1}, {2, 400}, {4, std::numeric_limits<double>::quiet_NaN()}, {8, 3}}, true, false}};
    plot.marks = {{32.0, 5.0, "here"}, {std::nullopt, 7.0, "level"}, {99999.0, std::nullopt, "outside"}};
    return plot;
}

TEST(Plot, DrawsNothingOutsideItsArea) {
    for (const Rect area : {Rect{10, 20, 640, 400}, Rect{0, 0, 240, 150}, Rect{5, 5, 60, 40}, Rect{3, 3, 1, 1}}) {
        const Drawing d = draw_plot(context(), area, sample());
        for (const Layer& layer : d.layers) {
            for (const Curve& c : layer.curves) {
                for (const Point p : {c.from, c.to}) {
                    EXPECT_TRUE(p.x >= area.x - 0.5F && p.x <= area.right() + 0.5F && p.y >= area.y - 0.5F &&
                                p.y <= area.bottom() + 0.5F)
                        << p.x << ", " << p.y;
                }
            }
        }
    }
}

TEST(Plot, MarksAPointWhereItsValuesAre) {
    Plot plot = sample();
    plot.series = {{"", {{32, 5}}, true, false}};
    plot.marks.clear();
    const Drawing d = draw_plot(context(), {0, 0, 640, 400}, plot);
    ASSERT_EQ(d.layers[0].boxes.size(), 1U);
    const Rect disc = d.layers[0].boxes[0].rect;
    // 32 is half way from 1 to 1024 and 5 half way from 0 to 10: in the middle of the grid.
    float left = 640, right = 0, top = 400, bottom = 0;
    for (const Curve& c : d.layers[0].curves) {
        left = std::min({left, c.from.x, c.to.x});
        right = std::max({right, c.from.x, c.to.x});
        top = std::min({top, c.from.y, c.to.y});
        bottom = std::max({bottom, c.from.y, c.to.y});
    }
    EXPECT_NEAR(disc.x + disc.w / 2, (left + right) / 2, 0.5);
    EXPECT_NEAR(disc.y + disc.h / 2, (top + bottom) / 2, 0.5);
}

TEST(Bars, AreAsLongAsTheirValues) {
    Bars bars;
    bars.axis = {"registers", AxisScale::linear, 0, 40};
    bars.bars = {{"a", {10}, "", false}, {"b", {20}, "twenty", true}, {"none", {-1}, "not run", false}};
    const Drawing d = draw_bars(context(), {0, 0, 500, 200}, bars);
    ASSERT_EQ(d.layers[0].boxes.size(), 2U);
    EXPECT_NEAR(d.layers[0].boxes[1].rect.w, 2 * d.layers[0].boxes[0].rect.w, 0.01);
    EXPECT_NE(d.layers[0].boxes[1].pattern, d.layers[0].boxes[0].pattern) << "attention by more than colour";
    bars.bars.resize(200, {"many", {3}, "", false});
    const Drawing cut = draw_bars(context(), {0, 0, 500, 200}, bars);
    const auto texts = tests::texts(cut);
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const Text& t) { return t.text.ends_with(" more"); }));
}

} // namespace
} // namespace warptree::scene
