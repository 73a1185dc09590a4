// From a grid of blocks to one warp and its work, with keys, buttons and the map, and by playing.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiZoom : public Ui {
  protected:
    void open_grid() {
        open({"--state", "explore/interleaved-modulo?n=4096&block=512&step=2"});
        until([](const Json& s) { return s["shown_n"] == 4096; }, "the grid");
        EXPECT_EQ(settled()["frame"], "all");
    }
    static double zoom(const Json& s) { return s["zoom"].get<double>(); }
};

TEST_F(UiZoom, KeysGoInAndOutByAFlight) {
    open_grid();
    key("g", "frame", "block");
    EXPECT_EQ(settled()["flying"], true) << "it takes time";
    const double begun = zoom(state());
    const double middle = zoom(advance(0.3));
    const Json block = advance(0.5);
    EXPECT_EQ(block["flying"], false);
    EXPECT_NEAR(begun, 1, 0.01);
    EXPECT_GT(middle, begun);
    EXPECT_GT(zoom(block), middle);
    EXPECT_NEAR(zoom(block), 9, 2) << "one of eight, less the gaps between them";
    key("g", "frame", "warp");
    const Json warp = advance(1);
    EXPECT_GT(zoom(warp), 10 * zoom(block)) << "one of its sixteen";
    EXPECT_NE(warp["state"].get<std::string>().find("&frame=warp"), std::string::npos);
    const double before = warp["pan_x"];
    xdotool("key greater");
    until([](const Json& s) { return s["warp"] == 1; }, "the next warp");
    const Json next = advance(1);
    EXPECT_NEAR(zoom(next), zoom(warp), 0.01 * zoom(warp));
    EXPECT_LT(next["pan_x"], before) << "the tree goes on to it";
    key("shift+g", "frame", "block");
    EXPECT_NEAR(zoom(advance(1)), zoom(block), 0.01);
    key("shift+g", "frame", "all");
    EXPECT_EQ(zoom(advance(1)), 1);
}

TEST_F(UiZoom, PlayFollowsTheWorkUnlessToldNotTo) {
    open_grid();
    xdotool("key Home");
    key("space", "frame", "work");
    key("space", "playing", false);
    key("Home", "place", 0);
    EXPECT_EQ(zoom(advance(1)), 1) << "everything loads";
    key("Right", "place", 1);
    const double early = zoom(advance(1));
    EXPECT_GT(early, 50) << "the first pairs are within a warp";
    for (int step = 2; step <= 8; ++step) { // s = 128
        key("Right", "place", step);
        advance(1);
    }
    const double late = zoom(settled());
    EXPECT_LT(late, early / 3) << "the operands lie far apart";
    EXPECT_GT(late, 10);
    key("shift+j", "follow", false);
    EXPECT_EQ(settled()["frame"], "all");
    EXPECT_EQ(zoom(advance(1)), 1);
    key("space", "playing", true);
    EXPECT_EQ(advance(0.5)["frame"], "all");
    key("space", "playing", false);
    EXPECT_EQ(close_window(), 0);
    open({});
    EXPECT_EQ(settled()["follow"], false) << "remembered";
}

TEST_F(UiZoom, ButtonsMapAndMouseDoTheSame) {
    open_grid();
    click("tree-block");
    until([](const Json& s) { return s["frame"] == "block"; }, "its button");
    advance(1);
    const Json map = place("tree-map");
    const int x = static_cast<int>(map[0].get<double>() + map[2].get<double>() * 0.94), y = middle(map).second;
    const double before = settled()["pan_x"];
    click(x, y);
    const Json there = advance(1);
    EXPECT_EQ(there["frame"], "block");
    EXPECT_NE(there["state"].get<std::string>().find("shown-block=7"), std::string::npos) << there["state"];
    EXPECT_LT(there["pan_x"], before);
    EXPECT_EQ(there["selected"]["kind"], 0) << "a place to go, nothing to keep";
    drag(x, y, x - static_cast<int>(map[2].get<double>() / 2), y);
    EXPECT_EQ(settled()["frame"], "free");
    EXPECT_GT(state()["pan_x"], there["pan_x"]);
    key("f", "frame", "all");
    EXPECT_EQ(zoom(advance(1)), 1);
    // A double click on the bar of a warp or a block goes there.
    const Json tree = place("tree");
    bool found = false;
    for (int at = 0; at < 60 * 3 && !found; ++at) { // a row may end at a barrier there, which is a step's
        const int bar = static_cast<int>(tree[1].get<double>() + tree[3].get<double>() * 0.5) + at / 60 * 8;
        const Json kind = move(static_cast<int>(tree[0].get<double>()) + 60 + at % 60 * 4, bar)["hover"]["kind"];
        found = kind == 3 || kind == 7;
    }
    ASSERT_TRUE(found);
    xdotool("click --repeat 2 --delay 20 1");
    until([](const Json& s) { return s["frame"] == "warp" || s["frame"] == "block"; }, "a double click");
    EXPECT_GT(zoom(advance(1)), 5);
}

TEST_F(UiZoom, AStateSaysTheFrameAndIsThereAtOnce) {
    open({"--state", "explore/sequential?n=2048&block=1024&step=3&frame=work&warp=1"});
    until([](const Json& s) { return s["shown_n"] == 2048 && s["frame"] == "work"; }, "the frame");
    const Json s = settled();
    EXPECT_EQ(s["flying"], false);
    EXPECT_GT(zoom(s), 3);
    xdotool("key ctrl+Right");
    until([](const Json& j) { return j["frame"] == "free"; }, "moved by hand");
    EXPECT_NE(settled()["state"].get<std::string>().find("&zoom="), std::string::npos);
}

} // namespace
} // namespace warptree::testing
