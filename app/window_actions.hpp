// Everything a person can do, by name: keys, the palette and the help all read this one list.
#pragma once

#include "app/scene/tree_walk.hpp"
#include "app/session/explore.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warptree::window {

// Modifier bits of a key.
inline constexpr int kShift = 1, kControl = 2, kAlt = 4;

struct Action {
    std::string id;    // stable
    std::string title; // "Step forward"
    std::string keys;  // as shown: "Right", "Ctrl+S"; empty: only in the palette
    int key = 0;       // GLFW key code; 0: none
    int modifiers = 0;
    std::function<void()> act;
    std::string page{}; // its keys hold on that page only; empty: on each
};

// What actions need of the window itself.
struct WindowHooks {
    std::function<void()> fit, presentation, export_picture, save_trace, open_trace, palette, help, reset_layout, quit,
        dismiss, find_strategy, parameters, next_panel, redraw, cancel, next_focus, state, copy_state;
    std::function<void(scene::Way)> walk;
    std::function<void(const char* id)> edge; // gives a splitter the keyboard
    std::function<void(float steps)> zoom;
};

std::vector<Action> make_actions(session::Explore& explore, const WindowHooks& hooks);

} // namespace warptree::window
