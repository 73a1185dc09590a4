// The playground shows the output of `warptree banks` for any input.
#include "app/features/strides/playground.hpp"

#include "app/base/error.hpp"
#include "app/views/views.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace warptree::session {
namespace {

using Field = Playground::Field;

TEST(Playground, CountsWavefrontsOfWhatIsTyped) {
    Playground p;
    const auto wavefronts = [&](const char* index, const char* s) {
        p.set(Field::index, index);
        p.set(Field::stride, s);
        EXPECT_EQ(p.error(), "");
        return p.report().wavefronts;
    };
    EXPECT_EQ(wavefronts("t", "1"), 1U);
    EXPECT_EQ(wavefronts("2*s*t", "1"), 2U);
    EXPECT_EQ(wavefronts("2*s*t", "4"), 8U);
    EXPECT_EQ(wavefronts("2*s*t", "16"), 32U);
    EXPECT_EQ(wavefronts("t*33", "1"), 1U);
    EXPECT_EQ(wavefronts("t^s", "5"), 1U);
    EXPECT_EQ(wavefronts("0", "1"), 1U);
    p.set(Field::index, "t");
    p.set(Field::bytes, "16");
    EXPECT_EQ(p.report().wavefronts, 4U);
}

TEST(Playground, KeepsTheRequestWhenTheTextCannotBeUsed) {
    Playground p;
    p.set(Field::index, "t*32");
    for (const auto& [field, text] : {std::pair{Field::index, "t*"},
                                      {Field::index, "-1"},
                                      {Field::index, "1/(t-3)"},
                                      {Field::mask, "fg"},
                                      {Field::warp, "32"},
                                      {Field::stride, "x"},
                                      {Field::bytes, "5"},
                                      {Field::banks, "64"}}) {
        p.set(field, text);
        EXPECT_NE(p.error(), "") << text;
        EXPECT_EQ(p.error().find('\n'), std::string::npos);
        EXPECT_EQ(p.report().wavefronts, 32U) << text;
        EXPECT_NE(p.value(field), text);
    }
    p.set(Field::mask, "3");
    EXPECT_EQ(p.error(), "");
    EXPECT_EQ(p.report().wavefronts, 2U);
}

TEST(Playground, TurnsThroughItsValuesAndBack) {
    for (const Field field : Playground::kFields) {
        Playground p;
        p.set(Field::warp, "3");
        const std::string start = p.value(field);
        p.turn(field, 1);
        EXPECT_NE(p.value(field), start) << id(field);
        p.turn(field, -1);
        EXPECT_EQ(p.value(field), start) << id(field);
        EXPECT_EQ(p.error(), "");
    }
    Playground p;
    for (int i = 0; i < 40; ++i) {
        p.turn(Field::warp, 1);
    }
    EXPECT_EQ(p.value(Field::warp), "31");
    EXPECT_EQ(p.error(), "");
}

TEST(Playground, RemembersItsValues) {
    Playground p;
    p.set(Field::index, "lane*3");
    p.set(Field::mask, "ff");
    p.set(Field::access, "store");
    Playground q;
    q.restore(p.values());
    EXPECT_EQ(q.values(), p.values());
    EXPECT_EQ(q.command(), "warptree banks --index 'lane*3' --mask ff --store");
    q.restore({{"index", "(("}, {"warp", "900"}, {"bytes", "8"}});
    EXPECT_EQ(q.value(Field::index), "lane*3");
    EXPECT_EQ(q.value(Field::bytes), "8");
    EXPECT_EQ(q.error(), "");
}

// The drawing: a hit for each of the 32 lanes, a word for each distinct index, nothing outside.
TEST(Playground, IsDrawnAsTheBankView) {
    const tests::EvenMeasure measure;
    const scene::Rect area{10, 20, 900, 500};
    for (const char* bytes : {"4", "8", "16"}) {
        for (const char* banks : {"32", "16"}) {
            for (const char* index : {"t", "0", "t*32", "lane/2"}) {
                Playground p;
                p.set(Field::index, index);
                p.set(Field::bytes, bytes);
                p.set(Field::banks, banks);
                p.set(Field::warp, "31");
                ASSERT_EQ(p.error(), "");
                const auto context = tests::context_of(p.trace(), {0, 0, 1}, measure);
                const scene::Drawing d = scene::draw_banks(context, area, 0);
                EXPECT_EQ(
                    std::count_if(d.hits.begin(), d.hits.end(),
                                  [](const scene::Hit& h) { return h.target.kind == scene::Target::Kind::thread; }),
                    32);
                EXPECT_TRUE(std::any_of(d.hits.begin(), d.hits.end(), [](const scene::Hit& h) {
                    return h.target.kind == scene::Target::Kind::word;
                }));
                for (const scene::Text& text : tests::texts(d)) {
                    EXPECT_TRUE(scene::inside(area, tests::extent(text, measure))) << text.text;
                    EXPECT_THAT(text.text, testing::Not(testing::HasSubstr("line 0")));
                }
            }
        }
    }
    Playground none;
    none.set(Field::mask, "0");
    EXPECT_EQ(none.error(), "");
    EXPECT_FALSE(tests::texts(scene::draw_banks(tests::context_of(none.trace(), {0, 0, 1}, measure), area, 0)).empty());
}

} // namespace
} // namespace warptree::session
