// The windows over the screen: open, save, export, palette, help. One at a time.
#pragma once

#include "app/panels/panel.hpp"
#include "app/window_actions.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace warptree::window {

enum class Dialog { none, open, save, export_picture, palette, help };
const char* name(Dialog dialog);

class Dialogs {
  public:
    void show(Dialog dialog, const session::Explore& explore);
    void close() { current_ = Dialog::none; }
    Dialog current() const { return current_; }
    void enter() { enter_ = true; } // Enter was pressed: counts once, however short the press
    // Draws the current one. `notice` receives what was done.
    void draw(panels::Context& context, const std::vector<Action>& actions, std::string& notice);

  private:
    void draw_path(panels::Context& context, std::string& notice);
    void draw_files();
    void draw_palette(const std::vector<Action>& actions);
    void draw_help(panels::Context& context, const std::vector<Action>& actions);
    void accept(session::Explore& explore, std::string& notice);

    Dialog current_ = Dialog::none;
    bool opened_ = false; // in this frame: take the focus
    bool enter_ = false;
    std::array<char, 1024> text_{};
    std::string error_;
    int view_ = 0, choice_ = 0;
};

} // namespace warptree::window
