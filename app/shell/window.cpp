#include "app/shell/window.hpp"

#include "app/base/error.hpp"
#include "app/shell/screen.hpp"

#include <glad/gl.h>
// glad first: GLFW must not include its own OpenGL header.
#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

namespace warptree {

namespace {
// Global, because a signal handler can reach nothing else.
volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_signal(int) {
    interrupted = 1;
    glfwPostEmptyEvent();
}

// Another program may destroy the window or end the display. By default Xlib then ends the program, and what was shown
// is lost; here a destroyed window counts as closed. The handlers' types match those of Xlib, which GLFW loads.
volatile std::sig_atomic_t window_lost = 0;

extern "C" int on_x_error(void* /*display*/, void* /*event*/) {
    window_lost = 1;
    return 0;
}
extern "C" int on_display_lost(void* /*display*/) {
    constexpr std::string_view kLine = "warptree: the display is gone\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
    _exit(3);
}

void listen_to_x() {
    void* x11 = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (x11 == nullptr) {
        return; // another window system
    }
    using SetHandler = void* (*)(int (*)(void*, void*));
    using SetLostHandler = void* (*)(int (*)(void*));
    if (const auto set = reinterpret_cast<SetHandler>(dlsym(x11, "XSetErrorHandler"))) {
        set(on_x_error);
    }
    if (const auto set = reinterpret_cast<SetLostHandler>(dlsym(x11, "XSetIOErrorHandler"))) {
        set(on_display_lost);
    }
    dlclose(x11);
}

std::string last_error;

void on_error(int, const char* text) { last_error = text; }

struct Glfw {
    ~Glfw() { glfwTerminate(); }
};
struct CloseWindow {
    void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};

struct WindowSize {
    int width = 0, height = 0;
};

// No larger than the screen: a projector may be smaller than the one that the size was remembered on.
WindowSize fitted(WindowSize size) {
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    int x = 0, y = 0;
    WindowSize most;
    if (monitor != nullptr) {
        glfwGetMonitorWorkarea(monitor, &x, &y, &most.width, &most.height);
    }
    return most.width > 0 && most.height > 0
               ? WindowSize{std::min(size.width, most.width), std::min(size.height, most.height)}
               : size;
}

constexpr const char* kWayOut =
    "LIBGL_ALWAYS_SOFTWARE=1 draws on the CPU, xvfb-run -a gives a display where there is none, and the commands need "
    "none: see 'warptree --help'";

int no_window(const std::string& why) {
    fmt::print(stderr, "warptree: {}; {}\n", why, kWayOut);
    return 3;
}
} // namespace

int run_window(const WindowRequest& request) {
    window::FrameTimes frame_times;
    glfwSetErrorCallback(on_error);
#ifdef GLFW_PLATFORM // GLFW 3.4 tries Wayland first, on which this program and its presenter are untested
    if (std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") == nullptr) {
        glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    }
#endif
    if (glfwInit() == GLFW_FALSE) {
        return no_window("no display: " + last_error);
    }
    const Glfw glfw;
    std::string note;
    const session::Settings settings = session::load_settings(session::settings_path(), note);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SAMPLES, 0);
    const WindowSize remembered = fitted({settings.width, settings.height});
    const std::unique_ptr<GLFWwindow, CloseWindow> window(
        glfwCreateWindow(request.width > 0 ? request.width : remembered.width,
                         request.height > 0 ? request.height : remembered.height, "warptree", nullptr, nullptr));
    if (!window) {
        return no_window("no window with OpenGL 3.3: " + last_error);
    }
    glfwMakeContextCurrent(window.get());
    if (gladLoadGL(glfwGetProcAddress) == 0 || GLAD_GL_VERSION_3_3 == 0) {
        return no_window("the driver offers no OpenGL 3.3");
    }
    glfwSwapInterval(1);
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    try {
        window::Screen screen(window.get(), settings, note, frame_times);
        if (request.options) {
            screen.explore().options = *request.options;
        }
        screen.start(request.files, request.state);
        listen_to_x();
        while (glfwWindowShouldClose(window.get()) == GLFW_FALSE && interrupted == 0 && window_lost == 0) {
            screen.frame();
        }
        screen.remember(window_lost == 0);
    } catch (const Error& e) {
        fmt::print(stderr, "warptree: {}\n", e.what());
        return 3;
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    return 0;
}

} // namespace warptree
