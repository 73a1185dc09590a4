// The editor of a kernel file, in this process.
#include "app/document/kernel_template.hpp"
#include "tests/app/rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptree::testing {
namespace {

// Where a text that begins so lies; an empty rectangle: it is not seen.
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
    for (int i = 0; i < 8; ++i) { // each frame, not the last one alone
        rig.screen().compose();
        EXPECT_EQ(place_of(rig, "// launch").x, before.x) << i;
        EXPECT_EQ(place_of(rig, "// launch").y, before.y) << i;
    }
}

} // namespace
} // namespace warptree::testing
