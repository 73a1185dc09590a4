// The Timings screen with the fonts that pictures use: clean at every size and scale, and as recorded in three themes.
// WARPTREE_UPDATE_GOLDENS=1 records them again.
#include "app/features/timings/timings.hpp"
#include "app/measure/timing/results_file.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "tests/support/cairo_measure.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/recorded_picture.hpp"
#include "tests/support/text_layout.hpp"
#include "tests/support/timing_series.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace warptree::scene {
namespace {

using tests::measure;

const std::vector<timing::Series>& series() {
    static const std::vector<timing::Series> all = [] {
        std::vector<timing::Series> list{tests::made_up_series()};
        for (const char* file : {"g80-2007.json", "tga-lab.json", "h100-scan-blog.json"}) {
            for (timing::Series& s : timing::load_results(tests::source_dir() / "assets/timings" / file)) {
                list.push_back(std::move(s));
            }
        }
        return list;
    }();
    return all;
}
constexpr std::array kColors{0, 1, 2, 3};

TimingsView view(TimingShow show, TimingFigure figure, timing::Conditions conditions = {}) {
    TimingsView v;
    v.series = series();
    v.colors = kColors;
    v.conditions = conditions;
    v.show = show;
    v.figure = figure;
    return v;
}

std::vector<TimingsView> views() {
    timing::Conditions lab, none, all;
    lab = {timing::Kernels::reductions, 1 << 24, ElementType::f64, Operator::sum, 512, timing::Mode::warm,
           timing::Quantity::pipeline,  {}};
    none.n = 12345;
    all.kernels = timing::Kernels::reductions;
    all.block.reset();
    timing::Conditions blog{timing::Kernels::scans, 1ULL << 30};
    std::vector<TimingsView> out{
        view(TimingShow::speedup, TimingFigure::sizes),      view(TimingShow::bandwidth, TimingFigure::sizes, all),
        view(TimingShow::time, TimingFigure::modes),         view(TimingShow::share, TimingFigure::sizes, blog),
        view(TimingShow::time, TimingFigure::samples, lab),  view(TimingShow::bandwidth, TimingFigure::samples),
        view(TimingShow::speedup, TimingFigure::modes, none)};
    out[5].selected = 3;
    return out;
}

TEST(TimingsPicture, KeepsTextsApartAndInside) {
    int which = 0;
    for (TimingsView v : views()) {
        ++which;
        for (const auto& [w, h] :
             {std::pair{1280.0F, 720.0F}, {1920.0F, 1080.0F}, {640.0F, 900.0F}, {420.0F, 300.0F}}) {
            for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
                v.front = static_cast<int>(w) % 3;
                tests::expect_clean(compose_timings({&theme(ThemeName::dark), &measure(), scale}, w, h, v), measure(),
                                    std::to_string(which) + ", " + std::to_string(static_cast<int>(w)) + " at " +
                                        std::to_string(scale));
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST(TimingsPicture, IsFullWithoutADevice) {
    const auto texts = tests::texts(compose_timings({&theme(ThemeName::light), &measure(), 1}, 1280, 720,
                                                    view(TimingShow::speedup, TimingFigure::sizes)));
    const auto has = [&](const std::string& wanted) {
        return std::any_of(texts.begin(), texts.end(),
                           [&](const Text& t) { return t.text.find(wanted) != std::string::npos; });
    };
    for (const char* wanted : {"30.05×, step 1.42×", "G80, 2007 (published)", "multiple-adds", "8.054 ms", "2.083 GB/s",
                               "not measured: its result was wrong"}) {
        EXPECT_TRUE(has(wanted)) << wanted;
    }
}

class TimingsGolden : public testing::TestWithParam<std::tuple<ThemeName, TimingShow, TimingFigure>> {};
INSTANTIATE_TEST_SUITE_P(Figures, TimingsGolden,
                         testing::Values(std::tuple{ThemeName::light, TimingShow::speedup, TimingFigure::sizes},
                                         std::tuple{ThemeName::dark, TimingShow::bandwidth, TimingFigure::sizes},
                                         std::tuple{ThemeName::contrast, TimingShow::time, TimingFigure::samples}),
                         [](const auto& info) { return std::string(name(std::get<0>(info.param))); });

TEST_P(TimingsGolden, LooksAsRecorded) {
    const auto& [which, show, figure] = GetParam();
    const std::string file = "timings-" + std::string(name(which)) + ".png";
    TimingsView v = view(show, figure);
    v.selected = 2;
    tests::expect_as_recorded(file, [&, which = which](const std::filesystem::path& path) {
        render::write_drawing(
            [&, which = which](const TextMeasure& m) {
                return compose_timings({&theme(which), &m, 0.75F}, 800, 450, v);
            },
            {800, 450, path, "title"});
    });
}

} // namespace
} // namespace warptree::scene
