// The real window on a display of its own, driven with real keys and mouse.
#pragma once

#include "tests/app/process.hpp"
#include "tests/app/x_server.hpp"
#include "tests/support/sanitizer.hpp"

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

#include <sys/resource.h>

namespace warptree::testing {

using Json = nlohmann::json;

class Ui : public ::testing::Test {
  protected:
    void SetUp() override {
        if (tests::kFewCases && !is_first_of_its_suite()) {
            GTEST_SKIP() << "under a sanitizer one test of a suite stands for all; FrameLayout draws every screen";
        }
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
        if (const auto config = directory_ / "config/warptree"; !first_start_ && !std::filesystem::exists(config)) {
            std::filesystem::create_directories(config);
            std::ofstream(config / "state.json") << "{}\n"; // else the coach of the first start appears
        }
        if (!animated_) {
            std::filesystem::create_directories(directory_ / "config/gtk-3.0");
            std::ofstream(directory_ / "config/gtk-3.0/settings.ini") << "[Settings]\ngtk-enable-animations=0\n";
        }
        tell();
        const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        child_ = spawn(Start{std::move(arguments),
                             {{"DISPLAY", display_},
                              {"XDG_CONFIG_HOME", (directory_ / "config").string()},
                              {"LIBGL_ALWAYS_SOFTWARE", "1"},
                              // The OpenGL driver is unloaded before leaks are counted, so its leaks have no symbols.
                              {"ASAN_OPTIONS", "detect_leaks=0"},
                              {"WARPTREE_STATE_FILE", state_file()},
                              {"WARPTREE_CLOCK", clock_file()}},
                             {"WAYLAND_DISPLAY"},
                             {}},
                       null, STDERR_FILENO);
        close(null);
    }
    int close_window() {
        xdotool("key ctrl+q");
        return wait_for_exit();
    }
    // `used`: receives the window's resource usage.
    int wait_for_exit(rusage* used = nullptr) {
        int status = 0;
        wait4(child_, &status, 0, used);
        child_ = 0;
        return exit_code(status);
    }
    std::string state_file() const { return (directory_ / "state.json").string(); }
    std::string clock_file() const { return (directory_ / "clock").string(); }
    Json state() const {
        std::ifstream in(state_file());
        return Json::parse(in, nullptr, false);
    }
    // Waits until the state satisfies `good`; the failure names what was awaited.
    Json until(const std::function<bool(const Json&)>& good, const std::string& what) const {
        Json s;
        const auto end = std::chrono::steady_clock::now() + kLongestWait;
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
    // Returns the settled state once the pointer has arrived.
    Json move(int x, int y) const {
        xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y));
        until([&](const Json& s) { return s["mouse"] == Json{double(x), double(y)}; }, "the pointer");
        return settled();
    }
    // Long enough after the previous one not to be a double click.
    void click(int x, int y) const {
        time_ += 1;
        move(x, y);
        xdotool("click 1");
    }
    // Clicks its place in the settled state: earlier actions may still move it.
    void click(const char* id) const {
        place(id);
        const auto [x, y] = middle(settled()["places_on_screen"][id]);
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
    // The state once the window has handled and shows everything done so far: an acknowledgement, not a delay. The
    // window's clock stands still meanwhile, so nothing moves by time.
    Json settled() const {
        ++told_;
        tell();
        return until([&](const Json& s) { return s.value("settled", std::uint64_t{0}) == told_; }, "all that was done");
    }
    // Advances the window's clock and returns the settled state.
    Json advance(double seconds) const {
        time_ += seconds;
        return settled();
    }
    // The same in tenths of a second, until the state satisfies `good`.
    Json advance_until(const std::function<bool(const Json&)>& good, const std::string& what) const {
        Json s = settled();
        for (int tenths = 0; tenths < 300 && !good(s); ++tenths) {
            s = advance(0.1);
        }
        EXPECT_TRUE(good(s)) << "never came: " << what << "\n" << s.dump(1);
        return s;
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
    // Waits until the program reports that it has written the file.
    void written(const std::string& path) const {
        until([&](const Json& s) { return s["notice"] == "saved " + path || s["notice"] == "exported " + path; },
              path + " is written");
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    // The pixels of the screen: an xwd dump without its header and colour table, whose padding is uninitialized.
    std::string screenshot() const {
        settled();
        const std::string file = (directory_ / "shot").string();
        EXPECT_EQ(std::system(("xwd -root -silent -display " + display_ + " -out " + file).c_str()), 0);
        std::ifstream in(file, std::ios::binary);
        return pixels({std::istreambuf_iterator<char>(in), {}});
    }
    static std::string pixels(const std::string& dump) {
        constexpr std::size_t kColors = 19, kColorBytes = 12, kWords = 25; // X11/XWDFile.h: words of the header
        const auto word = [&](std::size_t i) {
            std::size_t value = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                value = value << 8U | static_cast<unsigned char>(dump[4 * i + k]);
            }
            return value;
        };
        if (dump.size() < 4 * kWords || dump.size() < word(0) + kColorBytes * word(kColors)) {
            ADD_FAILURE() << "no dump of a screen";
            return {};
        }
        return dump.substr(word(0) + kColorBytes * word(kColors));
    }

  private:
    static bool is_first_of_its_suite() {
        const auto* test = ::testing::UnitTest::GetInstance();
        return test->current_test_info() == test->current_test_suite()->GetTestInfo(0);
    }
    // Atomically, so that the window never reads half of it.
    void tell() const {
        std::ofstream(clock_file() + ".part") << told_ << ' ' << time_ << '\n';
        std::filesystem::rename(clock_file() + ".part", clock_file());
    }
    mutable std::uint64_t told_ = 0;
    mutable double time_ = 0; // seconds

  protected:
    std::filesystem::path directory_;
    std::unique_ptr<XServer> server_;
    std::string display_;
    pid_t child_ = 0;
    bool first_start_ = false; // with no saved state
    bool animated_ = false;    // steps by keys take their time
};

} // namespace warptree::testing
