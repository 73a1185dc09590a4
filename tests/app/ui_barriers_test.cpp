// Barriers and lifelines in the window, with real keys and mouse.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class BarriersUi : public Ui {};

TEST_F(BarriersUi, AreAPartOfAStepOfTheirOwn) {
    open({"--state", "explore/sequential?n=128&block=128&step=1&frame=all"});
    key("shift+Right", "place", 2);
    key("shift+Right", "place", 2);
    key("shift+Right", "phase", 1.0);
    Json s = settled();
    EXPECT_LT(s.value("barrier", 1.0), 1.0) << "all wait";
    EXPECT_NE(s.value("state", "").find("part=3"), std::string::npos);
    const std::string waiting = screenshot();
    key("shift+Right", "barrier", 1.0);
    s = settled();
    EXPECT_EQ(s["place"], 2);
    EXPECT_EQ(s.value("state", "").find("part="), std::string::npos);
    EXPECT_NE(screenshot(), waiting);
    key("shift+Left", "state", "explore/sequential?n=128&block=128&step=2&part=3&frame=all");
    EXPECT_EQ(screenshot(), waiting);
    EXPECT_EQ(close_window(), 0);
    // The state can be restored.
    open({"--state", "explore/sequential?block=128&n=128&part=3&step=2"});
    EXPECT_LT(settled().value("barrier", 1.0), 1.0);
}

TEST_F(BarriersUi, AThreadThatIsSelectedHasItsLifeline) {
    open({"--state", "explore/sequential?n=128&block=128&step=1&frame=all"});
    key("Escape", "notice", "");
    settled();
    const Json step = place("step");
    EXPECT_FALSE(state()["places_on_screen"].contains("lifeline"));
    const std::string before = screenshot();
    key("alt+Down", "dialog", "none"); // the keyboard selects a cell of the tree
    until([](const Json& s) { return s["places_on_screen"].contains("lifeline"); }, "the lifeline");
    const Json line = place("lifeline");
    EXPECT_GE(line[0].get<double>(), step[0].get<double>());
    EXPECT_LE(line[0].get<double>() + line[2].get<double>(), step[0].get<double>() + step[2].get<double>());
    key("Escape", "dialog", "none");
    until([](const Json& s) { return !s["places_on_screen"].contains("lifeline"); }, "no lifeline");
    EXPECT_EQ(screenshot(), before);
    const Json warps = place("warps");
    const int y = middle(warps).second;
    for (int down = 0; down < 24 && !settled()["places_on_screen"].contains("lifeline"); down += 6) {
        click(warps[0].get<int>() + warps[2].get<int>() / 4, y + down); // a lane; barriers lie between the rows
    }
    until([](const Json& s) { return s["places_on_screen"].contains("lifeline"); }, "the lifeline of what was clicked");
}

} // namespace
} // namespace warptree::testing
