// What a lecturer uses in class, with real keys: a deck, undo, one panel filling the window, pen and arrow, the coach.
#include "tests/app/ui_fixture.hpp"

#include <algorithm>
#include <cstdlib>

namespace warptree::testing {
namespace {

class Class : public Ui {
  protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = (directory_ / name).string();
        std::ofstream(path) << text;
        return path;
    }
    std::string deck() const {
        return write("lecture.deck",
                     "deck: Test\nstate: explore/sequential?n=64&block=64&step=2\ntitle: First\nA note\n"
                     "state: theory/warps\ntitle: Second\n"
                     "state: explore/first-add?n=64&block=32&step=1&full=warps&theme=light\ntitle: Third\n");
    }
    // Number of pixels that differ.
    static std::size_t changed(const std::string& a, const std::string& b) {
        EXPECT_EQ(a.size(), b.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i + 3 < std::min(a.size(), b.size()); i += 4) {
            int most = 0; // a software renderer may round edges differently
            for (std::size_t k = i; k < i + 4; ++k) {
                most = std::max(most, std::abs(static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k])));
            }
            count += most > 1 ? 1 : 0;
        }
        return count;
    }
};

TEST_F(Class, ADeckIsPagedThroughByKeysAndMouse) {
    open({deck()});
    Json s = until([](const Json& j) { return j["deck_title"] == "First" && j["shown"] == "sequential"; }, "the first");
    settled();
    EXPECT_EQ(state()["place"], 2);
    EXPECT_EQ(state()["deck_states"], 3);
    const Json bar = place("deck"), transport = place("transport");
    EXPECT_LE(transport[1].get<double>() + transport[3].get<double>(), bar[1].get<double>() + 0.5) << "below all else";
    EXPECT_EQ(bar[1].get<double>() + bar[3].get<double>(), 900);
    key("Next", "deck_title", "Second");
    key("Escape", "page", "theory");
    EXPECT_EQ(state()["page_values"]["topic"], "warps");
    key("Next", "deck_title", "Third");
    until([](const Json& j) { return j["shown"] == "first-add" && j["full"] == true; }, "the third");
    EXPECT_EQ(settled()["theme"], "light");
    EXPECT_EQ(state()["front"], "warps");
    key("Next", "deck_title", "Third");
    click("deck-back");
    until([](const Json& j) { return j["deck_title"] == "Second"; }, "the one before, by mouse");
    key("ctrl+Prior", "deck_title", "First");
    until([](const Json& j) { return j["shown"] == "sequential" && j["full"] == false; }, "the first again");
    settled();
    key("ctrl+Next", "deck_title", "Second");
    key("Prior", "deck_title", "First");
    click("deck-close");
    until([](const Json& j) { return j["deck_states"] == 0; }, "no deck");
    settled();
    EXPECT_FALSE(state()["places_on_screen"].contains("deck"));
    key("Prior", "n", 128); // doubles the elements, as usual
    EXPECT_EQ(close_window(), 0);
}

TEST_F(Class, ADeckIsOpenedAndExportedByDialogs) {
    const std::string file = deck(), pdf = (directory_ / "out.pdf").string();
    open({});
    into_dialog("ctrl+o", "open", file);
    until([](const Json& j) { return j["deck_title"] == "First"; }, "the deck");
    settled();
    key("ctrl+k", "dialog", "palette");
    xdotool("type 'Deck: export'");
    key("Return", "dialog", "export-deck");
    settled();
    xdotool("key ctrl+a");
    xdotool("type " + pdf);
    key("Return", "dialog", "none");
    written(pdf);
    std::ifstream in(pdf, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(bytes.starts_with("%PDF"));
    EXPECT_NE(bytes.find("/Count 3"), std::string::npos) << "a page per state";
    // An invalid deck leaves the screen unchanged and reports the faulty line.
    const std::string bad = write("bad.deck", "deck: a\nstate: explor/sequential\n");
    key("ctrl+o", "dialog", "open");
    xdotool("type " + bad);
    xdotool("key Return");
    until([](const Json& j) { return j.value("dialog_error", "").find("bad.deck:2:") != std::string::npos; },
          "why not");
    EXPECT_EQ(state()["deck_title"], "First");
}

TEST_F(Class, EveryChoiceIsUndoneAndRedone) {
    open({"--state", "explore/sequential?n=64&block=64&step=1"});
    settled();
    key("bracketright", "shown", "first-add");
    settled();
    key("Prior", "shown_n", 128);
    settled();
    key("t", "theme", "contrast");
    settled();
    key("4", "page", "theory");
    settled();
    key("ctrl+z", "page", "explore");
    settled();
    key("ctrl+z", "theme", "dark");
    settled();
    EXPECT_EQ(state()["shown_n"], 128);
    key("ctrl+z", "shown_n", 64);
    settled();
    key("ctrl+z", "shown", "sequential");
    EXPECT_EQ(settled()["place"], 1) << "where it was left";
    key("ctrl+z", "notice", "nothing was chosen before this");
    key("ctrl+shift+z", "shown", "first-add");
    settled();
    key("ctrl+shift+z", "shown_n", 128);
    settled();
    key("bracketleft", "shown", "sequential");
    settled();
    key("ctrl+shift+z", "notice", "nothing was undone");
    EXPECT_EQ(state()["shown_n"], 128);
}

TEST_F(Class, APanelHasAllOfTheWindowAndGoesBack) {
    open({});
    settled();
    for (const char* panel : {"tree", "warps", "banks", "source", "step"}) {
        const Json before = place(panel);
        const auto [x, y] = middle(before);
        move(x, y);
        key("z", "full", true);
        settled();
        EXPECT_EQ(state()["front"], panel);
        EXPECT_GT(place(panel)[2].get<double>(), 1400) << panel;
        EXPECT_FALSE(state()["places_on_screen"].contains(std::string(panel) == "tree" ? "warps" : "tree"));
        EXPECT_NE(state()["state"].get<std::string>().find(std::string("full=") + panel), std::string::npos);
        key("z", "full", false);
        settled();
        EXPECT_EQ(place(panel), before);
    }
    // Double-click the title, then another panel by its tab; Esc goes back.
    const Json warps = place("warps");
    move(warps[0].get<int>() + 40, warps[1].get<int>() + 16);
    xdotool("click --repeat 2 --delay 20 1");
    until([](const Json& s) { return s["full"] == true && s["front"] == "warps"; }, "all of the window");
    settled();
    click("tab-banks");
    until([](const Json& s) { return s["front"] == "banks"; }, "the banks");
    settled();
    key("v", "front", "memory");
    key("v", "front", "source");
    key("Escape", "full", false);
    EXPECT_EQ(settled()["front"], "tree");
    // On other screens the lists are folded away.
    key("4", "page", "theory");
    settled();
    EXPECT_TRUE(state()["places_on_screen"].contains("topic-work"));
    key("z", "full", true);
    settled();
    EXPECT_FALSE(state()["places_on_screen"].contains("topic-work"));
    key("z", "full", false);
    settled();
    EXPECT_TRUE(state()["places_on_screen"].contains("topic-work"));
}

TEST_F(Class, PenAndArrowDrawOverThePictureAndAreWiped) {
    open({});
    key("Escape", "notice", "");
    settled();
    advance(6);
    const std::string bare = screenshot();
    key("w", "tool", "pen");
    drag(500, 300, 700, 400);
    EXPECT_EQ(state()["strokes"], 1);
    EXPECT_EQ(state()["pan_x"], 0) << "the tree does not move";
    key("r", "tool", "arrow");
    drag(800, 200, 900, 300);
    EXPECT_EQ(state()["strokes"], 2);
    key("BackSpace", "strokes", 1);
    // With keys only.
    xdotool("key Return ctrl+shift+Right ctrl+shift+Right ctrl+shift+Down Return");
    settled();
    EXPECT_EQ(state()["strokes"], 2);
    key("Right", "place", 1); // stepping still works
    key("Left", "place", 0);
    key("Escape", "tool", "none");
    EXPECT_EQ(settled()["strokes"], 2) << "what is drawn stays";
    move(640, 5);
    advance(6);
    EXPECT_GT(changed(bare, screenshot()), 500U);
    const std::string out = (directory_ / "whole.png").string();
    key("ctrl+shift+e", "dialog", "export-screen");
    settled();
    xdotool("key ctrl+a");
    xdotool("type " + out);
    key("Return", "dialog", "none");
    written(out);
    key("shift+w", "strokes", 0);
    move(640, 5);
    advance(6);
    EXPECT_EQ(changed(bare, screenshot()), 0U);
    key("w", "tool", "pen");
    key("w", "tool", "none");
}

TEST_F(Class, TheCoachComesOnceAndCanBeDismissed) {
    first_start_ = true;
    open({});
    EXPECT_EQ(settled()["coach"], "Step through it");
    key("Right", "coach", "Ask any cell"); // doing it advances the coach
    key("Return", "coach", "Change one thing");
    click("coach-next");
    until([](const Json& s) { return s["coach"] == ""; }, "it is over");
    EXPECT_EQ(close_window(), 0);
    open({});
    EXPECT_EQ(settled()["coach"], "");
    EXPECT_EQ(close_window(), 0);
    std::filesystem::remove_all(directory_ / "config");
    open({});
    EXPECT_EQ(settled()["coach"], "Step through it");
    key("Escape", "coach", "");
    kill(child_, SIGKILL); // it was saved immediately
    wait_for_exit();
    open({});
    EXPECT_EQ(settled()["coach"], "");
}

TEST_F(Class, GrowsByWhatIsShown) {
    const std::string file = deck();
    const auto text = [&] {
        std::ifstream in(file);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    open({file});
    until([](const Json& j) { return j["deck_title"] == "First" && j["shown"] == "sequential"; }, "the first");
    key("Right", "place", 3);
    key("ctrl+d", "dialog", "deck-page");
    settled();
    xdotool("type 'One later'");
    xdotool("key Tab");
    settled();
    xdotool("type 'For me'");
    settled();
    key("Return", "dialog", "none");
    until([](const Json& j) { return j["deck_title"] == "One later" && j["deck_states"] == 4; }, "its page");
    EXPECT_NE(text().find("step=3\ntitle: One later\nFor me"), std::string::npos) << text();
    key("ctrl+shift+d", "dialog", "deck-page");
    click("page-earlier");
    until([](const Json& j) { return j["deck_at"] == 0 && j["deck_title"] == "One later"; }, "before the first");
    key("ctrl+shift+d", "dialog", "deck-page");
    click("page-earlier");
    until([](const Json& j) { return j["dialog_error"] == "it is the first already"; }, "why not");
    click("page-delete");
    until([](const Json& j) { return j["deck_title"] == "First" && j["deck_states"] == 3; }, "it is gone");
    EXPECT_EQ(text().find("One later"), std::string::npos) << text();
    EXPECT_EQ(close_window(), 0);
}

} // namespace
} // namespace warptree::testing
