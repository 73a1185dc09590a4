// The real window under a display of its own, driven with real keys and mouse.
#include "tests/app/process.hpp"
#include "tests/app/x_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

namespace warptree::testing {
namespace {

using Json = nlohmann::json;

bool has(const char* program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

class Ui : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("Xvfb") || !has("xdotool")) {
            GTEST_SKIP() << "needs Xvfb and xdotool: script/bootstrap --test installs them";
        }
        directory_ = std::filesystem::temp_directory_path() / ("warptree_ui_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
        const std::string number = (directory_ / "display").string();
        // The server chooses a free display and writes its number.
        ASSERT_EQ(std::system(("Xvfb -displayfd 3 -screen 0 1440x900x24 +extension GLX 3>" + number +
                               " >/dev/null 2>&1 & echo $! >" + (directory_ / "xvfb").string())
                                  .c_str()),
                  0);
        std::string text;
        for (int i = 0; i < 100 && text.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            std::ifstream(number) >> text;
        }
        ASSERT_FALSE(text.empty()) << "Xvfb did not start";
        display_ = ":" + text;
    }
    void TearDown() override {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        if (!directory_.empty()) {
            std::ifstream pid(directory_ / "xvfb");
            if (int xvfb = 0; pid >> xvfb) {
                kill(xvfb, SIGTERM);
            }
            std::filesystem::remove_all(directory_);
        }
    }

    void open(std::vector<std::string> arguments = {}) {
        start(std::move(arguments));
        until([](const Json& s) { return s.value("shown", "") != "" && !s.value("busy", true); }, "the first trace");
        move(640, 5);
    }
    void start(std::vector<std::string> arguments) {
        std::filesystem::remove(state_file());
        const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        child_ = spawn(Start{std::move(arguments),
                             {{"DISPLAY", display_},
                              {"XDG_CONFIG_HOME", (directory_ / "config").string()},
                              {"LIBGL_ALWAYS_SOFTWARE", "1"},
                              {"WARPTREE_STATE_FILE", state_file()}},
                             {"WAYLAND_DISPLAY"},
                             {}},
                       null, STDERR_FILENO);
        close(null);
    }
    int close_window() {
        xdotool("key ctrl+q");
        return wait_for_exit();
    }
    int wait_for_exit() {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = 0;
        return exit_code(status);
    }
    std::string state_file() const { return (directory_ / "state.json").string(); }
    Json state() const {
        std::ifstream in(state_file());
        return Json::parse(in, nullptr, false);
    }
    // Waits for the state to fulfil `good`; fails with what was awaited.
    Json until(const std::function<bool(const Json&)>& good, const std::string& what) const {
        Json s;
        for (int i = 0; i < 400; ++i) {
            s = state();
            if (s.is_object() && good(s)) {
                return s;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(25));
        }
        ADD_FAILURE() << "never came: " << what << "\n" << s.dump(1);
        return s.is_object() ? s : Json::object();
    }
    void xdotool(const std::string& words) const {
        ASSERT_EQ(std::system(("DISPLAY=" + display_ + " xdotool " + words).c_str()), 0) << words;
    }
    template <class T> void key(const std::string& keys, const char* field, const T& value) const {
        xdotool("key " + keys);
        until([&](const Json& s) { return s.value(field, T{}) == value; }, keys + " makes " + field + " so");
    }
    void key(const std::string& keys, const char* field, const char* value) const {
        key<std::string>(keys, field, value);
    }
    // Where the pointer has arrived.
    Json move(int x, int y) const {
        xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y));
        return until([&](const Json& s) { return s["mouse"] == Json{double(x), double(y)}; }, "the pointer");
    }
    void click(int x, int y) const {
        move(x, y);
        xdotool("click 1");
    }
    void click(const char* id) const {
        const auto [x, y] = middle(place(id));
        click(x, y);
    }
    void drag(int x, int y, int to_x, int to_y) const {
        move(x, y);
        xdotool("mousedown 1");
        move((x + to_x) / 2, (y + to_y) / 2);
        xdotool("mousemove " + std::to_string(to_x) + " " + std::to_string(to_y));
        settled();
        xdotool("mouseup 1");
        settled();
    }
    // Where something lies: x, y, width, height.
    Json place(const char* id) const {
        return until([&](const Json& s) { return s["places_on_screen"].contains(id); }, id)["places_on_screen"][id];
    }
    static std::pair<int, int> middle(const Json& r) {
        return {static_cast<int>(r[0].get<double>() + r[2].get<double>() / 2),
                static_cast<int>(r[1].get<double>() + r[3].get<double>() / 2)};
    }
    // The state once nothing changes any more.
    Json settled() const {
        Json last = state();
        for (int same = 0, tries = 0; same < 8 && tries < 150; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
            Json now = state();
            same = now == last && now.is_object() && !now.value("busy", true) ? same + 1 : 0;
            last = std::move(now);
        }
        return last;
    }
    void command(const std::string& name) const {
        key("ctrl+k", "dialog", "palette");
        xdotool("type '" + name + "'");
        key("Return", "dialog", "none");
    }
    void into_dialog(const char* keys, const char* dialog, const std::string& path) const {
        key(keys, "dialog", dialog);
        xdotool("type " + path);
        key("Return", "dialog", "none");
    }
    // The pixels of the window.
    std::string screenshot() const {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        const std::string file = (directory_ / "shot").string();
        EXPECT_EQ(std::system(("xwd -root -silent -display " + display_ + " -out " + file).c_str()), 0);
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path directory_;
    std::string display_;
    pid_t child_ = 0;
};

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
    until([](const Json& s) { return s["place"] >= 1; }, "play moves on");
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
    EXPECT_EQ(close_window(), 0);
}

TEST_F(Ui, SteppingBackGivesTheSamePicture) {
    open();
    key("Right", "place", 1);
    const std::string before = screenshot();
    key("Right", "place", 2);
    const std::string between = screenshot();
    EXPECT_NE(before, between);
    key("Left", "place", 1);
    EXPECT_EQ(screenshot(), before);
}

TEST_F(Ui, MouseHoversSelectsZoomsAndPans) {
    open();
    const Json tree = place("tree");
    const int x = tree[0].get<int>() + tree[2].get<int>() / 4, y = tree[1].get<int>();
    // Somewhere down the first column of the tree there is a node.
    bool hovered = false;
    for (int dy = 40; dy < tree[3].get<int>() && !hovered; dy += 4) {
        hovered = move(x, y + dy)["hover"]["kind"] == 1;
    }
    ASSERT_TRUE(hovered);
    xdotool("click 1");
    until([](const Json& s) { return s["selected"]["kind"] == 1; }, "the click keeps the node");
    key("Escape", "selected", Json{{"kind", 0}, {"block", 0}, {"index", 0}});
    xdotool("click 4");
    until([](const Json& s) { return s["zoom"] > 1.1; }, "the wheel zooms");
    xdotool("click 4");
    // Zooming about the pointer moves the tree, too: only after it is the place known from which the drag starts.
    const double pan = until([](const Json& s) { return s["zoom"] > 1.4; }, "the wheel zooms on")["pan_x"];
    drag(x, y + 60, x + 40, y + 60);
    until([&](const Json& s) { return s["pan_x"] > pan + 20; }, "dragging pans");
    key("f", "zoom", 1.0);
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

TEST_F(Ui, MouseWorksTheButtons) {
    open();
    click("theme");
    until([](const Json& s) { return s["theme"] == "contrast"; }, "the theme button");
    const Json list = place("strategies");
    click(60, list[1].get<int>() + 105);
    until([](const Json& s) { return s["shown"] != "interleaved-modulo"; }, "a strategy by mouse");
}

// Both clicks, and the way between them, within a frame or two.
TEST_F(Ui, AClickRightAfterAClickArrives) {
    open();
    const Json theme = place("theme"), transport = place("transport");
    const auto at = [](int x, int y) {
        return "mousemove " + std::to_string(x) + " " + std::to_string(y) + " click 1 ";
    };
    const int seek_x = transport[0].get<int>() + transport[2].get<int>() / 2;
    const int seek_y = transport[1].get<int>() + transport[3].get<int>() / 2;
    xdotool(at(theme[0].get<int>() + 10, theme[1].get<int>() + 10) + at(seek_x, seek_y));
    until([](const Json& s) { return s["theme"] == "contrast" && s["place"] > 1; },
          "a theme, and a place by the strip");
}

TEST_F(Ui, SplittersAreDraggedRememberedAndRestored) {
    open();
    const struct {
        const char *id, *panel, *field;
        int dx, dy;
        const char* cursor;
    } splitters[] = {{"split-left", "strategies", "left", 50, 0, "sideways"},
                     {"split-right", "source", "right", -50, 0, "sideways"},
                     {"split-lower", "warps", "lower", 0, -40, "up-down"}};
    for (const auto& s : splitters) {
        const int side = s.dx != 0 ? 2 : 3;
        const double before = place(s.panel)[side];
        const auto [x, y] = middle(place(s.id));
        EXPECT_EQ(move(x, y)["cursor"], s.cursor) << s.id;
        drag(x, y, x + s.dx, y + s.dy);
        const double moved = std::abs(s.dx + s.dy);
        until(
            [&](const Json& j) {
                return std::abs(j["places_on_screen"][s.panel][side].get<double>() - before - moved) < 4;
            },
            std::string(s.id) + " makes its panel larger by as much as it was dragged");
    }
    const Json shares = state();
    EXPECT_EQ(close_window(), 0);
    open();
    for (const auto& s : splitters) {
        EXPECT_FLOAT_EQ(state()[s.field].get<float>(), shares[s.field].get<float>()) << s.id;
    }
    // To the far end: nothing becomes useless.
    for (const auto& s : splitters) {
        const auto [x, y] = middle(place(s.id));
        drag(x, y, x + 20 * s.dx, y + 20 * s.dy);
    }
    const Json places = state()["places_on_screen"];
    for (const char* panel : {"strategies", "tree", "warps", "source", "step"}) {
        EXPECT_GE(places[panel][2], 110) << panel;
        EXPECT_GE(places[panel][3], 110) << panel;
    }
    const auto [x, y] = middle(place("split-left"));
    move(x, y);
    xdotool("click --repeat 2 --delay 40 1");
    until([](const Json& s) { return s["left"] == 1.0; }, "a double click restores");
    command("reset the layout");
    until([](const Json& s) { return s["right"] == 1.0 && s["lower"] == 1.0; }, "Reset the layout restores all");
}

TEST_F(Ui, SplittersWorkAtEveryScale) {
    open();
    for (const char* keys : {"ctrl+minus", "ctrl+equal", "ctrl+equal", "ctrl+equal"}) {
        const Json before = state();
        xdotool(std::string("key ") + keys);
        until([&](const Json& s) { return s["scale"] != before["scale"]; }, "another scale");
        const Json s = settled();
        ASSERT_TRUE(s["places_on_screen"].contains("split-right")) << s["scale"];
        const auto [x, y] = middle(s["places_on_screen"]["split-right"]);
        const float right = s["right"];
        drag(x, y, x - 15, y);
        until([&](const Json& j) { return j["right"] > right; }, "the splitter moves at scale " + s["scale"].dump());
    }
}

TEST_F(Ui, PanelsFoldWhereTheyHaveNoRoom) {
    open();
    for (int i = 0; i < 6; ++i) {
        xdotool("key ctrl+equal");
    }
    const Json s = until([](const Json& j) { return j["scale"] == 3.0; }, "300 %");
    EXPECT_EQ(s["front"], "tree");
    const Json places = settled()["places_on_screen"];
    EXPECT_FALSE(places.contains("warps"));
    const double bottom = places["transport"][1];
    for (const auto& [id, r] : places.items()) {
        EXPECT_GE(r[0].get<double>(), -1) << id;
        EXPECT_LE(r[0].get<double>() + r[2].get<double>(), 1441) << id;
        EXPECT_TRUE(id == "transport" || r[1].get<double>() + r[3].get<double>() <= bottom + 1) << id;
    }
    click("tab-banks");
    until([](const Json& j) { return j["front"] == "banks"; }, "a tab brings its panel forward");
    key("v", "front", "source");
    key("ctrl+f", "front", "strategies");
    xdotool("type sequen");
    key("Return", "shown", "sequential");
    key("Escape", "keyboard", "");
    key("ctrl+0", "front", "tree");
}

TEST_F(Ui, TypingInAFieldIsNoKeyOfTheProgram) {
    open();
    const Json list = state()["places_on_screen"]["strategies"];
    xdotool("mousemove 60 " + std::to_string(list[1].get<int>() + 22) + " sleep 0.2 click 1");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    xdotool("type ttf");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(state()["theme"], "dark");
}

TEST_F(Ui, SavesOpensAndExports) {
    open();
    key("bracketright", "shown", "interleaved-strided");
    const std::string trace = (directory_ / "t.wtrace").string(), picture = (directory_ / "p.png").string();
    into_dialog("ctrl+s", "save", trace);
    // The program's keys work again at once.
    key("t", "theme", "contrast");
    EXPECT_TRUE(std::filesystem::exists(trace));
    into_dialog("ctrl+e", "export", picture);
    key("t", "theme", "light");
    EXPECT_GT(std::filesystem::file_size(picture), 1000U);
    key("bracketleft", "shown", "interleaved-modulo");
    into_dialog("ctrl+o", "open", trace);
    until([&](const Json& s) { return s["shown"] == "interleaved-strided" && s["file"] == trace; }, "the opened trace");
    key("t", "theme", "dark");
    key("Right", "place", 1);
}

// Without a pause between the keys.
TEST_F(Ui, KeysRightAfterADialogAreTheProgramsAgain) {
    open();
    const std::string trace = (directory_ / "t.wtrace").string();
    xdotool("key ctrl+s type --delay 1 " + trace);
    xdotool("key Return key t key Right");
    until([](const Json& s) { return s["dialog"] == "none" && s["theme"] == "contrast" && s["place"] == 1; },
          "save, theme, step");
    EXPECT_TRUE(std::filesystem::exists(trace));
    xdotool("key ctrl+o key Escape key t key Right");
    until([](const Json& s) { return s["dialog"] == "none" && s["theme"] == "light" && s["place"] == 2; },
          "dismiss, theme, step");
}

TEST_F(Ui, OpensByTheListOfFiles) {
    open();
    std::filesystem::create_directories(directory_ / "traces");
    const std::string trace = (directory_ / "traces" / "only.wtrace").string();
    into_dialog("ctrl+s", "save", trace);
    key("bracketright", "shown", "interleaved-strided");
    key("ctrl+o", "dialog", "open");
    xdotool("type " + (directory_ / "traces").string() + "/");
    xdotool("key Down key Down key Return"); // "..", the file
    until([&](const Json& s) { return s["file"] == trace && s["dialog"] == "none"; }, "the chosen file");
}

TEST_F(Ui, DialogsSayWhyAndStayOpen) {
    open();
    const std::string nowhere = (directory_ / "no such directory" / "x").string();
    const std::string bad = (directory_ / "bad.wtrace").string();
    std::ofstream(bad) << "this is no archive";
    const struct {
        const char *keys, *dialog;
        std::string path;
    } cases[] = {{"ctrl+s", "save", nowhere + ".wtrace"},
                 {"ctrl+e", "export", nowhere + ".png"},
                 {"ctrl+e", "export", (directory_ / "x.bmp").string()},
                 {"ctrl+o", "open", nowhere + ".wtrace"},
                 {"ctrl+o", "open", bad},
                 {"ctrl+o", "open", directory_.string()}};
    for (const auto& c : cases) {
        key(c.keys, "dialog", c.dialog);
        xdotool("type '" + c.path + "'");
        xdotool("key Return");
        const Json s = until([](const Json& j) { return j["dialog_error"] != ""; }, "a reason for " + c.path);
        EXPECT_EQ(s["dialog"], c.dialog);
        EXPECT_EQ(s["dialog_error"].get<std::string>().find('\n'), std::string::npos);
        EXPECT_EQ(s["file"], "");
        key("Escape", "dialog", "none");
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
        EXPECT_NE(entry.path().stem(), "x") << "half-written: " << entry.path();
    }
}

TEST_F(Ui, ADroppedFileIsOpened) {
    const std::string trace = (directory_ / "dropped.wtrace").string(), bad = (directory_ / "bad.wtrace").string();
    std::ofstream(bad) << "this is no archive";
    ASSERT_EQ(run_program({"record", "converging", "-n", "500", "--backend", "cpu", "-o", trace}).code, 0);
    open();
    std::string why;
    ASSERT_TRUE(drop_file(display_, "warptree", trace, why)) << why;
    until([&](const Json& s) { return s["file"] == trace && s["shown"] == "converging"; }, "the dropped trace");
    ASSERT_TRUE(drop_file(display_, "warptree", bad, why)) << why;
    until([](const Json& s) { return s["notice"].get<std::string>().find("bad.wtrace") != std::string::npos; },
          "why the file cannot be shown");
    EXPECT_EQ(state()["file"], trace);
}

TEST_F(Ui, StrategiesAndParametersByKeyboard) {
    open();
    key("Tab", "keyboard", "strategies");
    xdotool("key Down");
    key("Return", "shown", "interleaved-strided");
    EXPECT_EQ(state()["place"], 0) << "the arrow was for the list";
    xdotool("type ttf");
    settled();
    EXPECT_EQ(state()["theme"], "dark");
    key("Tab", "keyboard", "parameters");
    xdotool("type 100");
    key("Return", "shown_n", 100);
    key("Page_Up", "shown_n", 200);
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
    xdotool("key Tab"); // leaving the field takes it, too
    until([](const Json& s) { return s["shown_n"] == 77; }, "the count typed before Tab");
    key("Escape", "keyboard", "");
    key("Right", "place", 1);
    key("p", "keyboard", "parameters");
    settled();
    xdotool("type 5");
    key("Escape", "keyboard", "");
    EXPECT_EQ(settled()["n"], 77) << "Escape takes back what was typed";
}

TEST_F(Ui, PaletteByArrowsAndByName) {
    open();
    key("ctrl+k", "dialog", "palette");
    xdotool("type strategy:");
    xdotool("key Down key Return");
    until([](const Json& s) { return s["shown"] == "interleaved-strided"; }, "the second strategy of the list");
    command("theme: contrast");
    until([](const Json& s) { return s["theme"] == "contrast"; }, "a theme by name");
    command("half the");
    until([](const Json& s) { return s["shown_n"] == 32; }, "half the elements");
}

TEST_F(Ui, BanksShowTheChosenWarpAndRequest) {
    open();
    key("Right", "place", 1); // s = 1: two loads and a store in each of two warps
    const int first = settled()["request"];
    xdotool("key period");
    const int second = until([&](const Json& s) { return s["request"] != first; }, "the next access")["request"];
    xdotool("key comma");
    until([&](const Json& s) { return s["request"] == first; }, "the one before");
    EXPECT_NE(first, second);
    key("greater", "warp", 1);
    key("less", "warp", 0);
    // A click in the second half of the warp grid chooses warp 1.
    const Json warps = place("warps");
    click(warps[0].get<int>() + warps[2].get<int>() * 7 / 10, warps[1].get<int>() + warps[3].get<int>() / 3);
    until([](const Json& s) { return s["warp"] == 1; }, "a click in the warp grid");
}

TEST_F(Ui, ClosesQuicklyDuringALongRun) {
    for (const bool by_key : {true, false}) {
        std::filesystem::create_directories(directory_ / "config/warptree");
        std::ofstream(directory_ / "config/warptree/state.json")
            << R"({"strategy": "interleaved-modulo", "n": 4194304, "block": 64, "finish": "relaunch"})";
        start({});
        until([](const Json& s) { return s.value("busy", false); }, "the long run");
        const auto began = std::chrono::steady_clock::now();
        if (by_key) {
            xdotool("key ctrl+q");
        } else {
            ASSERT_TRUE(ask_to_close(display_, "warptree"));
        }
        EXPECT_EQ(wait_for_exit(), 0);
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
        std::ifstream in(directory_ / "config/warptree/state.json");
        EXPECT_TRUE(Json::parse(in, nullptr, false).is_object());
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_ / "config/warptree"), {}), 1)
            << "something half-written lies beside the state";
    }
}

TEST_F(Ui, OpensTheFileItIsGiven) {
    const std::string trace = (directory_ / "given.wtrace").string();
    ASSERT_EQ(run_program({"record", "converging", "-n", "500", "--backend", "cpu", "-o", trace}).code, 0);
    open({trace});
    EXPECT_EQ(state()["file"], trace);
    EXPECT_EQ(state()["shown"], "converging");
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
