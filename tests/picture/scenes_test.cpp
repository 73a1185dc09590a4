// What the views show beyond a reduction in shared memory, in each theme, compared with recorded pictures: a scan as a
// network, tiles that look back, a warp without accesses, a race, a shuffle, the sectors of a global request, a request
// of the playground. WARPTREE_UPDATE_GOLDENS=1 records them again.
#include "app/features/strides/playground.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/views/banks/exchange.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/recorded_picture.hpp"
#include "tests/support/scene_fixture.hpp"
#include "tests/support/text_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace warptree::render {
namespace {

constexpr int kSceneWidth = 480, kSceneHeight = 300;
constexpr float kMargin = 12;

using Draw = scene::Drawing (*)(const scene::Theme&, const scene::TextMeasure&, scene::Rect);
struct RecordedScene {
    const char* name;
    Draw draw;
};
void PrintTo(const RecordedScene& scene, std::ostream* out) { *out << scene.name; }

scene::ViewContext context(const Trace& trace, session::Moment moment, const scene::Theme& theme,
                           const scene::TextMeasure& measure) {
    return {&trace, moment, {}, {}, &theme, &measure, 0.75F};
}

session::Moment end_of(const Trace& trace) {
    return {0, static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1), 1};
}

scene::Drawing tree(const tests::Case& run, const scene::Theme& theme, const scene::TextMeasure& measure,
                    scene::Rect area) {
    const Trace& trace = tests::trace_of(run);
    return scene::draw_tree(context(trace, end_of(trace), theme, measure), area, {});
}

// An exchange of the first launch, with the index that draw_banks uses.
scene::Drawing exchange(const Trace& trace, std::uint32_t at, std::uint32_t step, const scene::Theme& theme,
                        const scene::TextMeasure& measure, scene::Rect area) {
    return scene::draw_banks(context(trace, {0, step, 1}, theme, measure), area, at);
}

const RecordedScene kScenes[]{
    {"scan-network",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         return tree({"scan-blelloch", 16, 16}, t, m, r);
     }},
    {"lookback",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         return tree({"scan-lookback", 128, 32}, t, m, r);
     }},
    {"idle-warp",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         const Trace& trace = tests::trace_of({"sequential", 256, 128}); // half of the warps have retired
         return scene::draw_idle_warp(context(trace, {0, 2, 1}, t, m), r, 0, 3);
     }},
    {"race",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         const Trace& trace = tests::trace_of({"missing-syncwarp", 128, 64});
         return scene::draw_warps(context(trace, end_of(trace), t, m), r, 0);
     }},
    {"shuffle",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         const Trace& trace = tests::trace_of({"block-shuffle", 256, 128});
         const Launch& l = trace.launches[0];
         const auto eight =
             std::find_if(l.shuffles.begin(), l.shuffles.end(), [](const Shuffle& s) { return s.delta == 8; });
         return exchange(trace, static_cast<std::uint32_t>(l.requests.size() + (eight - l.shuffles.begin())),
                         eight->step, t, m, r);
     }},
    {"sectors",
     [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         const Trace& trace = tests::trace_of({"four-way", 256, 64}); // elements of neighbouring lanes are four apart
         const Launch& l = trace.launches[0];
         const auto load = std::find_if(l.requests.begin(), l.requests.end(),
                                        [](const Request& q) { return q.kind == AccessKind::global_load; });
         return exchange(trace, static_cast<std::uint32_t>(load - l.requests.begin()), load->step, t, m, r);
     }},
    {"playground", [](const scene::Theme& t, const scene::TextMeasure& m, scene::Rect r) {
         session::Playground playground;
         playground.set(session::Playground::Field::index, "2*s*t");
         playground.set(session::Playground::Field::stride, "4");
         return scene::draw_banks(context(playground.trace(), {0, 0, 1}, t, m), r, 0);
     }}};

class Scenes : public testing::TestWithParam<std::tuple<RecordedScene, scene::ThemeName>> {};
INSTANTIATE_TEST_SUITE_P(All, Scenes,
                         testing::Combine(testing::ValuesIn(kScenes), testing::ValuesIn(scene::kThemeNames)),
                         [](const auto& info) {
                             std::string it = std::string(std::get<0>(info.param).name) + "_" +
                                              std::string(scene::name(std::get<1>(info.param)));
                             std::replace(it.begin(), it.end(), '-', '_');
                             return it;
                         });

TEST_P(Scenes, LookAsRecorded) {
    const auto& [scene, theme_name] = GetParam();
    const scene::Theme& theme = scene::theme(theme_name);
    const std::string file = std::string(scene.name) + "-" + std::string(scene::name(theme_name)) + ".png";
    const auto draw = [&, draw = scene.draw](const scene::TextMeasure& measure) {
        scene::Drawing d =
            draw(theme, measure, {kMargin, kMargin, kSceneWidth - 2 * kMargin, kSceneHeight - 2 * kMargin});
        tests::expect_clean(d, measure, file);
        d.clip = {0, 0, kSceneWidth, kSceneHeight};
        d.layers[0].boxes.insert(d.layers[0].boxes.begin(), {.rect = d.clip, .fill = theme.panel});
        return d;
    };
    tests::expect_as_recorded(file, [&, name = scene.name](const std::filesystem::path& path) {
        write_drawing(draw, {kSceneWidth, kSceneHeight, path, name});
    });
}

} // namespace
} // namespace warptree::render
