// The Timings screen with real keys and mouse: series, conditions, hover, files, and saved settings.
#include "app/measure/timing/results_file.hpp"
#include "tests/app/ui_fixture.hpp"
#include "tests/app/x_client.hpp"
#include "tests/support/timing_series.hpp"

namespace warptree::testing {
namespace {

class UiTimings : public Ui {
  protected:
    void timings(const std::vector<std::string>& files = {}) {
        open(files);
        key("3", "page", "timings");
    }
    Json value(const std::string& name, const std::string& wanted) const {
        return until([&](const Json& s) { return s["page_values"].value(name, "") == wanted; }, name + " = " + wanted);
    }
    // Waits until `name` contains `part`.
    Json shown(const char* name, const std::string& part) const {
        return until([&](const Json& s) { return s["page_shown"].value(name, "").find(part) != std::string::npos; },
                     std::string(name) + " has " + part);
    }
    std::string made_up() const {
        const std::string file = (directory_ / "made-up.json").string();
        const timing::Series series = tests::made_up_series();
        timing::save_results(file, std::span(&series, 1));
        return file;
    }
    // Moves the pointer over the figure until the hover text starts with `part`, leaves it there, returns the text.
    std::string hovered(const char* part) const {
        const Json figure = place("timings-figure");
        const int x = figure[0].get<int>() + figure[2].get<int>() / 3;
        for (int dy = 60; dy < figure[3].get<int>(); dy += 11) {
            move(x, figure[1].get<int>() + dy);
            if (const std::string text = state()["page_shown"].value("hover", ""); text.find(part) == 0) {
                return text;
            }
        }
        ADD_FAILURE() << "nothing says " << part;
        return {};
    }
};

TEST_F(UiTimings, KeysChangeWhatIsShown) {
    timings();
    value("show", "speed-up");
    xdotool("key bracketright");
    value("show", "time");
    xdotool("key bracketleft key bracketleft");
    value("show", "peak");
    xdotool("key g");
    value("figure", "modes");
    xdotool("key g");
    value("figure", "blocks");
    xdotool("key g key g");
    value("figure", "limits");
    xdotool("key g");
    value("figure", "sizes");
    xdotool("key k");
    value("kernels", "reductions");
    const int rows = std::stoi(settled()["page_shown"]["rows"].get<std::string>());
    EXPECT_GT(rows, 7);
    xdotool("key k key k key k");
    value("kernels", "ladder");
    value("n", "2^22");
    xdotool("key Next");
    const std::string smaller =
        until([](const Json& s) { return s["page_values"]["n"] != "2^22"; }, "a smaller n")["page_values"]["n"];
    EXPECT_EQ(smaller, "2^20");
    xdotool("key Prior");
    value("n", "2^22");
}

TEST_F(UiTimings, ConditionsAreTypedAndRemembered) {
    timings();
    key("i", "keyboard", "conditions");
    settled();
    xdotool("key Right"); // show
    value("show", "time");
    xdotool("key Down key Right"); // figure
    value("figure", "modes");
    xdotool("key Down key Right"); // kernels
    value("kernels", "reductions");
    key("Escape", "keyboard", "");
    key("s", "keyboard", "series");
    const Json before = settled();
    xdotool("key Return");
    until([&](const Json& s) { return s["page_values"] != before["page_values"]; },
          "the first series turned off or on");
    EXPECT_EQ(settled()["keyboard"], "");
    const Json values = settled()["page_values"];
    EXPECT_EQ(close_window(), 0);
    open();
    EXPECT_EQ(state()["page"], "timings");
    EXPECT_EQ(state()["page_values"], values);
}

TEST_F(UiTimings, ABoxOrANameTurnsASeriesOnAndOff) {
    timings();
    const std::string before = settled()["page_shown"]["series"];
    const auto [x, y] = middle(place("series-0"));
    click(x, y);
    until([&](const Json& s) { return s["page_shown"]["series"] != before; }, "the first series goes");
    click(x + 60, y);
    until([&](const Json& s) { return s["page_shown"]["series"] == before; }, "its name brings it back");
}

TEST_F(UiTimings, ASeriesWithNothingHereOffersWhatItHas) {
    timings();
    EXPECT_FALSE(settled()["places_on_screen"].contains("series-go-0"));
    xdotool("key Next"); // below the n of any published series, of which number 2 is the first
    until([](const Json& s) { return s["page_values"]["n"] != "2^22"; }, "another n");
    click("series-go-2");
    value("n", "2^22");
    EXPECT_FALSE(settled()["places_on_screen"].contains("series-go-2"));
}

TEST_F(UiTimings, HoverSaysEveryNumberAndAClickGoesToExplore) {
    timings({made_up()});
    shown("series", "Made-up GPU (test)");
    const std::string text = hovered("sequential, ");
    for (const char* wanted : {"median ", "quartiles", "noise", "bytes must move", "cumulative", "A click"}) {
        EXPECT_NE(text.find(wanted), std::string::npos) << wanted << "\n" << text;
    }
    xdotool("click 1");
    until([](const Json& s) { return s["page"] == "explore" && s["shown"] == "sequential"; }, "Explore");
    key("3", "page", "timings");
    shown("selected", "sequential");
}

TEST_F(UiTimings, RowsAreChosenByKeys) {
    timings();
    xdotool("key Return");
    shown("said", "Choose a row first");
    xdotool("key Down");
    shown("selected", "interleaved-modulo");
    xdotool("key Down");
    shown("selected", "interleaved-strided");
    xdotool("key Up");
    shown("selected", "interleaved-modulo");
    key("Return", "page", "explore");
    EXPECT_EQ(settled()["shown"], "interleaved-modulo");
}

TEST_F(UiTimings, CopiesTheTable) {
    timings();
    const std::string rows = settled()["page_shown"]["rows"];
    xdotool("key ctrl+c");
    until([](const Json& s) { return s["notice"] == "copied the table as Markdown"; }, "the copy by its key");
    click("copy-CSV");
    shown("said", "Copied " + rows + " rows as CSV");
    click("copy-JSON");
    shown("said", "as JSON");
    const std::string csv = (directory_ / "table.csv").string();
    into_dialog("ctrl+e", "export", csv);
    until([&](const Json&) { return std::filesystem::exists(csv); }, "the table as a file");
    std::ifstream in(csv);
    std::string first;
    std::getline(in, first);
    EXPECT_EQ(first.find("series,variant,n,type"), 0U);
}

TEST_F(UiTimings, OpensResultFilesByDialogAndByDrop) {
    const std::string good = made_up(), bad = (directory_ / "bad.json").string();
    std::ofstream(bad) << R"({"format": "warptree.timings", "version": 2, "series": [{"name": "x"}]})";
    timings();
    into_dialog("ctrl+o", "open", good);
    shown("series", "Made-up GPU (test)");
    key("ctrl+o", "dialog", "open");
    xdotool("type " + bad);
    xdotool("key Return");
    const Json s = until([](const Json& j) { return j["dialog_error"] != ""; }, "why it is not taken");
    EXPECT_EQ(s["dialog_error"].get<std::string>().find('\n'), std::string::npos);
    EXPECT_NE(s["dialog_error"].get<std::string>().find("provenance"), std::string::npos);
    key("Escape", "dialog", "none");
    // Dropped on another screen, it is shown where it belongs.
    key("1", "page", "explore");
    std::string why;
    ASSERT_TRUE(drop_file(display_, "warptree", good, why)) << why;
    until([](const Json& j) { return j["page"] == "timings"; }, "the screen of the file");
    ASSERT_TRUE(drop_file(display_, "warptree", bad, why)) << why;
    const Json told =
        until([](const Json& j) { return j["notice"].get<std::string>().find("bad.json") != std::string::npos; },
              "why it cannot be shown");
    EXPECT_EQ(told["notice"].get<std::string>().find('\n'), std::string::npos);
    shown("series", "Made-up GPU (test)");
}

TEST_F(UiTimings, MeasuringWithoutAGpuSaysWhy) {
    if (std::filesystem::exists("/dev/nvidia0")) {
        GTEST_SKIP() << "there is a GPU";
    }
    timings();
    xdotool("key m");
    shown("measured", "No GPU is used: no NVIDIA driver");
    EXPECT_EQ(state()["page_shown"]["measuring"], "no");
    key("Escape", "page", "timings"); // nothing to cancel
}

TEST_F(UiTimings, FoldUpAtTheLargestText) {
    timings({made_up()});
    for (int i = 0; i < 8; ++i) {
        xdotool("key ctrl+equal");
    }
    const Json s = until([](const Json& now) { return now["scale"] == 3; }, "text at 300 %");
    const Json figure = s["places_on_screen"]["timings-figure"];
    EXPECT_GT(figure[2].get<double>(), 400);
    EXPECT_GT(figure[3].get<double>(), 300);
    // Only one part fits: it is chosen by its button, by V, and by choosing another figure.
    shown("part", "0");
    xdotool("key ctrl+minus key ctrl+minus");
    until([](const Json& now) { return now["places_on_screen"].contains("timings-part-2"); }, "its buttons");
    click("timings-part-2");
    shown("part", "2");
    xdotool("key v");
    shown("part", "0");
    xdotool("key g");
    shown("part", "1");
}

} // namespace
} // namespace warptree::testing
