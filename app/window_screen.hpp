// The screen of one window: turns events into actions and draws a frame.
#pragma once

#include "app/panels/panel.hpp"
#include "app/session/settings.hpp"
#include "app/window_actions.hpp"
#include "app/window_dialogs.hpp"
#include "app/window_state.hpp"

#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;

namespace warptree::window {

class Screen {
  public:
    Screen(GLFWwindow* window, const session::Settings& settings, std::string note, FrameTimes& frame_times);
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    session::Explore& explore() { return explore_; }
    void start(const std::vector<std::string>& files); // opens the files, or runs the options
    void frame();                                      // waits for events when nothing moves
    void remember();                                   // settings for the next start

  private:
    static Screen& of(GLFWwindow* window);
    void set_callbacks();
    void on_key(int key, int modifiers);
    void wait();
    void rebuild_looks();
    void draw();
    void draw_top_bar(panels::Context& context, float width);
    void draw_panel(panels::Context& context, panels::Panel& panel, const scene::Rect& rect);
    void draw_progress(panels::Context& context);
    void toggle_presentation();
    void open(const std::string& path);
    WindowHooks hooks();

    GLFWwindow* window_;
    FrameTimes& frame_times_;
    StateFile state_;
    session::Explore explore_;
    render::Fonts fonts_;
    std::unique_ptr<render::GlPainter> painter_;
    std::vector<std::unique_ptr<panels::Panel>> panels_;
    std::vector<Action> actions_;
    Dialogs dialogs_;
    std::string notice_;
    double notice_until_ = 0;
    float built_scale_ = 0;
    scene::ThemeName built_theme_{};
    bool built_ = false;
    int lively_ = 3; // frames to draw before waiting again
    double last_ = 0;
    int restore_[4] = {0, 0, 0, 0}; // place and size before full screen
    float restore_scale_ = 1;
};

} // namespace warptree::window
