// Steps by keys that are shown as they happen.
#include "app/document/playback.hpp"

#include <gtest/gtest.h>

namespace warptree::session {
namespace {

// Three steps, the second of which ends at a barrier.
Playback three(bool glides) {
    Playback p;
    p.attach({{"load", "s = 1", "store"}}, {{false, true, false}});
    p.glides = glides;
    p.go_to_place(0);
    return p;
}

TEST(PlaybackSteps, AtOnceWhereNothingGlides) {
    Playback p = three(false);
    p.step(1);
    EXPECT_EQ(p.place(), 1U);
    EXPECT_TRUE(p.moment().complete());
    EXPECT_FALSE(p.moves());
    p.step(-1);
    EXPECT_EQ(p.place(), 0U);
    EXPECT_FALSE(p.advance(1));
}

TEST(PlaybackSteps, ForwardInThirdsOfASecondAndNoFurther) {
    Playback p = three(true);
    p.step(1);
    EXPECT_EQ(p.place(), 1U);
    EXPECT_EQ(p.moment().phase, 0);
    EXPECT_TRUE(p.moves());
    EXPECT_FALSE(p.playing());
    EXPECT_TRUE(p.advance(0)) << "a frame without time";
    EXPECT_TRUE(p.moves());
    float before = 0;
    double took = 0;
    for (; p.moves() && took < 2; took += 0.01) {
        EXPECT_TRUE(p.advance(0.01));
        EXPECT_GT(p.fraction(), before);
        before = p.fraction();
    }
    EXPECT_GE(took, 0.3);
    EXPECT_LE(took, 0.5);
    EXPECT_EQ(p.place(), 1U);
    EXPECT_TRUE(p.moment().complete());
    EXPECT_FALSE(p.advance(1)) << "it stays there";
}

TEST(PlaybackSteps, BackTheSameWay) {
    Playback p = three(true);
    p.go_to_place(2);
    p.step(-1);
    EXPECT_TRUE(p.advance(0.2));
    EXPECT_EQ(p.place(), 2U);
    EXPECT_NEAR(p.fraction(), 0.5, 0.01);
    EXPECT_TRUE(p.advance(0.21));
    EXPECT_EQ(p.place(), 1U);
    EXPECT_TRUE(p.moment().complete());
    EXPECT_FALSE(p.moves());
}

TEST(PlaybackSteps, AgainSkipsToTheEnd) {
    Playback p = three(true);
    p.step(1);
    p.advance(0.1);
    p.step(1);
    EXPECT_EQ(p.place(), 1U);
    EXPECT_TRUE(p.moment().complete());
    EXPECT_FALSE(p.moves());
    p.step(-1);
    p.advance(0.1);
    p.step(1);
    EXPECT_EQ(p.place(), 0U);
    EXPECT_TRUE(p.moment().complete());
}

TEST(PlaybackSteps, StopsAtBothEndsAndForWhateverElseMoves) {
    Playback p = three(true);
    p.step(-1);
    EXPECT_FALSE(p.moves());
    p.go_to_place(2);
    p.step(1);
    EXPECT_FALSE(p.moves());
    for (const auto& other : {+[](Playback& it) { it.first(); }, +[](Playback& it) { it.go_to_fraction(1, 0.5F); },
                              +[](Playback& it) { it.sub_back(); }, +[](Playback& it) { it.back(); }}) {
        p.go_to_place(0);
        p.step(1);
        p.advance(0.1);
        other(p);
        EXPECT_FALSE(p.moves());
    }
    p.go_to_place(0);
    p.step(1);
    p.toggle();
    EXPECT_TRUE(p.playing());
    EXPECT_FALSE(p.gliding());
}

TEST(PlaybackSteps, AreNoSlowerThanPlay) {
    Playback p = three(true);
    p.set_speed(10);
    p.step(1);
    p.advance(0.11);
    EXPECT_FALSE(p.moves());
}

} // namespace
} // namespace warptree::session
