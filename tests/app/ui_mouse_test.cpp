// Mouse, splitters, folded panels, and the choice of a bank request.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

TEST_F(Ui, MouseHoversSelectsZoomsAndPans) {
    open();
    const Json tree = place("tree");
    const int x = tree[0].get<int>() + tree[2].get<int>() / 4, y = tree[1].get<int>();
    // Searches down the first column of the tree for a node.
    bool hovered = false;
    for (int dy = 40; dy < tree[3].get<int>() && !hovered; dy += 4) {
        hovered = move(x, y + dy)["hover"]["kind"] == 1;
    }
    ASSERT_TRUE(hovered);
    xdotool("click 1");
    until([](const Json& s) { return s["selected"]["kind"] == 1; }, "the click keeps the node");
    key("Escape", "selected", Json{{"kind", 0}, {"block", 0}, {"index", 0}});
    xdotool("click 4");
    until([](const Json& s) { return s["zoom"] > 1.1; }, "the wheel zooms");
    xdotool("click 4");
    // Zooming around the pointer also moves the tree, so the start of the drag is known only afterwards.
    const double pan = until([](const Json& s) { return s["zoom"] > 1.4; }, "the wheel zooms on")["pan_x"];
    drag(x, y + 160, x + 40, y + 160);
    until([&](const Json& s) { return s["pan_x"] > pan + 20; }, "dragging pans");
    key("f", "frame", "all");
    EXPECT_EQ(advance(1)["zoom"], 1.0);
}

// The pixels within `place`, of a screen 1440 pixels wide.
std::string within(const std::string& pixels, const Json& place) {
    constexpr std::size_t kColumns = 1440, kBytes = 4;
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(place[i].get<double>()); };
    std::string all;
    for (std::size_t y = at(1); y < at(1) + at(3); ++y) {
        all += pixels.substr((y * kColumns + at(0)) * kBytes, at(2) * kBytes);
    }
    return all;
}

TEST_F(Ui, WhatIsHoveredLightsUpInTheOtherViews) {
    open();
    const Json tree = place("tree"), warps = place("warps");
    const int x = tree[0].get<int>() + tree[2].get<int>() / 4;
    const std::string before = within(screenshot(), warps);
    bool hovered = false;
    for (int y = tree[1].get<int>() + 40; y < warps[1].get<int>() && !hovered; y += 4) {
        hovered = move(x, y)["hover"]["kind"] == 1;
    }
    ASSERT_TRUE(hovered);
    EXPECT_NE(within(screenshot(), warps), before) << "the thread of the cell, in the warp grid";
    EXPECT_EQ(state()["selected"]["kind"], 0) << "without a click";
    key("ctrl+k", "dialog", "palette");
    EXPECT_EQ(settled()["hover"]["kind"], 0) << "nothing behind a dialog is pointed at";
    key("Escape", "dialog", "none");
}

TEST_F(Ui, MouseWorksTheButtons) {
    open();
    click("theme");
    until([](const Json& s) { return s["theme"] == "contrast"; }, "the theme button");
    const Json list = place("strategies");
    click(60, list[1].get<int>() + 195);
    until([](const Json& s) { return s["shown"] != "interleaved-modulo"; }, "a strategy by mouse");
}

// Both clicks, and the movement between them, within a frame or two.
TEST_F(Ui, AClickRightAfterAClickArrives) {
    open();
    const Json theme = place("theme"), transport = place("transport");
    const auto at = [](int x, int y) {
        return "mousemove " + std::to_string(x) + " " + std::to_string(y) + " click 1 ";
    };
    const int seek_x = transport[0].get<int>() + transport[2].get<int>() / 2;
    const int seek_y = transport[1].get<int>() + transport[3].get<int>() / 2;
    xdotool(at(theme[0].get<int>() + 10, theme[1].get<int>() + 10) + at(seek_x, seek_y));
    until([](const Json& s) { return s["theme"] == "contrast" && s["place"] > 1; },
          "a theme, and a place by the strip");
}

TEST_F(Ui, AStepButtonThatIsHeldGoesOnAndStopsAtTheEnd) {
    open();
    const auto places = state()["places"].get<unsigned>();
    ASSERT_GT(places, 5U);
    const auto [x, y] = middle(place("forward"));
    move(x, y);
    const auto before = state()["place"].get<unsigned>();
    xdotool("mousedown 1");
    EXPECT_EQ(settled()["place"], before + 1) << "one step as soon as it is pressed";
    advance(0.2);
    EXPECT_EQ(state()["place"], before + 1) << "and no more at a short press";
    advance_until([&](const Json& s) { return s["place"] == places - 1; }, "the last step");
    xdotool("mouseup 1");
    advance(1);
    EXPECT_EQ(settled()["place"], places - 1);
    click("back");
    EXPECT_EQ(settled()["place"], places - 2);
}

TEST_F(Ui, SpeedIsTakenFromAListByMouseAndLetters) {
    open();
    click("speed");
    settled(); // the list is open
    xdotool("key 5 Return");
    until([](const Json& s) { return s["speed"] == 5.0; }, "the speed that begins with a 5");
    click("speed");
    settled(); // the list is open
    xdotool("key 0 2 Return");
    until([](const Json& s) { return std::abs(s["speed"].get<double>() - 0.25) < 1e-6; }, "the one that goes on so");
    click("speed");
    settled(); // the list is open
    xdotool("key 2 5 Return");
    until([](const Json& s) { return std::abs(s["speed"].get<double>() - 0.25) < 1e-6; }, "the one that contains it");
    click("speed");
    settled(); // the list is open
    xdotool("key Page_Up Return");
    until([](const Json& s) { return std::abs(s["speed"].get<double>() - 0.1) < 1e-6; }, "the slowest");
    click("speed");
    settled(); // the list is open
    xdotool("key Page_Down Escape");
    EXPECT_NEAR(settled()["speed"].get<double>(), 0.1, 1e-6) << "Escape takes nothing";
}

TEST_F(Ui, SplittersAreDraggedRememberedAndRestored) {
    open();
    const struct {
        const char *id, *panel, *field;
        int dx, dy;
        const char* cursor;
    } splitters[] = {{"split-left", "strategies", "left", 50, 0, "sideways"},
                     {"split-right", "source", "right", -50, 0, "sideways"},
                     {"split-lower", "warps", "lower", 0, -40, "up-down"}};
    for (const auto& s : splitters) {
        const int side = s.dx != 0 ? 2 : 3;
        const double before = place(s.panel)[side];
        const auto [x, y] = middle(place(s.id));
        EXPECT_EQ(move(x, y)["cursor"], s.cursor) << s.id;
        drag(x, y, x + s.dx, y + s.dy);
        const double moved = std::abs(s.dx + s.dy);
        until(
            [&](const Json& j) {
                return std::abs(j["places_on_screen"][s.panel][side].get<double>() - before - moved) < 4;
            },
            std::string(s.id) + " makes its panel larger by as much as it was dragged");
    }
    const Json shares = state();
    EXPECT_EQ(close_window(), 0);
    open();
    for (const auto& s : splitters) {
        EXPECT_FLOAT_EQ(state()[s.field].get<float>(), shares[s.field].get<float>()) << s.id;
    }
    // Dragged to the far end: every panel stays usable.
    for (const auto& s : splitters) {
        const auto [x, y] = middle(place(s.id));
        drag(x, y, x + 19 * s.dx, y + 19 * s.dy);
    }
    const Json places = state()["places_on_screen"];
    for (const char* panel : {"strategies", "tree", "warps", "source", "step"}) {
        EXPECT_GE(places[panel][2], 110) << panel;
        EXPECT_GE(places[panel][3], 110) << panel;
    }
    const auto [x, y] = middle(place("split-left"));
    move(x, y);
    xdotool("click --repeat 2 --delay 40 1");
    until([](const Json& s) { return s["left"] == 1.0; }, "a double click restores");
    command("reset the layout");
    until([](const Json& s) { return s["right"] == 1.0 && s["lower"] == 1.0; }, "Reset the layout restores all");
}

TEST_F(Ui, SplittersWorkAtEveryScale) {
    open();
    for (const char* keys : {"ctrl+minus", "ctrl+equal", "ctrl+equal", "ctrl+equal"}) {
        const Json before = state();
        xdotool(std::string("key ") + keys);
        until([&](const Json& s) { return s["scale"] != before["scale"]; }, "another scale");
        const Json s = settled();
        ASSERT_TRUE(s["places_on_screen"].contains("split-right")) << s["scale"];
        const auto [x, y] = middle(s["places_on_screen"]["split-right"]);
        const float right = s["right"];
        drag(x, y, x - 15, y);
        until([&](const Json& j) { return j["right"] > right; }, "the splitter moves at scale " + s["scale"].dump());
    }
}

TEST_F(Ui, PanelsFoldWhereTheyHaveNoRoom) {
    open();
    for (int i = 0; i < 6; ++i) {
        xdotool("key ctrl+equal");
    }
    const Json s = until([](const Json& j) { return j["scale"] == 3.0; }, "300 %");
    EXPECT_EQ(s["front"], "tree");
    const Json places = settled()["places_on_screen"];
    EXPECT_FALSE(places.contains("warps"));
    const double bottom = places["transport"][1];
    for (const auto& [id, r] : places.items()) {
        EXPECT_GE(r[0].get<double>(), -1) << id;
        EXPECT_LE(r[0].get<double>() + r[2].get<double>(), 1441) << id;
        const double y = r[1].get<double>(); // within the transport, or above it
        EXPECT_TRUE(y >= bottom || y + r[3].get<double>() <= bottom + 1) << id;
    }
    click("tab-banks");
    until([](const Json& j) { return j["front"] == "banks"; }, "a tab brings its panel forward");
    key("v", "front", "memory");
    key("v", "front", "source");
    key("ctrl+f", "front", "strategies");
    xdotool("type sequen");
    key("Return", "shown", "sequential");
    EXPECT_EQ(settled()["keyboard"], "");
    key("ctrl+0", "front", "tree");
}

TEST_F(Ui, BanksShowTheChosenWarpAndRequest) {
    open();
    key("Right", "place", 1); // s = 1: two loads and a store in each of two warps
    const int first = settled()["request"];
    xdotool("key period");
    const int second = until([&](const Json& s) { return s["request"] != first; }, "the next access")["request"];
    xdotool("key comma");
    until([&](const Json& s) { return s["request"] == first; }, "the one before");
    EXPECT_NE(first, second);
    key("greater", "warp", 1);
    key("less", "warp", 0);
    // A click in the second half of the warp grid chooses warp 1.
    const Json warps = place("warps");
    click(warps[0].get<int>() + warps[2].get<int>() * 7 / 10, warps[1].get<int>() + warps[3].get<int>() / 3);
    until([](const Json& s) { return s["warp"] == 1; }, "a click in the warp grid");
}

TEST_F(Ui, TooltipsWaitForAPointerAtRestAndGoWhereKeysDrive) {
    open();
    const auto shows = [&] { return settled()["places_on_screen"].contains("tooltip"); };
    const auto [x, y] = middle(place("play"));
    move(x, y);
    EXPECT_FALSE(shows()) << "it has only just arrived";
    advance(0.5);
    EXPECT_TRUE(shows());
    key("Right", "place", 1);
    EXPECT_FALSE(shows()) << "a key was pressed";
    advance(2);
    EXPECT_FALSE(shows()) << "and keys still drive";
    move(x + 8, y);
    advance(0.1);
    EXPECT_FALSE(shows());
    advance(0.5);
    EXPECT_TRUE(shows()) << "the pointer moved and rests again";
}

} // namespace
} // namespace warptree::testing
