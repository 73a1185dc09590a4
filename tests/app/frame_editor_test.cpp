// The editor of a kernel file, in this process.
#include "app/document/kernel_template.hpp"
#include "tests/app/rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::testing {
namespace {

// Rectangle of the text that starts with `begin`; empty: not visible.
scene::Rect place_of(Rig& rig, const std::string& begin) {
    const FrameTexts frame = rig.texts();
    const auto found = std::find_if(frame.texts.begin(), frame.texts.end(),
                                    [&](const FrameText& t) { return t.text.starts_with(begin); });
    return found == frame.texts.end() ? scene::Rect{} : found->ink;
}

TEST(FrameEditor, GettingTheKeyboardMovesNoText) {
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    std::string text = session::first_kernel();
    for (int i = 0; i < 60; ++i) {
        text += "// more\n";
    }
    rig.screen().explore().open_kernel(rig.write("mine.cu", text));
    rig.settle();
    const scene::Rect before = place_of(rig, "// launch");
    ASSERT_GT(before.w, 0);
    ASSERT_TRUE(rig.screen().act("edit"));
    for (int i = 0; i < 8; ++i) { // every frame, not only the last
        rig.screen().compose();
        EXPECT_EQ(place_of(rig, "// launch").x, before.x) << i;
        EXPECT_EQ(place_of(rig, "// launch").y, before.y) << i;
    }
}

TEST(FrameEditor, FindingsAreReachedWhereTheSourceIsFoldedAway) {
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    rig.resize(1280, 720);
    rig.looks().scale = 2;
    std::string text = session::first_kernel();
    const std::string barrier = "        __syncthreads();\n    }";
    text.replace(text.find(barrier), barrier.size(), "    }");
    session::Explore& e = rig.screen().explore();
    e.open_kernel(rig.write("mine.cu", text));
    rig.settle();
    ASSERT_FALSE(e.trace()->launches.front().findings.empty());
    ASSERT_EQ(e.front, "tree");
    ASSERT_TRUE(rig.screen().act("next-finding"));
    rig.settle();
    EXPECT_EQ(e.selected.kind, scene::Target::Kind::thread);
    EXPECT_EQ(e.front, "source");
}

} // namespace
} // namespace warptree::testing
