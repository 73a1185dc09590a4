// What a lecturer uses, with real keys: the pointer, presentation on every screen, the menu, exports and states.
#include "tests/app/ui_fixture.hpp"
#include "tests/support/csv.hpp"

#include <algorithm>

namespace warptree::testing {
namespace {

struct Page {
    const char *key, *id;
};
constexpr Page kPages[] = {{"1", "explore"}, {"2", "compare"}, {"3", "timings"},
                           {"4", "theory"},  {"5", "lessons"}, {"6", "stride-playground"}};

class Lecture : public Ui {
  protected:
    void go(const Page& screen) const {
        key(screen.key, "page", screen.id);
        ready();
    }
    // Waits for traces and comparisons.
    void ready() const {
        until(
            [](const Json& s) {
                return !s.value("busy", true) &&
                       (s["page"] != "compare" || s["page_shown"].value("ready", "") == "yes");
            },
            "the screen is ready");
        settled();
    }
    // Number of differing pixels within `reach` of the point, and beyond.
    struct Changed {
        int near = 0, far = 0;
    };
    static Changed changed(const std::string& a, const std::string& b, int x, int y, int reach) {
        constexpr int kWidth = 1440, kHeight = 900;
        constexpr std::size_t kBytes = std::size_t{kWidth} * kHeight * 4;
        Changed c;
        if (a.size() != b.size() || a.size() < kBytes) {
            ADD_FAILURE() << "pictures of " << a.size() << " and " << b.size() << " bytes";
            return c;
        }
        const std::size_t head = a.size() - kBytes;
        for (std::size_t i = head; i < a.size(); i += 4) {
            int most = 0; // a software renderer may round edges differently
            for (std::size_t k = i; k < i + 4; ++k) {
                most = std::max(most, std::abs(static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k])));
            }
            const auto at = static_cast<int>((i - head) / 4);
            const int dx = at % kWidth - x, dy = at / kWidth - y;
            (dx * dx + dy * dy <= reach * reach ? c.near : c.far) += most > 1 ? 1 : 0;
        }
        return c;
    }
    static std::string read(const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string path(const std::string& name) const { return (directory_ / name).string(); }
};

TEST_F(Lecture, ThePointerFollowsTheMouseAndLeavesNoTrail) {
    constexpr int kReach = 24, kY = 24; // radius of the ring; y in the bar, where nothing is highlighted
    open({});
    key("Escape", "notice", "");
    EXPECT_EQ(state()["pointer"], false);
    move(760, kY);
    settled();
    const std::string bare = screenshot();
    key("h", "pointer", true);
    settled();
    const std::string here = screenshot();
    const Changed on = changed(bare, here, 760, kY, kReach);
    EXPECT_GT(on.near, 100);
    EXPECT_EQ(on.far, 0);
    for (int x = 770; x <= 880; x += 10) {
        move(x, kY);
    }
    settled();
    const Changed there = changed(bare, screenshot(), 880, kY, kReach);
    EXPECT_GT(there.near, 100);
    EXPECT_EQ(there.far, 0) << "a trail";
    xdotool("click 1");
    settled();
    advance(0.3);
    EXPECT_GT(changed(bare, screenshot(), 880, kY, kReach).far, 100) << "a ring that grows";
    advance(0.3);
    const Changed after = changed(bare, screenshot(), 880, kY, kReach);
    EXPECT_GT(after.near, 100);
    EXPECT_EQ(after.far, 0) << "it is gone again";
    move(700, 300);
    key("F1", "dialog", "help");
    settled();
    const std::string over = screenshot();
    key("h", "pointer", false);
    settled();
    const Changed gone = changed(over, screenshot(), 700, 300, kReach);
    EXPECT_GT(gone.near, 100) << "it lies over dialogs";
    EXPECT_EQ(gone.far, 0);
    key("h", "pointer", true);
    key("Escape", "dialog", "none");
    EXPECT_EQ(close_window(), 0);
    open({});
    EXPECT_EQ(state()["pointer"], true) << "remembered";
}

TEST_F(Lecture, PresentationOfEveryScreenAndBack) {
    open({});
    for (const Page& screen : kPages) {
        go(screen);
        xdotool("key Escape");
        const Json before = settled();
        key("F11", "presentation", true);
        ready();
        const Json during = settled();
        EXPECT_EQ(during["scale"], 1.5) << screen.id;
        if (during["page"] == "explore") { // a remote control without a deck: step by step
            const int n = during["n"].get<int>(), step = during["step"].get<int>();
            key("Next", "step", step + 1);
            key("Prior", "step", step);
            EXPECT_EQ(settled()["n"], n);
        }
        EXPECT_EQ(during["pointer"], true) << screen.id;
        for (const char* list : {"strategies", "topic-work", "series-0", "index"}) {
            EXPECT_FALSE(during["places_on_screen"].contains(list)) << screen.id << " still shows " << list;
        }
        for (const auto& [id, r] : during["places_on_screen"].items()) {
            EXPECT_LE(r[0].get<double>() + r[2].get<double>(), 1441) << screen.id << ": " << id;
            EXPECT_LE(r[1].get<double>() + r[3].get<double>(), 901) << screen.id << ": " << id;
        }
        key("F11", "presentation", false);
        ready();
        const Json after = settled();
        EXPECT_EQ(after["scale"], before["scale"]) << screen.id;
        EXPECT_EQ(after["pointer"], before["pointer"]) << screen.id;
        EXPECT_EQ(after["places_on_screen"], before["places_on_screen"]) << screen.id;
    }
}

TEST_F(Lecture, TheMenuHoldsWhatTheScreenCanDo) {
    open({});
    key("Home", "place", 0);
    key("F10", "dialog", "menu");
    until([](const Json& s) { return s["choices"] == "Time"; }, "the first group");
    xdotool("key Right");
    until([](const Json& s) { return s["choices"] == "Strategy"; }, "the next group");
    xdotool("key Left");
    until([](const Json& s) { return s["choices"] == "Time"; }, "back");
    xdotool("key Down key Return");
    until([](const Json& s) { return s["dialog"] == "none" && s["place"] == 1; }, "step forward, the second action");
    go(kPages[3]);
    click("menu");
    until([](const Json& s) { return s["dialog"] == "menu" && s["choices"] == "Theory"; }, "the screen's own group");
    click("menu");
    until([](const Json& s) { return s["dialog"] == "none"; }, "the button closes it, too");
}

TEST_F(Lecture, EveryScreenIsExportedInAChosenSizeAndAsATable) {
    open({});
    for (const Page& screen : kPages) {
        go(screen);
        key("ctrl+e", "dialog", "export");
        settled();
        // Rows: the view (Explore only); size, kept from export to export; text; theme.
        const bool first = std::string(screen.id) == "explore";
        xdotool(first ? "key Tab key Down key Tab key Tab key Down" : "key Tab key Tab key Down");
        until([](const Json& s) { return s["choices"].get<std::string>().ends_with(" 1920x1080 1 contrast"); },
              "the choices");
        settled();
        const std::string png = path(std::string(screen.id) + ".png");
        xdotool("key ctrl+a");
        xdotool("type '" + png + "'");
        key("Return", "dialog", "none");
        written(png);
        const std::string bytes = read(png);
        ASSERT_GT(bytes.size(), 24U);
        EXPECT_EQ(bytes.substr(16, 8), std::string("\0\0\x07\x80\0\0\x04\x38", 8)) << "1920 x 1080";
        const std::string csv = path(std::string(screen.id) + ".csv");
        into_dialog("ctrl+e", "export", csv);
        written(csv);
        const auto lines = parse_csv(read(csv));
        ASSERT_GT(lines.size(), 1U) << screen.id;
        for (const auto& line : lines) {
            EXPECT_EQ(line.size(), lines[0].size()) << screen.id;
        }
        if (std::string(screen.id) == "lessons") {
            EXPECT_EQ(lines[1][1], "not finished");
            EXPECT_EQ(lines[2][1], "not yet");
        }
        xdotool("key ctrl+c");
        until([](const Json& s) { return s["notice"] == "copied the table as Markdown"; }, "a copy");
    }
}

TEST_F(Lecture, AStateOfEveryScreenComesBack) {
    open({});
    for (const char* text :
         {"explore/first-add?n=64&block=16&step=2&part=1&zoom=2&pan=-40:10",
          "compare?n=128&align=combines&column-1=sequential:block%3D32&column-2=first-add:block%3D32&step=3",
          "timings?kernels=reductions&show=bandwidth", "theory/occupancy?block-x=48&registers=40",
          "lessons/tree?stage=2", "stride-playground?index=lane*3&stride=5"}) {
        xdotool("key ctrl+u");
        until([](const Json& s) { return s["dialog"] == "state"; }, "the dialog");
        settled();
        xdotool(std::string("type '") + text + "'");
        xdotool("key Return");
        const Json s = until([&](const Json& now) { return now["state"] == text || now["dialog_error"] != ""; }, text);
        EXPECT_EQ(s["dialog_error"], "") << text;
        ready();
        EXPECT_EQ(state()["state"], text) << "once everything is traced";
        if (s["dialog"] != "none") {
            xdotool("key Escape");
        }
    }
}

TEST_F(Lecture, EndsWhenItsWindowIsDestroyed) {
    open({});
    xdotool("search --name warptree windowkill");
    EXPECT_NE(wait_for_exit(), 1) << "not by Xlib's own way";
}

} // namespace
} // namespace warptree::testing
