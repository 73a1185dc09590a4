#include "app/shell/actions.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/catalogue/subject.hpp"
#include "app/gpu/driver.hpp"
#include "app/request/option.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace warptree::window {

namespace {
constexpr float kPan = 60; // pixels per key press

// One action for each value of an option that has few.
void add_values(std::vector<Action>& all, session::Explore& e, const request::Option& option) {
    std::string title = option.label;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    for (const std::string& word : option.choices) {
        all.push_back(
            {fmt::format("{}-{}", title, word), fmt::format("{}: {}", title, word), "", 0, 0, [&e, &option, word] {
                 option.set(e.options, word);
                 e.run();
             }});
    }
}

std::vector<Action> parameters_actions(session::Explore& e, const WindowHooks& h) {
    std::vector<Action> all{
        {"parameters", "Change the parameters", "I", GLFW_KEY_I, 0, h.parameters},
        {"twice", "Double the number of elements", "Page Up", GLFW_KEY_PAGE_UP, 0, [&e] { e.scale_elements(true); }},
        {"half", "Halve the number of elements", "Page Down", GLFW_KEY_PAGE_DOWN, 0, [&e] { e.scale_elements(false); }},
    };
    for (const request::Option& option : request::options()) {
        if (option.id != "backend" || gpu::usable()) {
            add_values(all, e, option);
        }
    }
    return all;
}

std::vector<Action> time_actions(session::Explore& e, const WindowHooks& h) {
    session::Playback& p = e.playback;
    return {
        {"play", "Play or pause", "Space", GLFW_KEY_SPACE, 0, [&p] { p.toggle(); }},
        {"forward", "Step forward", "Right", GLFW_KEY_RIGHT, 0, [&p] { p.step(1); }},
        {"back", "Step back", "Left", GLFW_KEY_LEFT, 0, [&p] { p.step(-1); }},
        {"sub-forward", "Sub-step forward", "Shift+Right", GLFW_KEY_RIGHT, kShift, [&p] { p.sub_forward(); }},
        {"sub-back", "Sub-step back", "Shift+Left", GLFW_KEY_LEFT, kShift, [&p] { p.sub_back(); }},
        {"next-launch", "Program: next launch", "Ctrl+Shift+Right", GLFW_KEY_RIGHT, kControl | kShift,
         [&e] { e.next_launch(1); }},
        {"previous-launch", "Program: previous launch", "Ctrl+Shift+Left", GLFW_KEY_LEFT, kControl | kShift,
         [&e] { e.next_launch(-1); }},
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
        {"animate", "Steps by keys: shown as they happen, or at once", "", 0, 0, h.animate},
        {"loop", "Loop on or off", "L", GLFW_KEY_L, 0, [&p] { p.loop = !p.loop; }},
    };
}

// A folded source panel comes to the front, as findings are listed only there; those of a strategy are listed nowhere.
void next_message(session::Explore& e, int by) {
    if (!e.on_kernel() || !e.file().empty()) {
        e.next_finding(by);
        return;
    }
    e.next_message = by;
    e.front = "source";
}

std::vector<Action> strategy_actions(session::Explore& e, const WindowHooks& h) {
    std::vector<Action> all{
        {"previous-strategy", "Previous strategy", "[", GLFW_KEY_LEFT_BRACKET, 0, [&e] { e.next_strategy(-1); }},
        {"next-strategy", "Next strategy", "]", GLFW_KEY_RIGHT_BRACKET, 0, [&e] { e.next_strategy(1); }},
        {"find", "Find a strategy", "Ctrl+F", GLFW_KEY_F, kControl, h.find_strategy},
        {"edit", "Edit the kernel file", "E", GLFW_KEY_E, 0, h.edit},
        {"code", "Source: PTX, then SASS, beside it", "X", GLFW_KEY_X, 0,
         [&e] {
             e.code.next();
             e.front = "source";
         }},
        {"printed", "What is printed, below the source: on or off", "", 0, 0,
         [&e] {
             e.printed = !e.printed;
             e.front = "source";
         }},
        {"next-finding", "Next finding", "N", GLFW_KEY_N, 0, [&e] { next_message(e, 1); }},
        {"previous-finding", "Previous finding", "P", GLFW_KEY_P, 0, [&e] { next_message(e, -1); }},
        {"smallest", "Find the smallest n and block that go wrong", "Shift+N", GLFW_KEY_N, kShift, h.smallest},
        {"mend", "What mends the finding; once more: write it", "Ctrl+.", GLFW_KEY_PERIOD, kControl, h.mend},
        {"kernel", "Back to the kernel file, from a strategy", "", 0, 0,
         [&e] {
             if (e.kernel() != nullptr) {
                 e.show_kernel();
             }
         }},
        {"live", "Back from a recorded trace to a live one", "", 0, 0, [&e] { e.back_to_live(); }},
    };
    for (const StrategyInfo& s : strategies()) {
        all.push_back({fmt::format("strategy-{}", s.id), fmt::format("Strategy: {}", s.id), "", 0, 0,
                       [&e, id = s.id] { e.select_strategy(id); }});
        all.back().words = subject_of(s);
    }
    return all;
}

std::vector<Action> tree_actions(session::Explore& e, const WindowHooks& h) {
    return {
        {"zoom-in", "Zoom in", "+", GLFW_KEY_EQUAL, 0, [h] { h.zoom(1); }},
        {"zoom-out", "Zoom out", "-", GLFW_KEY_MINUS, 0, [h] { h.zoom(-1); }},
        {"fit", "Fit the view", "F", GLFW_KEY_F, 0, h.fit},
        {"go-in", "Zoom to the block, then to a warp", "G", GLFW_KEY_G, 0, [&e] { e.go_in(); }},
        {"go-out", "Zoom out of the warp, then of the block", "Shift+G", GLFW_KEY_G, kShift, [&e] { e.go_out(); }},
        {"frame-work", "Zoom to where a warp works, step by step", "J", GLFW_KEY_J, 0,
         [&e] { e.frame = e.frame == scene::Frame::work ? scene::Frame::all : scene::Frame::work; }},
        {"follow", "Play zooms to where the work is: on or off", "Shift+J", GLFW_KEY_J, kShift, h.follow},
        {"pan-left", "Move the tree left", "Ctrl+Left", GLFW_KEY_LEFT, kControl, [&e] { e.move_camera(-kPan, 0); }},
        {"pan-right", "Move the tree right", "Ctrl+Right", GLFW_KEY_RIGHT, kControl, [&e] { e.move_camera(kPan, 0); }},
        {"pan-up", "Move the tree up", "Ctrl+Up", GLFW_KEY_UP, kControl, [&e] { e.move_camera(0, -kPan); }},
        {"pan-down", "Move the tree down", "Ctrl+Down", GLFW_KEY_DOWN, kControl, [&e] { e.move_camera(0, kPan); }},
        {"walk-up", "Tree: to an operand", "Alt+Up", GLFW_KEY_UP, kAlt, [h] { h.walk(scene::Way::up); }},
        {"walk-down", "Tree: to what uses it", "Alt+Down", GLFW_KEY_DOWN, kAlt, [h] { h.walk(scene::Way::down); }},
        {"walk-left", "Tree: to the cell left", "Alt+Left", GLFW_KEY_LEFT, kAlt, [h] { h.walk(scene::Way::left); }},
        {"walk-right", "Tree: to the cell right", "Alt+Right", GLFW_KEY_RIGHT, kAlt,
         [h] { h.walk(scene::Way::right); }},
    };
}

std::vector<Action> panels_actions(session::Explore& e, const WindowHooks& h) {
    return {
        {"next-request", "Banks: next access", ".", GLFW_KEY_PERIOD, 0, [&e] { e.next_request(1); }},
        {"previous-request", "Banks: previous access", ",", GLFW_KEY_COMMA, 0, [&e] { e.next_request(-1); }},
        {"next-warp", "Banks: next warp", ">", GLFW_KEY_PERIOD, kShift, [&e] { e.next_warp(1); }},
        {"previous-warp", "Banks: previous warp", "<", GLFW_KEY_COMMA, kShift, [&e] { e.next_warp(-1); }},
        {"memory", "Memory: the elements of an array, of the next one; the banks again", "M", GLFW_KEY_M, 0,
         [&e] { e.next_array(); }},
        {"next-focus", "Keyboard focus: the next list or edge between panels", "Tab", GLFW_KEY_TAB, 0, h.next_focus},
        {"next-panel", "The next folded panel", "V", GLFW_KEY_V, 0, h.next_panel},
        {"edge-left", "Move the edge of the lists by arrows", "", 0, 0, [h] { h.edge("split-left"); }},
        {"edge-lower", "Move the edge below the tree by arrows", "", 0, 0, [h] { h.edge("split-lower"); }},
        {"edge-right", "Move the edge of the source by arrows", "", 0, 0, [h] { h.edge("split-right"); }},
    };
}

std::vector<Action> file_actions(const WindowHooks& h) {
    return {
        {"open", "Open a kernel, a trace, timings, a lesson or a deck", "Ctrl+O", GLFW_KEY_O, kControl, h.open_trace},
        {"save", "Save the kernel file, else the trace", "Ctrl+S", GLFW_KEY_S, kControl, h.save},
        {"save-as", "Save the kernel file under another name", "Ctrl+Shift+S", GLFW_KEY_S, kControl | kShift,
         h.save_kernel_as},
        {"save-trace", "Save the trace", "", 0, 0, h.save_trace},
        {"new-kernel", "New kernel file", "Ctrl+N", GLFW_KEY_N, kControl, h.new_kernel},
        {"export", "Export a picture, a movie or a table", "Ctrl+E", GLFW_KEY_E, kControl, h.export_picture},
        {"export-screen", "Export the whole window as a picture", "Ctrl+Shift+E", GLFW_KEY_E, kControl | kShift,
         h.export_screen},
        {"copy-markdown", "Copy the table as Markdown", "Ctrl+C", GLFW_KEY_C, kControl,
         [h] { h.copy_table(TableFormat::markdown); }},
        {"copy-csv", "Copy the table as CSV", "Ctrl+Shift+C", GLFW_KEY_C, kControl | kShift,
         [h] { h.copy_table(TableFormat::csv); }},
        {"state", "State: what is shown, as a string", "Ctrl+U", GLFW_KEY_U, kControl, h.state},
        {"copy-state", "State: copy it as a command", "Ctrl+Shift+U", GLFW_KEY_U, kControl | kShift, h.copy_state},
        {"undo", "Undo the last choice", "Ctrl+Z", GLFW_KEY_Z, kControl, h.undo},
        {"redo", "Redo what was undone", "Ctrl+Shift+Z", GLFW_KEY_Z, kControl | kShift, h.redo},
        {"cancel", "Cancel running or saving", "", 0, 0, h.cancel},
        {"quit", "Quit", "Ctrl+Q", GLFW_KEY_Q, kControl, h.quit},
    };
}

std::vector<Action> view_actions(session::Explore& e, const WindowHooks& h) {
    std::vector<Action> all{
        {"larger", "Larger text and drawing", "Ctrl++", GLFW_KEY_EQUAL, kControl, [&e] { e.scale_by(1); }},
        {"smaller", "Smaller text and drawing", "Ctrl+-", GLFW_KEY_MINUS, kControl, [&e] { e.scale_by(-1); }},
        {"normal-size", "Text and drawing at 100 %", "Ctrl+0", GLFW_KEY_0, kControl, [&e] { e.scale_by(0); }},
        {"theme", "Theme: light, dark, high contrast", "T", GLFW_KEY_T, 0, [&e] { e.next_theme(); }},
        {"full-panel", "A panel, or the figure, fills the window", "Z", GLFW_KEY_Z, 0, h.full},
        {"presentation", "Presentation: full screen, large text", "F11", GLFW_KEY_F11, 0, h.presentation},
        {"pointer", "Pointer: a ring around the mouse", "H", GLFW_KEY_H, 0, [&e] { e.looks.toggle_pointer(); }},
        {"dismiss", "Close a dialog, drop the selection", "Esc", GLFW_KEY_ESCAPE, 0, h.dismiss},
        {"redraw", "Redraw the window", "Ctrl+L", GLFW_KEY_L, kControl, h.redraw},
        {"reset-layout", "Reset the layout", "", 0, 0, h.reset_layout},
    };
    for (const scene::ThemeName name : scene::kThemeNames) {
        all.push_back({fmt::format("theme-{}", scene::name(name)), fmt::format("Theme: {}", scene::name(name)), "", 0,
                       0, [&e, name] { e.looks.theme = name; }});
    }
    return all;
}

std::vector<Action> lecture_actions(const WindowHooks& h) {
    return {
        {"pen", "Pen over the picture", "W", GLFW_KEY_W, 0, h.pen},
        {"arrow", "Arrow over the picture", "R", GLFW_KEY_R, 0, h.arrow},
        {"wipe", "Erase what pen and arrow drew", "Shift+W", GLFW_KEY_W, kShift, h.wipe},
        {"deck-next", "Deck: next state (Page Down)", "Ctrl+Page Down", GLFW_KEY_PAGE_DOWN, kControl,
         [h] { h.turn_deck(1); }},
        {"deck-back", "Deck: the previous state (Page Up)", "Ctrl+Page Up", GLFW_KEY_PAGE_UP, kControl,
         [h] { h.turn_deck(-1); }},
        {"deck-add", "Deck: add what is shown", "Ctrl+D", GLFW_KEY_D, kControl, h.add_to_deck},
        {"deck-edit", "Deck: title, note and place of this state", "Ctrl+Shift+D", GLFW_KEY_D, kControl | kShift,
         h.edit_deck_page},
        {"deck-export", "Deck: export as PDF, one page per state", "", 0, 0, h.export_deck},
        {"deck-close", "Deck: end it", "", 0, 0, h.close_deck},
    };
}

std::vector<Action> help_actions(const WindowHooks& h) {
    return {
        {"help", "Keys and help", "F1", GLFW_KEY_F1, 0, h.help},
        {"palette", "All actions by name", "Ctrl+K", GLFW_KEY_K, kControl, h.palette},
        {"menu", "Menu: the actions of this screen", "F10", GLFW_KEY_F10, 0, h.menu},
    };
}
} // namespace

std::vector<Action> make_actions(session::Explore& e, const WindowHooks& h) {
    std::vector<Action> all;
    const auto add = [&](const char* group, const char* page, std::vector<Action> actions) {
        for (Action& a : actions) {
            a.group = group;
            a.page = page;
            all.push_back(std::move(a));
        }
    };
    add("Time", "explore", time_actions(e, h));
    add("Strategy", "explore", strategy_actions(e, h));
    add("Parameters", "explore", parameters_actions(e, h));
    add("Tree", "explore", tree_actions(e, h));
    add("Panels", "explore", panels_actions(e, h));
    add("View", "", view_actions(e, h));
    add("Lecture", "", lecture_actions(h));
    add("File", "", file_actions(h));
    add("Help", "", help_actions(h));
    return all;
}

} // namespace warptree::window
