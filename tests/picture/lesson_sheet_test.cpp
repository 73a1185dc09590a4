// Sheets of lessons with the fonts that pictures use: clean at every size and scale, and two of them as recorded.
// WARPTREE_UPDATE_GOLDENS=1 records them again.
#include "app/features/lessons/lesson_file.hpp"
#include "app/features/lessons/lesson_sheet.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/run/run.hpp"
#include "tests/support/cairo_measure.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/recorded_picture.hpp"
#include "tests/support/text_layout.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace warptree::topics {
namespace {

using tests::measure;

struct Taken {
    session::Lesson lesson;
    session::LessonTraces traces;
};

// The lessons that run quickly, at their default sizes.
const std::vector<Taken>& taken() {
    static const std::vector<Taken> all = [] {
        std::vector<Taken> list;
        for (session::Lesson& lesson : session::load_lessons()) {
            if (lesson.n > 512) {
                continue;
            }
            Taken t{std::move(lesson), {}};
            for (const session::LessonTrace& trace : t.lesson.traces) {
                t.traces[trace.name] = std::make_shared<const Trace>(
                    runs::run_any(session::options_at(trace, t.lesson.n, t.lesson.block)));
            }
            list.push_back(std::move(t));
        }
        return list;
    }();
    return all;
}

TEST(LessonSheet, KeepsTextsApartAndInside) {
    for (const Taken& t : taken()) {
        for (std::size_t stage = 0; stage < t.lesson.stages.size(); ++stage) {
            for (const auto& [w, h, scale] : {std::tuple{1280.0F, 720.0F, 1.0F},
                                              {1920.0F, 1080.0F, 2.0F},
                                              {640.0F, 900.0F, 0.75F},
                                              {1280.0F, 720.0F, 3.0F}}) {
                const FigureContext context{&scene::theme(scene::ThemeName::light), &measure(), scale};
                tests::expect_clean(
                    compose_lesson(context, w, h, {&t.lesson, stage, &t.traces, stage % 2 == 0}), measure(),
                    t.lesson.id + " " + std::to_string(stage) + " at " + std::to_string(w) + " × " + std::to_string(h));
            }
        }
    }
}

TEST(LessonSheet, SaysTheAnswerOnlyWhenAsked) {
    const Taken& t = taken().front();
    const auto says = [&](bool answered, const std::string& what) {
        const FigureContext context{&scene::theme(scene::ThemeName::light), &measure(), 1};
        for (const scene::Text& text :
             tests::texts(compose_lesson(context, 1280, 720, {&t.lesson, 1, &t.traces, answered}))) {
            if (text.text.find(what) != std::string::npos) {
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(says(true, "Answer: 63"));
    EXPECT_FALSE(says(false, "Answer"));
    EXPECT_TRUE(says(false, "How many combines does one block need"));
}

class LessonGolden : public testing::TestWithParam<scene::ThemeName> {};
INSTANTIATE_TEST_SUITE_P(Themes, LessonGolden, testing::ValuesIn(scene::kThemeNames),
                         [](const auto& info) { return std::string(scene::name(info.param)); });

TEST_P(LessonGolden, LooksAsRecorded) {
    const auto banks =
        std::find_if(taken().begin(), taken().end(), [](const Taken& t) { return t.lesson.id == "banks"; });
    ASSERT_NE(banks, taken().end());
    const std::string file = "lesson-" + std::string(scene::name(GetParam())) + ".png";
    tests::expect_as_recorded(file, [&](const std::filesystem::path& path) {
        render::write_drawing(
            [&](const scene::TextMeasure& m) {
                const FigureContext context{&scene::theme(GetParam()), &m, 1};
                return compose_lesson(context, 1280, 720, {&banks->lesson, 2, &banks->traces, true});
            },
            {1280, 720, path, file});
    });
}

} // namespace
} // namespace warptree::topics
