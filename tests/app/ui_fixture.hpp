// The real window under a display of its own, driven with real keys and mouse.
#pragma once

#include "tests/app/process.hpp"
#include "tests/app/x_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptree::testing {

using Json = nlohmann::json;

class Ui : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("Xvfb") || !has("xdotool")) {
            GTEST_SKIP() << "needs Xvfb and xdotool: script/bootstrap --test installs them";
        }
        directory_ = std::filesystem::temp_directory_path() / ("warptree_ui_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
        server_ = std::make_unique<XServer>(directory_);
        display_ = server_->name();
        ASSERT_FALSE(display_.empty()) << "Xvfb did not start";
    }
    void TearDown() override {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        server_.reset();
        if (!directory_.empty()) {
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
                              // The OpenGL driver is unloaded before leaks are counted, and leaks in it have no name.
                              {"ASAN_OPTIONS", "detect_leaks=0"},
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
    // Waits for the state to fulfil `good`; fails with what was awaited. Long, for a build with sanitizers on a machine
    // that has other work.
    Json until(const std::function<bool(const Json&)>& good, const std::string& what) const {
        Json s;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        do {
            s = state();
            if (s.is_object() && good(s)) {
                return s;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(25));
        } while (std::chrono::steady_clock::now() < end);
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
    // The program said that it has written the file.
    void written(const std::string& path) const {
        until([&](const Json& s) { return s["notice"] == "saved " + path || s["notice"] == "exported " + path; },
              path + " is written");
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    // The pixels of the window, once two pictures in a row are the same.
    std::string screenshot() const {
        std::string last, now;
        for (int tries = 0; tries < 50 && (tries < 2 || now != last); ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            last = std::move(now);
            now = pixels();
        }
        return now;
    }

    std::string pixels() const {
        const std::string file = (directory_ / "shot").string();
        EXPECT_EQ(std::system(("xwd -root -silent -display " + display_ + " -out " + file).c_str()), 0);
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path directory_;
    std::unique_ptr<XServer> server_;
    std::string display_;
    pid_t child_ = 0;
};

} // namespace warptree::testing
