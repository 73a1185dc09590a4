// The window in a page. page.js gives the canvas and, as the only argument, what to show (document/state_string.hpp);
// empty: as last time.
#include "app/base/error.hpp"
#include "app/base/temporary_file.hpp"
#include "app/compile/client/kept.hpp"
#include "app/shell/screen.hpp"

#include <GLFW/glfw3.h>

#include <emscripten.h>
#include <emscripten/html5.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace {

using namespace warptree;

// What page.js has to know and to do.
EM_JS(void, page_says, (const char* words), { Module.page.says(UTF8ToString(words)); });
EM_JS(void, page_shows, (const char* state), { Module.page.shows(UTF8ToString(state)); });
EM_JS(void, page_keeps, (), { Module.page.keeps(); });
EM_JS(void, page_saves, (const char* path), { Module.page.saves(UTF8ToString(path)); });
EM_JS(void, page_asks_for_file, (), { Module.page.asks_for_file(); });
EM_JS(void, page_copies, (const char* text), { Module.page.copies(UTF8ToString(text)); });
EM_JS(void, page_resizes, (int width, int height), { Browser.setCanvasSize(width, height); });

struct Size {
    int width, height;
};

// Of the page in pixels of the display.
Size page_size() {
    const double ratio = emscripten_get_device_pixel_ratio();
    return {EM_ASM_INT({ return Math.round(innerWidth * $0); }, ratio),
            EM_ASM_INT({ return Math.round(innerHeight * $0); }, ratio)};
}

// Relative names are below it; what the program writes there is the user's, and the browser downloads it.
class WorkFolder {
  public:
    WorkFolder() {
        std::filesystem::create_directories(kPath);
        std::filesystem::current_path(kPath);
    }
    void hand_over() {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(kPath, error)) {
            // What a thread still writes: after its download the browser would refuse the file's, as the second of one key.
            if (is_temporary(entry.path())) {
                continue;
            }
            const auto written = entry.last_write_time(error);
            if (auto& known = written_[entry.path().string()]; entry.is_regular_file(error) && known != written) {
                known = written;
                page_saves(entry.path().c_str());
            }
        }
    }

  private:
    static constexpr const char* kPath = "/work";
    std::map<std::string, std::filesystem::file_time_type> written_;
};

std::string pasted; // what a paste into the page brought last

void use_clipboard_of_page() {
    ImGuiIO& io = ImGui::GetIO();
    io.SetClipboardTextFn = [](void*, const char* text) {
        pasted = text;
        page_copies(text);
    };
    io.GetClipboardTextFn = [](void*) { return pasted.c_str(); };
}

// Everything that lives as long as the page, also where it cannot begin.
class Page {
  public:
    void begin(const std::string& state) {
        if (glfwInit() == GLFW_FALSE) {
            throw DeviceError("GLFW does not start in this browser");
        }
        std::string note;
        session::Settings settings = session::load_settings(session::settings_path(), note);
        if (std::error_code missing; !std::filesystem::exists(session::settings_path(), missing)) {
            settings.looks.scale = static_cast<float>(std::clamp(emscripten_get_device_pixel_ratio(), 1.0, 3.0));
        }
        glfwWindowHint(GLFW_SAMPLES, 0);
        glfwWindowHint(GLFW_ALPHA_BITS, 0);
        glfwWindowHint(GLFW_DEPTH_BITS, 0);
        glfwWindowHint(GLFW_STENCIL_BITS, 0);
        size_ = page_size();
        window_ = glfwCreateWindow(size_.width, size_.height, "warptree", nullptr, nullptr);
        if (window_ == nullptr) {
            throw DeviceError("this browser offers no WebGL 2, which the window draws with");
        }
        glfwMakeContextCurrent(window_);
        screen_ = std::make_unique<window::Screen>(window_, settings, note, frame_times_);
        screen_->ask_for_file = page_asks_for_file;
        use_clipboard_of_page();
        screen_->start({}, state);
    }

    void frame() {
        if (const Size now = page_size(); now.width != size_.width || now.height != size_.height) {
            size_ = now;
            page_resizes(now.width, now.height);
        }
        if (screen_->frame_if_due()) {
            if (!std::exchange(drawn_, true)) {
                EM_ASM({ performance.mark('drawn'); });
            }
            shown();
        }
    }

    void show(const std::string& state) {
        try {
            screen_->show_state(state);
        } catch (const Error& e) {
            page_says(e.what());
        }
    }

    void open(const std::string& path) { screen_->open(path); }

    void remember() {
        if (!screen_) { // it could not begin
            return;
        }
        screen_->remember(false);
        page_keeps();
    }

  private:
    // Tells the page what a link to it has to say.
    void shown() {
        folder_.hand_over();
        if (std::string state = screen_->settled_state(); !state.empty() && state != told_) {
            told_ = std::move(state);
            page_shows(told_.c_str());
        }
    }

    WorkFolder folder_;
    window::FrameTimes frame_times_;
    Size size_{};
    GLFWwindow* window_ = nullptr;
    std::unique_ptr<window::Screen> screen_;
    std::string told_;
    bool drawn_ = false; // a first picture
};

Page* page = nullptr; // as long as the module: its main() returns, and the browser goes on calling frame()

void frame() {
    try {
        page->frame();
    } catch (const std::exception& e) {
        emscripten_cancel_main_loop();
        page_says(fmt::format("warptree: {}; load the page again", e.what()).c_str());
    }
}

} // namespace

extern "C" {
EMSCRIPTEN_KEEPALIVE void page_show(const char* state) { page->show(state); }
EMSCRIPTEN_KEEPALIVE void page_open(const char* path) { page->open(path); }
EMSCRIPTEN_KEEPALIVE void page_paste(const char* text) { pasted = text; }
EMSCRIPTEN_KEEPALIVE void page_is_served(const char* client) { compile::ask_server_as(client); }
EMSCRIPTEN_KEEPALIVE void page_remember() { page->remember(); }
}

int main(int argc, char** argv) {
    try {
        page = new Page; // NOLINT(cppcoreguidelines-owning-memory): as long as the module
        page->begin(argc > 1 ? argv[1] : "");
        emscripten_set_main_loop(frame, 0, 0);
        return 0;
    } catch (const std::exception& e) {
        page_says(fmt::format("warptree: {}", e.what()).c_str());
        return 3;
    }
}
