// Themes: every role is defined, text is legible, faults name file and line.
#include "app/base/error.hpp"
#include "app/drawing/theme.hpp"
#include "app/views/views.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warptree::scene {
namespace {

double luminance(Color c) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.r / 255.0) + 0.7152 * linear(c.g / 255.0) + 0.0722 * linear(c.b / 255.0);
}

// Contrast ratio as WCAG 2 defines it, 1 to 21.
double contrast(Color a, Color b) {
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

class EveryTheme : public testing::TestWithParam<ThemeName> {};
INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme, testing::ValuesIn(kThemeNames),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(EveryTheme, KeepsTextLegible) {
    const Theme& t = theme(GetParam());
    const double least = GetParam() == ThemeName::contrast ? 7 : 4.5; // AAA and AA for body text
    EXPECT_GE(contrast(t.text, t.panel), least);
    EXPECT_GE(contrast(t.text, t.background), least);
    EXPECT_GE(contrast(t.text, t.accent_fill), least);
    EXPECT_GE(contrast(t.text, t.code_line), least);
    EXPECT_GE(contrast(t.text, t.off), least);
    EXPECT_GE(contrast(t.muted, t.panel), least);
    EXPECT_GE(contrast(t.muted, t.background), least);
}

// WCAG requires 3 for graphics. Orange on white has less, so it always comes with a pattern, mark or word.
TEST_P(EveryTheme, TellsMarksFromThePanel) {
    const Theme& t = theme(GetParam());
    for (const Color mark : {t.accent, t.conflict, t.hazard, t.agree}) {
        EXPECT_GE(contrast(mark, t.panel), 3);
    }
    EXPECT_GE(contrast(t.attention, t.panel), GetParam() == ThemeName::light ? 2 : 3);
}

// Places without a cell are faint in every theme.
TEST_P(EveryTheme, KeepsQuietWhatIsNotThere) {
    const Theme& t = theme(GetParam());
    const Trace& trace = tests::trace_of({"sequential", 32, 32});
    const tests::EvenMeasure measure;
    ViewContext context = tests::context_of(trace, {0, 2, 1}, measure);
    context.theme = &t;
    std::size_t empties = 0;
    const Drawing tree = draw_tree(context, {0, 0, 900, 500}, {});
    for (const Box& box : tree.layers[1].boxes) {
        if (box.fill.a == 0 && box.stroke_width > 0) {
            ++empties;
            EXPECT_EQ(box.stroke.a, 255);
            EXPECT_LT(contrast(box.stroke, t.panel), 2);
            EXPECT_GT(contrast(box.stroke, t.panel), 1.05);
        }
    }
    EXPECT_GT(empties, 16U);
}

TEST(Themes, HaveNamesThatReadBack) {
    for (const ThemeName which : kThemeNames) {
        EXPECT_EQ(theme_from(name(which)), which);
    }
    EXPECT_EQ(theme_from("sepia"), std::nullopt);
}

std::string complaint(const std::string& text) {
    try {
        parse_theme(text, "dim.json");
    } catch (const FileError& error) {
        return error.what();
    }
    return "none";
}

TEST(Themes, NameFileLineAndReasonOfAFault) {
    using testing::HasSubstr;
    using testing::StartsWith;
    EXPECT_THAT(complaint("{\n  \"background\": \"#123456\",\n  oops\n}"), StartsWith("dim.json:3: "));
    EXPECT_THAT(complaint("{\n  \"background\": \"blue\"\n}"), StartsWith("dim.json:2: "));
    EXPECT_THAT(complaint("{\n  \"background\": \"blue\"\n}"), HasSubstr("background"));
    EXPECT_THAT(complaint("{\"background\": \"#123456\"}"), HasSubstr("\"panel\" is missing"));
    EXPECT_THAT(complaint("[]"), StartsWith("dim.json:1: "));
    EXPECT_THAT(complaint(""), StartsWith("dim.json:1: "));
}

} // namespace
} // namespace warptree::scene
