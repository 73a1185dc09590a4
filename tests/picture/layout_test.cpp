// With the fonts that pictures use: no two texts overlap, none leaves its area, in any size, scale and step.
#include "app/render/cairo/cairo_text.hpp"
#include "tests/support/cairo_measure.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/scene_fixture.hpp"
#include "tests/support/text_layout.hpp"

#include <gtest/gtest.h>

namespace warptree::scene {
namespace {

using tests::measure;

void expect_clean(const Drawing& drawing, const std::string& where) { tests::expect_clean(drawing, measure(), where); }

class Layout : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, Layout, testing::ValuesIn(tests::cases()));

TEST_P(Layout, KeepsTextsApartAndInside) {
    const Trace& trace = tests::trace_of(GetParam());
    const auto moments = tests::moments(trace);
    for (const auto& [w, h] : {std::pair{1240.0F, 640.0F}, std::pair{690.0F, 350.0F}, std::pair{330.0F, 240.0F},
                               std::pair{150.0F, 90.0F}, std::pair{2500.0F, 1300.0F}}) {
        for (const float scale : tests::sampled<float>({0.75F, 1.0F, 1.5F, 3.0F}, {1.5F})) {
            for (std::size_t m = 0; m < moments.size(); m += 1 + moments.size() / 4) {
                const ViewContext context = tests::context_of(trace, moments[m], measure(), ThemeName::dark, scale);
                const Rect area{17, 9, w, h};
                const std::string where = tests::title(GetParam()) + " " + std::to_string(static_cast<int>(w)) + "x" +
                                          std::to_string(static_cast<int>(h)) + " scale " + std::to_string(scale) +
                                          " place " + std::to_string(m);
                expect_clean(draw_tree(context, area, {}), where + " tree");
                expect_clean(draw_warps(context, area, 0), where + " warps");
                expect_clean(draw_banks(context, area), where + " banks");
                expect_clean(draw_source(context, area), where + " source");
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(Layout, StaysCleanWhenZoomed) {
    const Trace& trace = tests::trace_of(GetParam());
    const ViewContext context = tests::context_of(trace, tests::moments(trace).front(), measure());
    const Rect area{17, 9, 900, 500};
    for (const float zoom : tests::sampled<float>({0.3F, 1.7F, 4.0F, 12.0F}, {0.3F, 4.0F})) {
        for (const float pan : {0.0F, -700.0F, 200.0F}) {
            expect_clean(draw_tree(context, area, {.zoom = zoom, .pan_x = pan, .pan_y = pan / 4}),
                         tests::title(GetParam()) + " zoom " + std::to_string(zoom));
        }
    }
}

} // namespace
} // namespace warptree::scene
