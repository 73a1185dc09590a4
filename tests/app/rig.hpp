// The window's screen in this process, on a display of its own and never shown: laid out at any size and scale, painted
// only when asked to.
#pragma once

#include "app/shell/screen.hpp"
#include "tests/app/frame_texts.hpp"
#include "tests/app/x_server.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptree::testing {

class Rig {
  public:
    // What stands in the way of one; empty: nothing.
    static std::string obstacle();
    Rig(); // throws std::runtime_error
    ~Rig();
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    window::Screen& screen() { return *screen_; }
    session::Looks& looks() { return screen_->explore().looks; }
    void resize(int width, int height);
    // Lays out until two frames are the same and nothing is computed any more. Throws std::runtime_error when that
    // does not come.
    const ImDrawData& settle();
    FrameTexts texts(); // of the frame laid out last
    // No dialog, notice or selection, no keyboard in a panel, nothing folded.
    void calm();
    std::string write(const std::string& name, const std::string& text) const; // of its folder; returns the path

  private:
    std::filesystem::path directory_;
    std::unique_ptr<XServer> server_;
    std::vector<std::pair<const char*, std::optional<std::string>>> environment_; // to put back
    window::FrameTimes times_;
    GLFWwindow* window_ = nullptr;
    std::unique_ptr<window::Screen> screen_;
};

// A thing to look at, brought up by `show` on a calm screen.
struct RigState {
    std::string name;
    std::function<void(Rig&)> show;
    bool one_of_many = false; // alike: enough to see each in some sizes and scales
};
// Every screen, what opens over it, and what it can show.
std::vector<RigState> rig_states();

// Sizes of the window, scales of the text.
struct RigSize {
    int width, height;
};
inline constexpr RigSize kRigSizes[]{{1280, 720}, {1920, 1080}, {3840, 2160}};
inline constexpr float kRigScales[]{0.75F, 1, 2, 3};

} // namespace warptree::testing
