// Keys, playback, and saved settings.
#include "tests/app/ui_fixture.hpp"
#include "tests/app/x_client.hpp"

namespace warptree::testing {
namespace {

TEST_F(Ui, EveryKeyOfTheTable) {
    open();
    EXPECT_EQ(state()["place"], 0);
    key("Right", "place", 1);
    key("Right", "place", 2);
    key("Left", "place", 1);
    xdotool("key shift+Right");
    until([](const Json& s) { return s["place"] == 2 && s["phase"] < 0.5; }, "a third of the next step");
    xdotool("key shift+Left");
    until([](const Json& s) { return s["place"] == 1 && s["phase"] == 1.0; }, "back from the sub-step");
    key("End", "place", state()["places"].get<int>() - 1);
    key("Home", "place", 0);
    key("Up", "speed", 2.0);
    key("Down", "speed", 1.0);
    key("l", "loop", true);
    key("space", "playing", true);
    const Json begun = settled();
    EXPECT_EQ(begun["place"], 1);
    EXPECT_LT(begun["phase"], 0.1) << "not before time goes on";
    EXPECT_GT(advance(0.3)["phase"], begun["phase"]);
    advance_until([](const Json& s) { return s["place"] >= 2; }, "play moves on");
    key("space", "playing", false);
    key("bracketright", "shown", "interleaved-strided");
    key("bracketleft", "shown", "interleaved-modulo");
    key("ctrl+equal", "scale", 1.25);
    key("ctrl+minus", "scale", 1.0);
    key("ctrl+minus", "scale", 0.8999999761581421);
    key("ctrl+0", "scale", 1.0);
    key("t", "theme", "contrast");
    key("t", "theme", "light");
    key("t", "theme", "dark");
    key("F11", "presentation", true);
    until([](const Json& s) { return s["scale"] == 1.5; }, "large text");
    key("F11", "presentation", false);
    key("F1", "dialog", "help");
    key("Escape", "dialog", "none");
    key("ctrl+k", "dialog", "palette");
    xdotool("type theme");
    key("Return", "theme", "contrast");
    EXPECT_EQ(state()["dialog"], "none");
    key("ctrl+k", "dialog", "palette");
    xdotool("type qzx");
    xdotool("key Return"); // no action has this name, so nothing happens
    key("Escape", "dialog", "none");
    EXPECT_EQ(state()["theme"], "contrast");
    EXPECT_EQ(close_window(), 0);
}

TEST_F(Ui, SteppingBackGivesTheSamePicture) {
    open();
    key("Escape", "notice", ""); // the start-up notice, which disappears by itself after a while
    key("Right", "place", 1);
    const std::string before = screenshot();
    key("Right", "place", 2);
    const std::string between = screenshot();
    EXPECT_NE(before, between);
    key("Left", "place", 1);
    EXPECT_EQ(screenshot(), before);
}

TEST_F(Ui, ZoomsAndPansByKeys) {
    open();
    xdotool("key plus key plus");
    const double pan = until([](const Json& s) { return s["zoom"] > 1.4; }, "plus zooms")["pan_x"];
    xdotool("key ctrl+Right");
    until([&](const Json& s) { return s["pan_x"] > pan + 20; }, "Ctrl+Right moves the tree");
    xdotool("key minus key minus");
    until([&](const Json& s) { return s["zoom"] < 1.01; }, "minus zooms out");
}

// Outside the field each letter is a shortcut; that they were typed shows in what Enter selects.
TEST_F(Ui, TypingInAFieldIsNoKeyOfTheProgram) {
    open();
    const Json before = settled();
    click(60, before["places_on_screen"]["strategies"][1].get<int>() + 58);
    EXPECT_EQ(settled()["typing"], true);
    xdotool("type butterfly");
    const Json typed = settled();
    EXPECT_EQ(typed["keyboard"], "strategies");
    xdotool("key Return");
    until([](const Json& s) { return s["shown"] == "warp-butterfly"; }, "the only strategy of that name");
    const Json after = settled();
    for (const char* what : {"theme", "scale", "page", "place", "playing", "loop", "front", "presentation", "zoom"}) {
        EXPECT_EQ(typed[what], before[what]) << what;
        EXPECT_EQ(after[what], before[what]) << what;
    }
    xdotool("key Escape");
    key("t", "theme", "contrast"); // outside the field it is a shortcut
}

TEST_F(Ui, StrategiesAndParametersByKeyboard) {
    open();
    key("Tab", "keyboard", "strategies");
    xdotool("key Down");
    key("Return", "shown", "interleaved-strided");
    EXPECT_EQ(state()["place"], 0) << "the arrow was for the list";
    EXPECT_EQ(settled()["keyboard"], "") << "Enter is done with the list";
    key("Right", "place", 1);
    key("ctrl+f", "keyboard", "strategies");
    settled();
    xdotool("type ttf");
    EXPECT_EQ(settled()["theme"], "dark");
    EXPECT_EQ(settled()["keyboard"], "strategies");
    key("Tab", "keyboard", "parameters");
    xdotool("type 100");
    key("Return", "shown_n", 100);
    key("Page_Up", "shown_n", 200);
    EXPECT_EQ(settled()["keyboard"], "");
    key("4", "page", "theory"); // digits choose screens again
    key("1", "page", "explore");
    key("i", "keyboard", "parameters");
    xdotool("key Tab"); // the block
    key("Left", "block", 32);
    key("Right", "block", 64);
    xdotool("key Down"); // the type
    settled();
    xdotool("key Right");
    until([](const Json& s) { return s["type"] != "i32" && !s["busy"]; }, "another type");
    key("shift+Tab", "keyboard", "parameters");
    xdotool("key Up");
    settled();
    xdotool("type 77");
    xdotool("key Tab"); // leaving the field also applies it
    until([](const Json& s) { return s["shown_n"] == 77; }, "the count typed before Tab");
    key("Escape", "keyboard", "");
    key("Right", "place", 2);
    key("i", "keyboard", "parameters");
    settled();
    xdotool("type 5");
    key("Escape", "keyboard", "");
    EXPECT_EQ(settled()["n"], 77) << "Escape takes back what was typed";
}

TEST_F(Ui, AnOpenListTakesTheKeys) {
    open();
    key("Right", "place", 1);
    const Json rect = place("parameters");
    // The second field, the block, by the mouse.
    const int x = rect[0].get<int>() + rect[2].get<int>() - 30, y = rect[1].get<int>() + 58;
    click(x, y);
    settled();
    xdotool("key End key Up key Return");
    until([](const Json& s) { return s["block"] == 512 && !s["busy"]; }, "the last but one");
    EXPECT_EQ(settled()["place"], 1) << "End was for the list";
    click(x, y);
    settled();
    xdotool("key Down key Escape");
    EXPECT_EQ(settled()["block"], 512) << "Escape takes nothing";
    key("Right", "place", 2);
    key("4", "page", "theory");
}

TEST_F(Ui, PaletteByArrowsAndByName) {
    open();
    key("ctrl+k", "dialog", "palette");
    xdotool("type strategy:");
    xdotool("key Down key Return");
    until([](const Json& s) { return s["shown"] == "interleaved-strided"; }, "the second strategy of the list");
    command("theme: contrast");
    until([](const Json& s) { return s["theme"] == "contrast"; }, "a theme by name");
    command("operator: max");
    command("type: f64");
    until([](const Json& s) { return s["type"] == "f64" && s["operator"] == "max"; }, "parameters by name");
    command("halve the");
    until([](const Json& s) { return s["shown_n"] == 32; }, "half the elements");
}

// Measured in CPU time, which other load does not change: the run would take about 30 s of it.
TEST_F(Ui, ClosesQuicklyDuringALongRun) {
    for (const bool by_key : {true, false}) {
        std::filesystem::create_directories(directory_ / "config/warptree");
        std::ofstream(directory_ / "config/warptree/state.json")
            << R"({"strategy": "interleaved-modulo", "n": 134217728, "block": 64, "finish": "relaunch"})";
        start({});
        until([](const Json& s) { return s.value("busy", false); }, "the long run");
        if (by_key) {
            xdotool("key ctrl+q");
        } else {
            ASSERT_TRUE(ask_to_close(display_, "warptree"));
        }
        rusage used{};
        EXPECT_EQ(wait_for_exit(&used), 0);
        EXPECT_LT(used.ru_utime.tv_sec + used.ru_stime.tv_sec, 10) << "it went on";
        std::ifstream in(directory_ / "config/warptree/state.json");
        EXPECT_TRUE(Json::parse(in, nullptr, false).is_object());
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_ / "config/warptree"), {}), 1)
            << "something half-written lies beside the state";
    }
}

TEST_F(Ui, RemembersAndSurvivesABadState) {
    open();
    key("t", "theme", "contrast");
    key("bracketright", "shown", "interleaved-strided");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["theme"], "contrast");
    EXPECT_EQ(state()["shown"], "interleaved-strided");
    EXPECT_EQ(close_window(), 0);
    std::ofstream(directory_ / "config/warptree/state.json") << "{ not json";
    open();
    EXPECT_EQ(state()["theme"], "dark");
    EXPECT_NE(state()["notice"].get<std::string>().find("could not be read"), std::string::npos);
}

TEST_F(Ui, OpensNoLargerThanTheScreen) {
    std::filesystem::create_directories(directory_ / "config/warptree");
    std::ofstream(directory_ / "config/warptree/state.json") << R"({"width": 3840, "height": 2160})";
    open();
    xdotool("search --name 'warptree$' getwindowgeometry | grep -q 'Geometry: 1440x900'"); // all of the test's screen
}

TEST_F(Ui, InterruptClosesCleanly) {
    open();
    kill(child_, SIGINT);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    EXPECT_EQ(exit_code(status), 0);
}

} // namespace
} // namespace warptree::testing
