// PTX and SASS beside the source, with keys, buttons and the pointer.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiCode : public Ui {
  protected:
    void open_at(const std::string& more = "") {
        open({"--state", "explore/sequential?n=1024&block=256&step=3" + more});
        until([](const Json& s) { return s["shown_n"] == 1024; }, "the trace");
        settled();
    }
    static bool shows(const Json& s, const char* id) { return s["places_on_screen"].contains(id); }
    static bool says(const Json& s, const std::string& word) {
        return s["state"].get<std::string>().find(word) != std::string::npos;
    }
};

TEST_F(UiCode, AKeyBringsThemInTurn) {
    open_at();
    EXPECT_FALSE(says(settled(), "code="));
    xdotool("key x");
    until([](const Json& s) { return says(s, "&code=ptx&"); }, "PTX");
    until([](const Json& s) { return shows(s, "code-column-ptx") && !shows(s, "code-column-sass"); }, "its column");
    xdotool("key x");
    until([](const Json& s) { return says(s, "&code=ptx:sass&"); }, "both");
    until([](const Json& s) { return shows(s, "code-column-sass"); }, "the other column");
    xdotool("key x");
    until([](const Json& s) { return says(s, "&code=sass&"); }, "SASS");
    xdotool("key x");
    until([](const Json& s) { return !says(s, "code="); }, "neither");
}

TEST_F(UiCode, ButtonsAndThePointerChoose) {
    open_at("&full=source");
    click("code-PTX");
    until([](const Json& s) { return says(s, "&code=ptx&"); }, "PTX");
    const Json column = until([](const Json& s) { return shows(s, "code-column-ptx"); },
                              "its column")["places_on_screen"]["code-column-ptx"];
    EXPECT_TRUE(shows(settled(), "code-note")) << "that the steps count what is written";
    click(column[0].get<int>() + 90, column[1].get<int>() + 200);
    const Json chosen = until([](const Json& s) { return says(s, "&code-at=ptx:"); }, "a line of it");
    EXPECT_TRUE(chosen["error"].get<std::string>().empty());
    click(column[0].get<int>() + 90, column[1].get<int>() + 200);
    until([](const Json& s) { return !says(s, "code-at"); }, "let go again");
}

TEST_F(UiCode, ArrowsWalkThroughTheLinesOfAllColumns) {
    open_at("&full=source&code=ptx:sass&code-at=cuda:22");
    until([](const Json& s) { return shows(s, "code-column-sass"); }, "the columns");
    EXPECT_TRUE(says(settled(), "&code-at=cuda:22")) << "as the state said";
    const Json column = settled()["places_on_screen"]["code-column-ptx"];
    click(column[0].get<int>() + 90, column[1].get<int>() + 200); // takes keyboard focus
    until([](const Json& s) { return says(s, "&code-at=ptx:"); }, "a line of PTX");
    const std::string before = settled()["state"];
    xdotool("key Down");
    until([&](const Json& s) { return says(s, "&code-at=ptx:") && s["state"] != before; }, "the line below");
    xdotool("key Right");
    until([](const Json& s) { return says(s, "&code-at=sass:"); }, "what belongs to it in SASS");
    xdotool("key Left");
    xdotool("key Left");
    until([](const Json& s) { return says(s, "&code-at=cuda:"); }, "and in the source");
    xdotool("key Return");
    until([](const Json& s) { return !says(s, "code-at"); }, "the running line again");
}

// A line past the end, as from another text's state string, is dropped with a message; the running line is lit again.
TEST_F(UiCode, ALineThatIsNotThereIsLetGo) {
    open_at("&full=source&code=ptx&code-at=ptx:99999");
    until([](const Json& s) { return shows(s, "code-refused") && !says(s, "code-at"); }, "why it is not there");
    const Json column = settled()["places_on_screen"]["code-column-ptx"];
    click(column[0].get<int>() + 90, column[1].get<int>() + 200);
    until([](const Json& s) { return says(s, "&code-at=ptx:") && !shows(s, "code-refused"); }, "one that is");
}

} // namespace
} // namespace warptree::testing
