// Steps by keys that are shown as they happen, and a presentation with the tree alone.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiSteps : public Ui {
  protected:
    UiSteps() { animated_ = true; }
};

TEST_F(UiSteps, RightTakesItsTimeAndAgainSkips) {
    open({"--state", "explore/sequential?n=32&block=32"});
    xdotool("key Home");
    settled();
    xdotool("key Right");
    Json s = settled();
    EXPECT_EQ(s["place"], 1);
    EXPECT_LT(s["phase"].get<double>(), 0.1);
    s = advance(0.2);
    EXPECT_GT(s["phase"].get<double>(), 0.2);
    EXPECT_LT(s["phase"].get<double>(), 1);
    s = advance(0.3);
    EXPECT_EQ(s["phase"], 1);
    EXPECT_EQ(s["place"], 1);
    xdotool("key Right");
    settled();
    xdotool("key Right");
    s = settled();
    EXPECT_EQ(s["place"], 2);
    EXPECT_EQ(s["phase"], 1) << "skipped";
    xdotool("key Left");
    s = advance(0.2);
    EXPECT_EQ(s["place"], 2);
    EXPECT_LT(s["phase"].get<double>(), 1);
    s = advance(0.3);
    EXPECT_EQ(s["place"], 1);
    EXPECT_EQ(s["phase"], 1);
    command("Steps by keys");
    xdotool("key Right");
    s = settled();
    EXPECT_EQ(s["place"], 2);
    EXPECT_EQ(s["phase"], 1) << "at once";
}

TEST_F(UiSteps, TwoKeysLeaveTheTreeAndTheTransport) {
    open({"--state", "explore/sequential?n=32&block=32"});
    key("F11", "scale", 1.5);
    key("z", "full", true);
    const Json s = settled();
    const Json places = s["places_on_screen"];
    EXPECT_TRUE(places.contains("tree"));
    EXPECT_TRUE(places.contains("transport"));
    EXPECT_FALSE(places.contains("menu"));
    EXPECT_FALSE(places.contains("source"));
    const double whole = places["tree"][3].get<double>() + places["transport"][3].get<double>();
    const double bottom = places["transport"][1].get<double>() + places["transport"][3].get<double>();
    EXPECT_GT(whole, 0.95 * bottom) << "the window's height, less gaps";
    key("F11", "scale", 1.0);
    key("Escape", "full", false);
    EXPECT_TRUE(settled()["places_on_screen"].contains("menu"));
}

} // namespace
} // namespace warptree::testing
