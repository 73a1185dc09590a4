// The window's screen in this process, on its own display and never shown: laid out at any size and scale, painted only
// on request.
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
    // Why a rig cannot be created; empty: it can.
    static std::string obstacle();
    Rig(); // throws std::runtime_error
    ~Rig();
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    window::Screen& screen() { return *screen_; }
    session::Looks& looks() { return screen_->explore().looks; }
    void resize(int width, int height);
    // Lays out until two frames are equal and nothing is running. Throws std::runtime_error if that never happens.
    const ImDrawData& settle();
    FrameTexts texts(); // of the frame laid out last
    // No dialog, notice or selection, no keyboard focus in a panel, nothing folded.
    void calm();
    std::string write(const std::string& name, const std::string& text) const; // in its folder; returns the path

  private:
    std::filesystem::path directory_;
    std::unique_ptr<XServer> server_;
    std::vector<std::pair<const char*, std::optional<std::string>>> environment_; // to restore
    window::FrameTimes times_;
    GLFWwindow* window_ = nullptr;
    std::unique_ptr<window::Screen> screen_;
};

// A state to look at; `show` runs after calm().
struct RigState {
    std::string name;
    std::function<void(Rig&)> show;
    bool one_of_many = false; // similar to others: checked in fewer sizes and scales
};
// Every screen, its dialogs, and its states.
std::vector<RigState> rig_states();

// Sizes of the window, scales of the text.
struct RigSize {
    int width, height;
};
inline constexpr RigSize kRigSizes[]{{1280, 720}, {1920, 1080}, {3840, 2160}};
inline constexpr float kRigScales[]{0.75F, 1, 2, 3};

} // namespace warptree::testing
