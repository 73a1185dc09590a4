// Only what changed is redrawn: the pixels must equal those of a full redraw.
#include "tests/app/ui_fixture.hpp"

#include <algorithm>
#include <cstdlib>

namespace warptree::testing {
namespace {

// The greatest difference between corresponding bytes; 255 if the sizes differ.
int greatest_difference(const std::string& a, const std::string& b) {
    int greatest = a.size() == b.size() ? 0 : 255;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        greatest = std::max(greatest, std::abs(static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i])));
    }
    return greatest;
}

class Redraw : public Ui {
  protected:
    // Compares the result of partial redraws with a full redraw.
    void expect_whole(const std::string& where) const {
        const std::string before = screenshot();
        const int whole = state()["whole_frames"];
        xdotool("key ctrl+l");
        until([&](const Json& s) { return s["whole_frames"] == whole + 1; }, "a whole redraw");
        // A software renderer may round the edge of a letter differently, by one level, in another rectangle.
        EXPECT_LE(greatest_difference(screenshot(), before), 1) << "some pixels were not brought up to date: " << where;
    }
};

// Only the pixels of an xwd dump are compared: the padding of its colour table is uninitialized.
TEST_F(Redraw, ComparesPixelsOnly) {
    std::string dump(100, '\0'); // a header of 100 bytes, two colours of 12, three pixels of 4
    dump[3] = 100;
    dump[79] = 2;
    const std::string picture = "RGB_rgb_RGB_";
    EXPECT_EQ(pixels(dump + std::string(24, 'x') + picture), picture);
    EXPECT_EQ(pixels(dump + std::string(24, 'y') + picture), picture);
}

TEST_F(Redraw, StepsHoverDialogsAndTyping) {
    open({});
    key("Escape", "notice", ""); // the start-up notice
    const int whole = state()["whole_frames"];
    for (int i = 0; i < 4; ++i) {
        xdotool("key Right");
        settled();
    }
    for (int i = 0; i < 2; ++i) {
        xdotool("key shift+Right");
        settled();
    }
    EXPECT_EQ(settled()["whole_frames"], whole) << "a step redraws the whole window";
    EXPECT_EQ(state()["partial_frames"], true);
    expect_whole("steps");
    const Json tree = place("tree"), warps = place("warps");
    for (int x = 20; x < tree[2].get<int>(); x += 97) {
        move(tree[0].get<int>() + x, tree[1].get<int>() + 60 + x / 3);
        advance(0.5); // it comes to rest
    }
    move(warps[0].get<int>() + 150, warps[1].get<int>() + 100);
    move(640, 5);
    expect_whole("tooltips that are gone");
    key("ctrl+k", "dialog", "palette");
    xdotool("type block");
    key("Escape", "dialog", "none");
    expect_whole("a dialog that is gone");
    xdotool("key plus key plus key ctrl+Right");
    key("F1", "dialog", "help");
    xdotool("key Down key Down");
    expect_whole("the help over a zoomed tree");
}

TEST_F(Redraw, PlayingThemesAndScales) {
    open({});
    key("Escape", "notice", "");
    for (const char* keys : {"bracketright", "bracketright", "Page_Up", "Page_Up", "t"}) {
        xdotool(std::string("key ") + keys);
        settled();
    }
    key("space", "playing", true);
    advance_until([](const Json& s) { return s["place"] >= 3; }, "three steps played");
    key("space", "playing", false);
    expect_whole("a step half played");
    key("ctrl+equal", "scale", 1.25);
    expect_whole("larger text");
    key("ctrl+0", "scale", 1.0);
    key("v", "front", "tree");
    expect_whole("the fonts made anew");
}

} // namespace
} // namespace warptree::testing
