// Comparisons as pictures: no two texts overlap and none leaves its area, in any size, scale and step; one comparison
// in each theme matches its recorded picture. WARPTREE_UPDATE_GOLDENS=1 records the pictures again.
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/compare.hpp"
#include "app/features/compare/comparison.hpp"
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
#include <map>

namespace warptree::scene {
namespace {

using tests::measure;

struct Compared {
    std::vector<Trace> traces;
    std::vector<ComparedTrace> columns;
    std::vector<session::AlignedStep> aligned_steps;
};
const Compared& compared(const session::Preset& preset) {
    static std::map<std::string, Compared> all;
    auto [it, fresh] = all.try_emplace(preset.id);
    Compared& c = it->second;
    if (fresh) {
        for (const std::string& text : preset.columns) {
            RunOptions o = session::apply(session::parse_column(text), {});
            o.n = preset.n;
            o.input = InputKind::iota;
            o.backend = Backend::cpu;
            c.traces.push_back(runs::run_any(o));
        }
        std::vector<const Trace*> traces;
        for (const Trace& t : c.traces) {
            traces.push_back(&t);
            c.columns.push_back({&t, t.options.strategy, session::column_note(t.options)});
        }
        c.aligned_steps = session::align(traces, preset.alignment);
    }
    return c;
}

struct Picture {
    std::vector<CompareColumn> columns;
    CompareTable table;
};
Picture picture(const Compared& c, std::uint32_t aligned_step, float phase) {
    Picture p;
    std::vector<session::ColumnMoment> at;
    for (std::size_t i = 0; i < c.traces.size(); ++i) {
        at.push_back(session::column_moment(c.traces[i], c.aligned_steps, i, aligned_step, phase));
        p.columns.push_back({&c.traces[i], at[i], c.columns[i].title, c.columns[i].note, "", {}, {}, true, i == 0});
    }
    p.table = make_compare_table(c.columns, at, nullptr);
    return p;
}

class ComparePictures : public testing::TestWithParam<session::Preset> {};
INSTANTIATE_TEST_SUITE_P(Presets, ComparePictures, testing::ValuesIn(session::presets()), [](const auto& info) {
    std::string name = info.param.id;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST_P(ComparePictures, KeepTextsApartAndInside) {
    const Compared& c = compared(GetParam());
    for (std::uint32_t aligned_step = 0; aligned_step < c.aligned_steps.size(); aligned_step += 2) {
        const Picture p = picture(c, aligned_step, 1);
        for (const auto& [w, h] : {std::pair{1280.0F, 612.0F}, std::pair{1920.0F, 960.0F}}) {
            for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
                const CompareLook look{&theme(ThemeName::dark), &measure(), scale};
                for (const ComparePart front : kCompareParts) {
                    const std::string where = GetParam().id + " aligned_step " + std::to_string(aligned_step) + " " +
                                              std::to_string(static_cast<int>(w)) + " scale " + std::to_string(scale) +
                                              " " + std::string(name(front));
                    const ComparePlan plan = plan_compare(look, {6, 40, w - 12, h}, c.traces.size(), p.table, front);
                    for (std::size_t i = 0; i < plan.columns.size(); ++i) {
                        tests::expect_clean(draw_compare_column(look, plan.columns[i], p.columns[i], front), measure(),
                                            where + " column " + std::to_string(i));
                    }
                    if (plan.table.h > 0) {
                        tests::expect_clean(draw_compare_table(look, plan.table, p.table, plan.form, aligned_step),
                                            measure(), where + " table");
                    }
                    if (HasFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

TEST(ComparePlan, GivesEveryPartItsPlace) {
    const Compared& c = compared(session::presets().front());
    const Picture p = picture(c, 2, 1);
    const CompareLook look{&theme(ThemeName::dark), &measure(), 1};
    for (std::size_t columns = 2; columns <= 4; ++columns) {
        const Rect area{5, 7, 1268, 600};
        const ComparePlan plan = plan_compare(look, area, columns, p.table, ComparePart::tree);
        ASSERT_EQ(plan.columns.size(), columns);
        for (std::size_t i = 0; i < columns; ++i) {
            EXPECT_TRUE(inside(area, inset(plan.columns[i], 0.01F)));
            EXPECT_FALSE(plan.columns[i].overlaps(plan.table));
            EXPECT_FALSE(i > 0 && plan.columns[i].overlaps(plan.columns[i - 1]));
        }
        EXPECT_TRUE(inside(area, inset(plan.table, 0.01F)));
    }
    const Rect low{0, 0, 640, 240};
    EXPECT_TRUE(plan_compare(look, low, 2, p.table, ComparePart::table).columns.empty());
    EXPECT_EQ(plan_compare(look, low, 2, p.table, ComparePart::tree).table.h, 0);
}

TEST(ComparePlan, ALowTableTellsWhatDiffersAndFoldedItsSentences) {
    const Compared& c = compared(session::presets().front());
    const Picture p = picture(c, 2, 1);
    const CompareLook look{&theme(ThemeName::dark), &measure(), 1};
    const auto words = [&](const Rect& area, bool folded) {
        const ComparePlan plan = plan_compare(look, area, 2, p.table, ComparePart::tree, folded);
        std::string all;
        const Drawing table = draw_compare_table(look, plan.table, p.table, plan.form);
        for (const Layer& layer : table.layers) {
            for (const Text& text : layer.texts) {
                all += text.text + "\n";
            }
        }
        return std::pair{plan.form, all};
    };
    const Rect high{0, 0, 1268, 900};
    Rect low = high; // lowered until the whole table no longer fits
    while (low.h > 330 && words(low, false).first == TableForm::whole) {
        low.h -= 10;
    }
    const auto [whole, everything] = words(high, false);
    EXPECT_EQ(whole, TableForm::whole);
    EXPECT_NE(everything.find("barriers\n"), std::string::npos) << "a row of its own";
    const auto [less, differences] = words(low, false);
    EXPECT_EQ(less, TableForm::differences);
    EXPECT_NE(differences.find("alike: "), std::string::npos);
    EXPECT_NE(differences.find("barriers 7"), std::string::npos) << "in a sentence";
    EXPECT_NE(differences.find("diverging warp-steps\n"), std::string::npos) << "a row that differs";
    EXPECT_EQ(differences.find("more row"), std::string::npos) << differences;
    const auto [least, sentences] = words(high, true);
    EXPECT_EQ(least, TableForm::sentences);
    EXPECT_EQ(sentences.find("Whole run"), std::string::npos);
    EXPECT_NE(sentences.find("combines"), std::string::npos);
}

TEST(ComparePlan, ManagesWithoutTraces) {
    const CompareLook look{&theme(ThemeName::dark), &measure(), 1};
    const ComparePlan plan = plan_compare(look, {0, 0, 1280, 600}, 2, {}, ComparePart::tree);
    ASSERT_EQ(plan.columns.size(), 2U);
    CompareColumn column;
    column.title = "sequential";
    column.message = "! a block of 33 threads is no power of two; take 32 or 64, which every strategy of this kind has";
    tests::expect_clean(draw_compare_column(look, plan.columns[0], column, ComparePart::tree), measure(), "a message");
    tests::expect_clean(draw_compare_table(look, plan.table, {}, plan.form), measure(), "an empty table");
}

TEST(CompareColumn, NamesTheThreadsOfItsStep) {
    const Compared& c = compared(session::presets().front());
    const Picture p = picture(c, 3, 1); // s = 4 of 64 threads
    const CompareLook look{&theme(ThemeName::dark), &measure(), 1};
    const auto named = [&](std::size_t column) {
        std::vector<std::string> all;
        for (const Text& text :
             tests::texts(draw_compare_column(look, {0, 0, 620, 640}, p.columns[column], ComparePart::tree))) {
            if (text.text.size() > 1 && text.text[0] == 't' &&
                text.text.find_first_not_of("0123456789", 1) == std::string::npos) {
                all.push_back(text.text);
            }
        }
        return all;
    };
    EXPECT_EQ(named(0), (std::vector<std::string>{"t0", "t8", "t16", "t24", "t32", "t40", "t48", "t56"}));
    EXPECT_EQ(named(1), (std::vector<std::string>{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"}));
}

class CompareGolden : public testing::TestWithParam<ThemeName> {};
INSTANTIATE_TEST_SUITE_P(Themes, CompareGolden, testing::ValuesIn(kThemeNames),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(CompareGolden, LooksAsRecorded) {
    const Compared& c = compared(session::presets().front());
    const Picture p = picture(c, 3, 1);
    const std::string file = "compare-" + std::string(name(GetParam())) + ".png";
    constexpr int kWidth = 900, kHeight = 560;
    tests::expect_as_recorded(file, [&](const std::filesystem::path& path) {
        render::write_drawing(
            [&](const TextMeasure& m) {
                return compose_compare({&theme(GetParam()), &m, 0.75F}, kWidth, kHeight, p.columns, p.table);
            },
            {kWidth, kHeight, path, "compare"});
    });
}

} // namespace
} // namespace warptree::scene
