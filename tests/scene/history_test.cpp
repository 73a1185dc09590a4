// Undo and redo of what is shown; and pen and arrow.
#include "app/features/annotate/annotations.hpp"
#include "app/features/coach/coach.hpp"
#include "app/features/history/history.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace warptree::tests {
namespace {
using session::Annotations;
using session::History;

TEST(History, GoesBackAndForthThroughChoices) {
    History h;
    EXPECT_FALSE(h.undo().has_value());
    h.note("explore/a?n=64&step=0");
    h.note("explore/a?n=64&step=0");
    EXPECT_FALSE(h.can_undo()) << "nothing was chosen";
    h.note("explore/b?n=64&step=0");
    h.note("explore/b?n=128&step=0");
    EXPECT_EQ(h.undo(), "explore/b?n=64&step=0");
    h.note("explore/b?n=64&step=1"); // what could be shown of it
    EXPECT_EQ(h.undo(), "explore/a?n=64&step=0");
    h.note("explore/a?n=64&step=0");
    EXPECT_FALSE(h.undo().has_value());
    EXPECT_EQ(h.redo(), "explore/b?n=64&step=1");
    h.note("explore/b?n=64&step=1");
    EXPECT_EQ(h.redo(), "explore/b?n=128&step=0");
    h.note("explore/b?n=128&step=0");
    EXPECT_FALSE(h.redo().has_value());
    h.undo();
    h.note("explore/b?n=64&step=1");
    h.note("explore/c?n=64");
    EXPECT_FALSE(h.can_redo()) << "another way was taken";
    EXPECT_EQ(h.undo(), "explore/b?n=64&step=1");
}

TEST(History, StepsAndZoomAreNoChoices) {
    History h;
    h.note("explore/a?n=64&step=0");
    h.note("explore/a?n=64&step=1");
    h.note("explore/a?n=64&part=2&step=1&zoom=2");
    EXPECT_FALSE(h.can_undo());
    h.note("theory/warps");
    EXPECT_EQ(h.undo(), "explore/a?n=64&part=2&step=1&zoom=2") << "back to where it was left";
}

TEST(Annotations, AreDrawnTakenBackAndWiped) {
    Annotations a;
    a.begin({1, 1});
    EXPECT_TRUE(a.strokes().empty()) << "nothing is in hand";
    a.take(Annotations::Tool::pen);
    a.begin({1, 1});
    a.go_on({5, 5});
    a.go_on({5, 5});
    a.go_on({9, 5});
    a.end();
    a.go_on({20, 20});
    ASSERT_EQ(a.strokes().size(), 1U);
    EXPECT_EQ(a.strokes()[0].points.size(), 3U);
    a.take(Annotations::Tool::arrow);
    a.begin({0, 0});
    a.end();
    EXPECT_EQ(a.strokes().size(), 1U) << "a click is no arrow";
    a.begin({0, 0});
    a.go_on({3, 3});
    a.go_on({30, 40});
    a.end();
    ASSERT_EQ(a.strokes().size(), 2U);
    EXPECT_EQ(a.strokes()[1].points, (std::vector<scene::Point>{{0, 0}, {30, 40}}));
    a.take_back();
    EXPECT_EQ(a.strokes().size(), 1U);
    a.take(Annotations::Tool::arrow);
    EXPECT_EQ(a.tool(), Annotations::Tool::none) << "put down";
    EXPECT_EQ(a.strokes().size(), 1U) << "what was drawn stays";
    a.wipe();
    EXPECT_TRUE(a.strokes().empty());
    a.take_back();
}

TEST(Annotations, AnArrowsHeadIsSymmetric) {
    const scene::Point tail{0, 0}, head{30, 40};
    const auto [left, right] = session::arrow_head(tail, head, 10);
    const auto far = [](scene::Point a, scene::Point b) { return std::hypot(a.x - b.x, a.y - b.y); };
    EXPECT_NEAR(far(left, head), far(right, head), 1e-4);
    EXPECT_NEAR(far(left, tail), far(right, tail), 1e-4);
    EXPECT_LT(far(left, tail), far(head, tail));
}

TEST(Coach, HasThreeStepsAndIsTakenOnByDoing) {
    session::Coach coach;
    EXPECT_FALSE(coach.active());
    coach.begin();
    EXPECT_EQ(session::Coach::steps().size(), 3U);
    session::Coach::Seen seen{0, false, "sequential"};
    coach.look(seen);
    EXPECT_EQ(coach.at(), 0U);
    seen.place = 1;
    coach.look(seen);
    EXPECT_EQ(coach.at(), 1U);
    seen.place = 2;
    coach.look(seen);
    EXPECT_EQ(coach.at(), 1U);
    seen.selected = true;
    coach.look(seen);
    EXPECT_EQ(coach.at(), 2U);
    seen.strategy = "first-add";
    coach.look(seen);
    EXPECT_FALSE(coach.active());
    EXPECT_EQ(coach.title(), "");
    coach.next();
    EXPECT_FALSE(coach.active());
}

} // namespace
} // namespace warptree::tests
