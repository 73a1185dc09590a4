// Screens chosen by their digits, and the Theory screen, with real keys.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiPages : public Ui {
  protected:
    Json value(const char* name, const std::string& wanted) const {
        return until([&](const Json& s) { return s["page_values"].value(name, "") == wanted; },
                     std::string(name) + " = " + wanted);
    }
};

TEST_F(UiPages, AreChosenByDigitsTabsAndNames) {
    open();
    EXPECT_EQ(state()["page"], "explore");
    key("4", "page", "theory");
    const Json before = settled();
    xdotool("key space key Right");
    EXPECT_EQ(settled()["place"], before["place"]) << "the keys of Explore rest while another screen is shown";
    EXPECT_EQ(state()["playing"], false);
    key("1", "page", "explore");
    key("Right", "place", before["place"].get<int>() + 1);
    click("page-theory");
    until([](const Json& s) { return s["page"] == "theory"; }, "the tab of Theory");
    command("step forward"); // switches to a screen where its key works
    until([](const Json& s) { return s["page"] == "explore"; }, "the screen of the action");
    key("9", "page", "explore"); // there is no such screen
}

TEST_F(UiPages, TheoryFollowsWhatIsTypedAndRemembersIt) {
    open();
    key("4", "page", "theory");
    value("topic", "warps");
    key("i", "keyboard", "fields");
    settled();
    xdotool("type 16");
    xdotool("key Tab");
    value("block-x", "16");
    settled();
    xdotool("type 4");
    xdotool("key Return");
    value("block-y", "4");
    EXPECT_EQ(settled()["keyboard"], "");
    key("i", "keyboard", "fields");
    xdotool("key Tab");
    settled();
    xdotool("type 4000");
    xdotool("key Return");
    settled();
    value("block-y", "4"); // 16 × 4000 threads exceed the block limit
    EXPECT_EQ(state()["keyboard"], "");
    EXPECT_EQ(state()["page"], "theory") << "digits that are typed choose no screen";
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "theory");
    value("block-x", "16");
    value("block-y", "4");
}

TEST_F(UiPages, EnterInAClickedFieldChangesNoOther) {
    open();
    command("topic: occupancy");
    until([](const Json& s) { return s["page_values"].value("topic", "") == "occupancy"; }, "occupancy");
    const std::string device = settled()["page_values"]["device"];
    click("field-block-x");
    settled();
    xdotool("type 32");
    xdotool("key Return");
    value("block-x", "32");
    const Json after = settled();
    EXPECT_EQ(after["page_values"]["device"], device);
    EXPECT_EQ(after["keyboard"], "");
    key("1", "page", "explore");
}

TEST_F(UiPages, OccupancyBeginsWithTheKernelOfOnesOwn) {
    const std::string file = (directory_ / "mine.cu").string();
    std::ofstream(file) << "// block: 128\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                           "  s[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n"
                           "  out[threadIdx.x] = s[127 - threadIdx.x];\n}\n";
    open({file});
    key("4", "page", "theory");
    value("block-x", "128");
    value("shared", "1024");
    key("i", "keyboard", "fields");
    settled();
    xdotool("type 64");
    xdotool("key Return");
    value("block-x", "64");
    key("1", "page", "explore");
    key("4", "page", "theory");
    value("block-x", "64"); // what was changed stays while the kernel is the same
}

// Not by its digit, but by the list of actions.
TEST_F(UiPages, OccupancyBeginsWithTheKernelOfOnesOwnByItsNameToo) {
    const std::string file = (directory_ / "mine.cu").string();
    std::ofstream(file) << "// block: 128\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[256];\n"
                           "  s[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n"
                           "  out[threadIdx.x] = s[127 - threadIdx.x];\n}\n";
    open({file});
    xdotool("key ctrl+k");
    settled();
    xdotool("type occupancy");
    settled();
    key("Return", "page", "theory");
    value("shared", "1024");
}

TEST_F(UiPages, StridesFollowWhatIsTypedAndRememberIt) {
    open();
    key("6", "page", "stride-playground");
    value("index", "2*s*t");
    key("bracketright", "page", "stride-playground");
    value("stride", "2");
    key("i", "keyboard", "request");
    settled();
    xdotool("type 'lane*3'");
    xdotool("key Tab");
    value("index", "lane*3");
    settled();
    xdotool("type 9x");
    xdotool("key Return");
    settled();
    value("stride", "2"); // 9x is not a number
    key("Escape", "keyboard", "");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "stride-playground");
    value("index", "lane*3");
}

TEST_F(UiPages, FoldUpAtTheLargestText) {
    open();
    key("4", "page", "theory");
    for (int i = 0; i < 8; ++i) {
        xdotool("key ctrl+equal");
    }
    const Json s = until([](const Json& now) { return now["scale"] == 3; }, "text at 300 %");
    const Json figure = s["places_on_screen"]["theory-figure"];
    EXPECT_GT(figure[2].get<double>(), 400);
    EXPECT_GT(figure[3].get<double>(), 300);
    EXPECT_TRUE(s["places_on_screen"].contains("page-explore")) << "the tabs stay, by digit";
}

} // namespace
} // namespace warptree::testing
