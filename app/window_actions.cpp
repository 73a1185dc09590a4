#include "app/window_actions.hpp"

#include <GLFW/glfw3.h>

namespace warptree::window {

std::vector<Action> make_actions(session::Explore& e, const WindowHooks& h) {
    session::Playback& p = e.playback;
    return {
        {"play", "Play or pause", "Space", GLFW_KEY_SPACE, 0, [&p] { p.toggle(); }},
        {"forward", "Step forward", "Right", GLFW_KEY_RIGHT, 0, [&p] { p.forward(); }},
        {"back", "Step back", "Left", GLFW_KEY_LEFT, 0, [&p] { p.back(); }},
        {"sub-forward", "Sub-step forward", "Shift+Right", GLFW_KEY_RIGHT, kShift, [&p] { p.sub_forward(); }},
        {"sub-back", "Sub-step back", "Shift+Left", GLFW_KEY_LEFT, kShift, [&p] { p.sub_back(); }},
        {"first", "First step", "Home", GLFW_KEY_HOME, 0,
         [&p] {
             p.pause();
             p.first();
         }},
        {"last", "Last step", "End", GLFW_KEY_END, 0,
         [&p] {
             p.pause();
             p.last();
         }},
        {"faster", "Faster", "Up", GLFW_KEY_UP, 0, [&p] { p.faster(); }},
        {"slower", "Slower", "Down", GLFW_KEY_DOWN, 0, [&p] { p.slower(); }},
        {"loop", "Loop on or off", "L", GLFW_KEY_L, 0, [&p] { p.loop = !p.loop; }},
        {"explore", "Explore screen", "1", GLFW_KEY_1, 0, [] {}},
        {"previous-strategy", "Previous strategy", "[", GLFW_KEY_LEFT_BRACKET, 0, [&e] { e.next_strategy(-1); }},
        {"next-strategy", "Next strategy", "]", GLFW_KEY_RIGHT_BRACKET, 0, [&e] { e.next_strategy(1); }},
        {"larger", "Larger text and drawing", "Ctrl++", GLFW_KEY_EQUAL, kControl, [&e] { e.scale_by(1); }},
        {"smaller", "Smaller text and drawing", "Ctrl+-", GLFW_KEY_MINUS, kControl, [&e] { e.scale_by(-1); }},
        {"normal-size", "Text and drawing at 100 %", "Ctrl+0", GLFW_KEY_0, kControl, [&e] { e.scale_by(0); }},
        {"fit", "Fit the view", "F", GLFW_KEY_F, 0, h.fit},
        {"theme", "Theme: light, dark, high contrast", "T", GLFW_KEY_T, 0, [&e] { e.next_theme(); }},
        {"presentation", "Presentation: full screen, large text", "F11", GLFW_KEY_F11, 0, h.presentation},
        {"export", "Export a picture", "Ctrl+E", GLFW_KEY_E, kControl, h.export_picture},
        {"save", "Save the trace", "Ctrl+S", GLFW_KEY_S, kControl, h.save_trace},
        {"open", "Open a trace", "Ctrl+O", GLFW_KEY_O, kControl, h.open_trace},
        {"palette", "All actions by name", "Ctrl+K", GLFW_KEY_K, kControl, h.palette},
        {"help", "Keys and help", "F1", GLFW_KEY_F1, 0, h.help},
        {"dismiss", "Close a dialog, drop the selection", "Esc", GLFW_KEY_ESCAPE, 0, h.dismiss},
        {"live", "Back from a recorded trace to a live one", "", 0, 0, [&e] { e.back_to_live(); }},
        {"reset-layout", "Reset the layout", "", 0, 0, h.reset_layout},
        {"quit", "Quit", "Ctrl+Q", GLFW_KEY_Q, kControl, h.quit},
    };
}

} // namespace warptree::window
