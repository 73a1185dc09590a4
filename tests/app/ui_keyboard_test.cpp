// Keyboard access to cells of the tree and edges between panels.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

TEST_F(Ui, WalksTheTreeByKeyboard) {
    open();
    key("End", "place", state()["places"].get<int>() - 1);
    xdotool("key alt+Up"); // the first: the last row that has cells, the total
    const Json total = until([](const Json& s) { return s["selected"]["kind"] == 1; }, "the total")["selected"];
    xdotool("key alt+Up");
    const Json operand =
        until([&](const Json& s) { return s["selected"]["index"] != total["index"]; }, "an operand")["selected"];
    EXPECT_LT(operand["index"], total["index"]) << "operands come before what they become";
    key("alt+Down", "selected", total);
    xdotool("key alt+Up alt+Up alt+Up alt+Up alt+Up alt+Up alt+Up alt+Up");
    const Json leaf = settled()["selected"];
    EXPECT_EQ(leaf["index"], 0) << "the first element";
    xdotool("key alt+Right");
    until([](const Json& s) { return s["selected"]["index"] == 1; }, "its neighbour");
    EXPECT_EQ(state()["place"], state()["places"].get<int>() - 1) << "time stands still";
    // Zoomed far in, the camera follows.
    xdotool("key plus key plus key plus key plus key plus key plus key plus key plus key plus");
    const double pan = settled()["pan_x"];
    for (int i = 0; i < 12; ++i) {
        xdotool("key alt+Left");
    }
    until([&](const Json& s) { return s["selected"]["index"] == 0 && s["pan_x"].get<double>() > pan; },
          "the first element in sight");
    key("Escape", "selected", Json{{"kind", 0}, {"block", 0}, {"index", 0}});
}

TEST_F(Ui, WalksBarsAndLaunches) {
    std::filesystem::create_directories(directory_ / "config/warptree");
    std::ofstream(directory_ / "config/warptree/state.json")
        << R"({"strategy": "sequential", "n": 4096, "block": 512, "finish": "relaunch"})";
    open();
    xdotool("key alt+Right");
    const Json first = until([](const Json& s) { return s["selected"]["kind"] != 0; }, "a bar")["selected"];
    EXPECT_TRUE(first["kind"] == 3 || first["kind"] == 7) << first; // a warp or a block
    xdotool("key alt+Right");
    const Json second = until([&](const Json& s) { return s["selected"] != first; }, "the next")["selected"];
    EXPECT_EQ(second["kind"], first["kind"]);
    key("alt+Left", "selected", first);
}

TEST_F(Ui, MovesTheEdgesBetweenPanelsByKeyboard) {
    open();
    const struct {
        const char *id, *panel, *field, *more, *less;
        int side;
    } edges[] = {{"split-left", "strategies", "left", "Right", "Left", 2},
                 {"split-lower", "warps", "lower", "Up", "Down", 3},
                 {"split-right", "source", "right", "Left", "Right", 2}};
    key("Tab", "keyboard", "strategies");
    key("Tab", "keyboard", "parameters");
    for (int i = 0; i < 30 && state()["keyboard"] == "parameters"; ++i) {
        xdotool("key Tab");
        settled();
    }
    for (const auto& e : edges) {
        until([&](const Json& s) { return s["keyboard"] == e.id; }, e.id);
        const double before = place(e.panel)[e.side];
        xdotool(std::string("key ") + e.more + " " + e.more);
        until([&](const Json& s) { return s["places_on_screen"][e.panel][e.side].get<double>() > before + 20; },
              std::string(e.id) + " moves");
        xdotool(std::string("key ") + e.less);
        until([&](const Json& s) { return s["places_on_screen"][e.panel][e.side].get<double>() < before + 20; },
              std::string(e.id) + " moves back");
        key("Return", e.field, 1.0);
        xdotool("key Tab");
    }
    until([](const Json& s) { return s["keyboard"] == ""; }, "the keyboard is the program's again");
    key("Right", "place", 1);
    command("move the edge of the source");
    until([](const Json& s) { return s["keyboard"] == "split-right"; }, "the edge by name");
}

// M goes from the banks through the arrays of the launch, and back.
TEST_F(Ui, ShowsTheElementsOfArrays) {
    open();
    const auto shown = [&] {
        const Json places = state()["places_on_screen"];
        return places.contains("memory") ? "memory" : "banks";
    };
    EXPECT_STREQ(shown(), "banks");
    key("m", "array", state()["arrays"][0]);
    until([](const Json& s) { return s["places_on_screen"].contains("memory"); }, "the elements");
    const Json arrays = state()["arrays"];
    ASSERT_GE(arrays.size(), 3U) << "shared memory, what comes in and what goes out: " << arrays;
    for (std::size_t k = 1; k < arrays.size(); ++k) {
        key("m", "array", arrays[k]);
    }
    key("m", "array", "");
    until([](const Json& s) { return !s["places_on_screen"].contains("memory"); }, "the banks");
    // By name, with its element, whose thread is selected.
    key("ctrl+k", "dialog", "palette");
    xdotool("type '" + arrays[0].get<std::string>() + "[5]'");
    xdotool("key Return");
    until([&](const Json& s) { return s["array"] == arrays[0] && s["element"] == 5; }, "the element");
    until([](const Json& s) { return s["selected"]["kind"] == 2 && s["selected"]["index"] == 5; }, "its thread");
    key("ctrl+k", "dialog", "palette");
    xdotool("type 'thread 17'");
    xdotool("key Return");
    until([](const Json& s) { return s["selected"]["kind"] == 2 && s["selected"]["index"] == 17; }, "the thread");
}

} // namespace
} // namespace warptree::testing
