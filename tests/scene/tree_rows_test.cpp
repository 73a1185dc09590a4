// Rows of cells: where they stand, held against a search over all arrangements, and what can be read in them.
#include "app/views/tree/tree_rows.hpp"

#include "app/trace/explain/values.hpp"
#include "app/views/parts.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warptree::scene {
namespace {

using tests::kMeasure;

// The least sum of squares over places on a grid of whole pixels.
double least_cost(const std::vector<float>& homes, int apart, int low, int high) {
    std::vector<double> best(static_cast<std::size_t>(high - low) + 1, 0);
    for (std::size_t i = 0; i < homes.size(); ++i) {
        std::vector<double> next(best.size(), 1e30);
        double before = i == 0 ? 0 : 1e30;
        for (int x = low; x <= high; ++x) {
            const auto at = static_cast<std::size_t>(x - low);
            if (i > 0 && x - apart >= low) {
                before = std::min(before, best[at - static_cast<std::size_t>(apart)]);
            }
            next[at] = before + std::pow(x - static_cast<double>(homes[i]), 2);
        }
        best = next;
    }
    return *std::min_element(best.begin(), best.end());
}

TEST(Spread, IsTheNearestArrangementThatKeepsTheDistance) {
    unsigned random = 12345;
    const auto next = [&](unsigned below) { return (random = random * 1664525U + 1013904223U) / 65536U % below; };
    for (int round = 0; round < 200; ++round) {
        std::vector<float> homes;
        for (unsigned i = 0, n = 1 + next(7); i < n; ++i) {
            homes.push_back(static_cast<float>(next(100)));
        }
        std::sort(homes.begin(), homes.end());
        const auto apart = static_cast<int>(next(12));
        const auto places = spread(homes, static_cast<float>(apart), 5, 95);
        ASSERT_EQ(places.size(), homes.size());
        double cost = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_GE(places[i], 5 - 1e-3F);
            EXPECT_LE(places[i], 95 + 1e-3F);
            if (i > 0) {
                EXPECT_GE(places[i] - places[i - 1], static_cast<float>(apart) - 1e-3F);
            }
            cost += std::pow(static_cast<double>(places[i]) - static_cast<double>(homes[i]), 2);
        }
        EXPECT_LE(cost, least_cost(homes, apart, 5, 95) + 1e-3) << "round " << round;
    }
}

TEST(Spread, IsEvenWhereThereIsNoRoom) {
    EXPECT_EQ(spread(std::vector<float>{1, 2, 3}, 50, 0, 20), (std::vector<float>{0, 10, 20}));
    EXPECT_TRUE(spread({}, 5, 0, 1).empty());
}

TEST(Compact, KeepsThreeDigitsAtMost) {
    const auto all = {std::pair{"9999", "9999"},   {"12345", "12k"},  {"1234567", "1.2M"},   {"-523805862", "-524M"},
                      std::pair{"999600", "1.0M"}, {"1e+06", "1.0M"}, {"0.333", "0.333"},    {"(3, 7)", "(3, 7)"},
                      std::pair{"nan", "nan"},     {"-inf", "-inf"},  {"0x7f001000", "2.1G"}};
    for (const auto& [text, wanted] : all) {
        EXPECT_EQ(compact(text), wanted) << text;
    }
}

// The texts whose middle lies in the row of cells of a step.
std::set<std::string> texts_in_row(const Trace& trace, const Drawing& drawing, std::uint32_t step) {
    std::set<std::string> all;
    for (const Hit& hit : drawing.hits) {
        if (hit.target.kind != Target::Kind::node || trace.launches[0].nodes[hit.target.index].step != step) {
            continue;
        }
        for (const Text& text : tests::texts(drawing)) {
            if (hit.rect.contains(text.anchor)) {
                all.insert(text.text);
            }
        }
    }
    return all;
}

// Every value of every row of a tree of 64 elements is written, at full HD and in a presentation there, whatever the
// strategy; with values of three digits and a sign.
TEST(TreeRows, EveryRowOfSixtyFourElementsHasItsValues) {
    for (const char* strategy : {"sequential", "interleaved-modulo", "interleaved-strided"}) {
        RunOptions options = tests::options_of({strategy, 64, 64});
        options.input = InputKind::random;
        const Trace trace = runs::run_any(options);
        const Launch& launch = trace.launches[0];
        for (const auto& [area, scale] : {std::pair{Rect{0, 0, 1140, 590}, 1.0F}, {Rect{0, 0, 1420, 540}, 1.5F}}) {
            auto context =
                tests::context_of(trace, {0, static_cast<std::uint32_t>(launch.steps.size() - 1), 1}, kMeasure);
            context.scale = scale;
            const Drawing drawing = draw_tree(context, area, {});
            for (const Node& node : launch.nodes) {
                const auto written = texts_in_row(trace, drawing, node.step);
                EXPECT_TRUE(written.contains(value_text(trace, node)))
                    << strategy << " at " << scale << ", step " << node.step << ": " << value_text(trace, node);
            }
        }
    }
}

TEST(TreeRows, TheStepSaysItsOperandsFromWhenTheyHaveCome) {
    RunOptions options = tests::options_of({"sequential", 16, 16});
    options.input = InputKind::iota;
    const Trace trace = runs::run_any(options);
    const auto said = [&](float phase) {
        std::set<std::string> all;
        for (const Text& text :
             tests::texts(draw_tree(tests::context_of(trace, {0, 2, phase}, kMeasure), {0, 0, 1140, 590}, {}))) {
            all.insert(text.text);
        }
        return all;
    };
    // s = 4: thread t adds in[t + 4] + in[t + 12] to in[t] + in[t + 8].
    for (int t = 0; t < 4; ++t) {
        const std::string text = std::to_string(2 * t + 8) + " + " + std::to_string(2 * t + 16);
        EXPECT_TRUE(said(1).contains(text)) << text;
        EXPECT_TRUE(said(0.5F).contains(text)) << text;
        EXPECT_FALSE(said(0.2F).contains(text)) << text;
    }
}

} // namespace
} // namespace warptree::scene
