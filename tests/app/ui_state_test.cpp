// State strings: copied from the window, typed into it and into a terminal.
#include "app/features/explore/explore_state.hpp"
#include "tests/app/ui_fixture.hpp"

#include <filesystem>

namespace warptree::testing {
namespace {

class UiState : public Ui {
  protected:
    void shows(const char* strategy, int n, int place) const {
        until([&](const Json& s) { return s["shown"] == strategy && s["shown_n"] == n && s["place"] == place; },
              strategy);
    }
};

TEST_F(UiState, OpensWhatAStringSays) {
    open({"--state", "explore/sequential?n=128&block=32&step=3&select=thread:0:1:4:3&warp=0&theme=light&scale=1.25"});
    shows("sequential", 128, 3);
    const Json s = settled();
    EXPECT_EQ(s["block"], 32);
    EXPECT_EQ(s["theme"], "light");
    EXPECT_EQ(s["scale"], 1.25);
    EXPECT_EQ(s["selected"]["block"], 1);
    EXPECT_EQ(s["selected"]["index"], 4);
    EXPECT_EQ(s["state"], "explore/sequential?n=128&block=32&step=3&shown-block=1&warp=0&select=thread:0:1:4:3");
    EXPECT_EQ(close_window(), 0);
    open({"--state", s["state"].get<std::string>()});
    shows("sequential", 128, 3);
    EXPECT_EQ(settled()["selected"], s["selected"]);
}

TEST_F(UiState, GoesWhereAStringIsTyped) {
    open();
    key("ctrl+u", "dialog", "state");
    xdotool("type 'explore/first-add?n=64&block=16&step=2'");
    key("Return", "dialog", "none");
    shows("first-add", 64, 2);
    key("ctrl+u", "dialog", "state");
    xdotool("type \"warptree --state 'theory/occupancy?block-x=48'\""); // as it is copied
    key("Return", "dialog", "none");
    until([](const Json& s) { return s["page"] == "theory" && s["page_values"]["topic"] == "occupancy"; }, "theory");
    EXPECT_EQ(settled()["state"], "theory/occupancy?block-x=48");
    click("state");
    until([](const Json& s) { return s["notice"] == "copied: warptree --state 'theory/occupancy?block-x=48'"; },
          "the button in the bar copies it");
    key("Escape", "notice", "");
    key("ctrl+u", "dialog", "state");
    settled();
    xdotool("type 'theory/tea'");
    xdotool("key Return");
    until([](const Json& s) { return s["dialog_error"].get<std::string>().find("tea") != std::string::npos; },
          "the reason");
    xdotool("key Escape");
    until([](const Json& s) { return s["dialog"] == "none"; }, "it closes");
    EXPECT_EQ(state()["page_values"]["topic"], "occupancy");
    xdotool("key ctrl+shift+u");
    until([](const Json& s) { return s["notice"] == "copied: warptree --state 'theory/occupancy?block-x=48'"; },
          "the command is copied");
}

TEST_F(UiState, CarriesAKernelToWhoHasNoFile) {
    const std::string text = "// n: 32\n// launch: k<<<1, 32>>>(a)\n"
                             "__global__ void k(int* a) {\n    a[threadIdx.x] = 7;\n}\n";
    session::ExploreState e;
    e.file = "shared.cu";
    e.options.kernel.file = e.file;
    e.options.kernel.text = text;
    open({"--state", session::to_string(*session::state_with_source(e))});
    const auto is_there = [&](const Json& s) {
        return s.contains("kernel") && s["kernel"]["text"] == text && s["shown_n"] == 32;
    };
    Json s = until(is_there, "the text that the string carries");
    EXPECT_EQ(s["kernel"]["unsaved"], true);
    EXPECT_EQ(std::filesystem::path(s["kernel"]["path"].get<std::string>()).filename(), "shared.cu");
    settled();
    xdotool("key ctrl+shift+u");
    until(
        [](const Json& j) { return j["notice"].get<std::string>().starts_with("copied, with the text of shared.cu"); },
        "copied with its text");
}

TEST_F(UiState, RefusesBeforeThereIsAWindow) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--state", "explore/sequential?n=x"},
                                                  {"--state", "tea"},
                                                  {"--state", ""},
                                                  {"--state", "theory/tea"},
                                                  {"--state", "theory?tea=2"},
                                                  {"--state", "stride-playground?index=("},
                                                  {"--state", "explore/sequential", "a.wtrace"},
                                                  {"--state", "explore/sequential", "list"}}) {
        const Finished f = run_program(words);
        EXPECT_EQ(f.code, 2) << words[1];
        EXPECT_EQ(std::count(f.err.begin(), f.err.end(), '\n'), 1) << f.err;
    }
}

} // namespace
} // namespace warptree::testing
