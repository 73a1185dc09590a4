// The Compare screen with real keys and mouse.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class UiCompare : public Ui {
  protected:
    Json value(const char* name, const std::string& wanted) const {
        return until([&](const Json& s) { return s["page_values"].value(name, "") == wanted; },
                     std::string(name) + " = " + wanted);
    }
    Json shown(const char* name, const std::string& wanted) const {
        return until([&](const Json& s) { return s["page_shown"].value(name, "") == wanted; },
                     std::string(name) + " is " + wanted);
    }
    void compare() {
        open();
        key("2", "page", "compare");
        shown("ready", "yes");
        xdotool("key bracketleft");
        value("column-3", "sequential:block=64");
        shown("ready", "yes");
    }
};

TEST_F(UiCompare, StepsAllColumnsAtOnce) {
    compare();
    const int explored = state()["place"].get<int>();
    xdotool("key Home");
    shown("aligned_step", "0");
    xdotool("key Right key Right key Right");
    shown("aligned_step", "3");
    xdotool("key Left");
    shown("aligned_step", "2");
    xdotool("key End");
    shown("aligned_step", "7");
    EXPECT_EQ(state()["place"].get<int>(), explored) << "Explore rests";
    xdotool("key Home key space");
    shown("playing", "yes");
    xdotool("key space");
    shown("playing", "no");
    const Json bar = place("compare-transport");
    click(static_cast<int>(bar[0].get<double>() + bar[2].get<double>() * 0.9), middle(bar).second);
    until([](const Json& s) { return std::stoi(s["page_shown"].value("aligned_step", "0")) >= 5; },
          "a click on the strip");
}

TEST_F(UiCompare, LightsUpTheCounterpart) {
    compare();
    xdotool("key Home key Right key Right");
    shown("aligned_step", "2");
    const Json first = place("compare-column-1");
    // Searches down the left edge of the tree for a cell.
    Json s;
    bool found = false;
    for (int y = 70; y < 300 && !found; y += 6) {
        move(static_cast<int>(first[0].get<double>()) + 34, static_cast<int>(first[1].get<double>()) + y);
        s = settled();
        found = s["page_shown"].value("lit-1", "").find("value") == 0;
    }
    ASSERT_TRUE(found) << s["page_shown"].dump(1);
    const auto value_of = [&](const char* id) {
        const std::string text = s["page_shown"].value(id, "");
        return text.substr(0, text.find(';'));
    };
    EXPECT_EQ(value_of("lit-1"), value_of("lit-2")) << "the same elements, in the other column";
    EXPECT_EQ(value_of("lit-3").find("value"), 0U) << "another tree: the same thread";
}

TEST_F(UiCompare, ChangesColumnsFromTheKeyboard) {
    compare();
    xdotool("key bracketright");
    value("column-3", ""); // the next comparison has two columns
    shown("ready", "yes");
    xdotool("key Insert");
    value("column-3", "interleaved-strided:block=64");
    shown("front", "2");
    xdotool("key Delete");
    value("column-3", "");
    xdotool("key a");
    value("align", "stride");
    xdotool("key Prior");
    value("n", "128");
    key("i", "keyboard", "columns");
    shown("editing", "yes");
    settled();
    xdotool("type 64");
    xdotool("key Return");
    value("n", "64");
    EXPECT_EQ(settled()["keyboard"], "");
    key("i", "keyboard", "columns");
    settled();
    xdotool("key Tab key Tab key Tab key Tab key Tab key Right"); // operator, input, alignment, column, strategy
    until([](const Json& s) { return s["page_values"].value("column-2", "").find("sequential") == 0; },
          "the next strategy");
    key("Escape", "keyboard", "");
    settled(); // while it compares, Escape cancels that first
    xdotool("key Escape");
    shown("editing", "no");
    shown("ready", "yes");
    EXPECT_NE(settled()["page_shown"].value("change-1", ""), "");
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "compare");
    value("align", "stride");
}

TEST_F(UiCompare, FoldsUpAndShowsTheTableInItsTurn) {
    compare();
    EXPECT_TRUE(settled()["places_on_screen"].contains("compare-table"));
    for (int i = 0; i < 8; ++i) {
        xdotool("key ctrl+equal");
    }
    until([](const Json& s) { return s["scale"] == 3; }, "text at 300 %");
    EXPECT_FALSE(settled()["places_on_screen"].contains("compare-table"));
    xdotool("key v key v key v");
    value("part", "table");
    until([](const Json& s) { return s["places_on_screen"].contains("compare-table"); }, "the table");
    EXPECT_FALSE(settled()["places_on_screen"].contains("compare-column-1"));
    xdotool("key shift+Down key shift+Down");
    shown("row", "2");
    xdotool("key v");
    until([](const Json& s) { return s["places_on_screen"].contains("compare-column-1"); }, "the columns");
}

TEST_F(UiCompare, BeginsWithWhatExploreShows) {
    open({"--state", "explore/block-shuffle?n=512&block=128&type=f32"});
    until([](const Json& s) { return s["shown_n"] == 512; }, "the strategy");
    key("2", "page", "compare");
    shown("ready", "yes");
    const Json s = settled();
    EXPECT_EQ(s["page_values"]["n"], "512");
    EXPECT_EQ(s["page_values"]["column-" + s["page_shown"]["front"].get<std::string>()],
              "block-shuffle:block=128,type=f32");
    EXPECT_NE(s["page_values"]["column-2"], "") << "beside what it is compared with";
    EXPECT_NE(s["page_values"]["column-1"].get<std::string>().find("block=128,type=f32"), std::string::npos)
        << "called alike";
    // Only the first time: later visits keep the current columns.
    xdotool("key bracketright");
    settled();
    const Json columns = until([](const Json& j) { return j["page_shown"].value("ready", "") == "yes"; }, "another");
    key("1", "page", "explore");
    key("2", "page", "compare");
    EXPECT_EQ(settled()["page_values"]["column-1"], columns["page_values"]["column-1"]);
}

TEST_F(UiCompare, PutsTwoOpenFilesSideBySideAndJudgesTheMarkedOne) {
    const auto file = [&](const char* name, const char* result) {
        const std::string path = (directory_ / name).string();
        std::ofstream(path) << "// n: 96\n// block: 96\n// expect: sum\n__global__ void k(const int* in, int* out) {\n"
                            << "    if (threadIdx.x == 0)\n        for (int i = 0; i < 96; ++i)\n            out[0] += "
                            << result << ";\n}\n";
        return path;
    };
    const std::string right = file("right.cu", "in[i]"), wrong = file("wrong.cu", "1");
    open({right, wrong});
    until([](const Json& s) { return s["verdict"].get<std::string>().find("wrong: 96") != std::string::npos; },
          "the last one opened");
    key("2", "page", "compare");
    value("column-1", right);
    value("column-2", wrong);
    value("n", "96");
    shown("ready", "yes");
    until([](const Json& s) { return s["verdict"].get<std::string>().find("wrong: 96") != std::string::npos; },
          "the column of the one explored");
    xdotool("key comma");
    until([](const Json& s) { return s["verdict"].get<std::string>().find("right: ") != std::string::npos; },
          "the other");
    click("verdict");
    until([&](const Json& s) { return s["page"] == "explore" && s["kernel"]["path"] == right; }, "it is explored");
}

// A file alone that was edited stands beside its text on disk, at the first step in which the two differ.
TEST_F(UiCompare, PutsAnEditBesideTheTextAsSaved) {
    const std::string path = (directory_ / "mine.cu").string();
    std::ofstream(path)
        << "__global__ void k(const int* in, int* out) {\n    __shared__ int s[64];\n    int t = threadIdx.x;\n"
           "    s[t] = in[t];\n    __syncthreads();\n    out[t] = s[63 - t];\n}\n";
    open({path});
    until([](const Json& s) { return s.contains("kernel") && !s["busy"].get<bool>(); }, "its trace");
    key("e", "keyboard", "source");
    settled();
    xdotool("key ctrl+f");
    xdotool("type '63 - t'");
    xdotool("key Return");
    settled();
    xdotool("key Escape key e"); // the match is marked
    until([](const Json& s) { return s["typing"].get<bool>(); }, "the editor");
    settled();
    xdotool("type '2 * t % 64'");
    until([](const Json& s) { return s["kernel"]["unsaved"].get<bool>(); }, "the edit");
    advance(0.2);
    until([](const Json& s) { return !s["busy"].get<bool>() && !s["kernel"]["stale"].get<bool>(); }, "its run");
    xdotool("key Escape");
    key("2", "page", "compare");
    shown("title-1", "mine.cu as saved");
    shown("title-2", "mine.cu");
    shown("ready", "yes");
    const Json s = settled();
    EXPECT_EQ(s["page_shown"]["aligned_step"], "1") << "both load alike";
    EXPECT_EQ(s["page_shown"]["change-1"].get<std::string>().find("mine.cu as saved takes "), 0U)
        << s["page_shown"]["change-1"];
}

TEST_F(UiCompare, FoldsTheTableToWhatDiffersWhereTheWindowIsLow) {
    std::filesystem::create_directories(directory_ / "config/warptree");
    std::ofstream(directory_ / "config/warptree/state.json") << R"({"width": 1280, "height": 720})";
    compare();
    const auto height = [&](const char* id) { return settled()["places_on_screen"][id][3].get<double>(); };
    EXPECT_LT(height("compare-table"), 110) << "the sentences";
    EXPECT_GT(height("compare-column-1"), 420);
    value("fold", "auto");
    xdotool("key d");
    value("fold", "no");
    EXPECT_GT(height("compare-table"), 150);
    xdotool("key d");
    value("fold", "yes");
    EXPECT_LT(height("compare-table"), 110);
}

TEST_F(UiCompare, GoesToExploreAndBack) {
    compare();
    xdotool("key period key e");
    until([](const Json& s) { return s["shown"] == "interleaved-strided"; }, "the marked column in Explore");
    key("1", "page", "explore");
    xdotool("key bracketright");
    until([](const Json& s) { return s["shown"] == "sequential"; }, "the next strategy");
    key("2", "page", "compare");
    xdotool("key x");
    value("column-2", "sequential:block=64");
    xdotool("key ctrl+c");
    until([](const Json& s) { return s["notice"] == "copied the table as Markdown"; }, "a copy");
    into_dialog("ctrl+e", "export", (directory_ / "c.png").string());
    written((directory_ / "c.png").string());
}

} // namespace
} // namespace warptree::testing
