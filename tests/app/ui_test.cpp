// The real window under a display of its own, driven with real keys and mouse.
#include "tests/app/process.hpp"

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
        ASSERT_EQ(std::system(("Xvfb -displayfd 3 -screen 0 1280x720x24 +extension GLX 3>" + number +
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
        until([](const Json& s) { return s.value("shown", "") != "" && !s.value("busy", true); }, "the first trace");
        xdotool("mousemove 640 5");
    }
    int close_window() {
        xdotool("key ctrl+q");
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
    const Json tree = state()["places_on_screen"]["tree"];
    const int x = tree[0].get<int>() + tree[2].get<int>() / 4, y = tree[1].get<int>();
    // Somewhere down the first column of the tree there is a node.
    bool hovered = false;
    for (int dy = 40; dy < tree[3].get<int>() && !hovered; dy += 4) {
        xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y + dy));
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        hovered = state()["hover"]["kind"] == 1;
    }
    ASSERT_TRUE(hovered);
    xdotool("click 1");
    until([](const Json& s) { return s["selected"]["kind"] == 1; }, "the click keeps the node");
    key("Escape", "selected", Json{{"kind", 0}, {"block", 0}, {"index", 0}});
    xdotool("click 4");
    until([](const Json& s) { return s["zoom"] > 1.1; }, "the wheel zooms");
    xdotool("click 4");
    const double pan = state()["pan_x"];
    xdotool("mousedown 1");
    for (int i = 0; i < 4; ++i) {
        xdotool("mousemove_relative 10 0 sleep 0.1");
    }
    xdotool("mouseup 1");
    until([&](const Json& s) { return s["pan_x"] > pan + 20; }, "dragging pans");
    key("f", "zoom", 1.0);
}

TEST_F(Ui, MouseWorksTheButtons) {
    open();
    const Json theme = state()["places_on_screen"]["theme"];
    xdotool("mousemove " + std::to_string(theme[0].get<int>() + 10) + " " + std::to_string(theme[1].get<int>() + 10) +
            " sleep 0.2 click 1");
    until([](const Json& s) { return s["theme"] == "contrast"; }, "the theme button");
    const Json list = state()["places_on_screen"]["strategies"];
    xdotool("mousemove 60 " + std::to_string(list[1].get<int>() + 105) + " sleep 0.2 click 1");
    until([](const Json& s) { return s["shown"] != "interleaved-modulo"; }, "a strategy by mouse");
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
    const auto into_field = [&](const char* keys, const char* dialog, const std::string& path) {
        key(keys, "dialog", dialog);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        xdotool("type " + path);
        xdotool("key Return");
        until([](const Json& s) { return s["dialog"] == "none"; }, std::string(dialog) + " is done");
    };
    into_field("ctrl+s", "save", trace);
    EXPECT_TRUE(std::filesystem::exists(trace));
    into_field("ctrl+e", "export", picture);
    EXPECT_GT(std::filesystem::file_size(picture), 1000U);
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
