// What keys do: the actions of window and pages, and whether a press goes to a dialog, a panel or an action.
#include "app/shell/screen.hpp"

#include "app/base/error.hpp"
#include "app/document/kernel_template.hpp"
#include "app/features/explore/panels/canvas.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warptree::window {

namespace {
// What a screen is about, for the searches.
const char* words_of_page(std::string_view id) {
    for (const auto& [page, words] :
         {std::pair{"compare", "compare two kernels side by side, difference, versions"},
          std::pair{"timings", "time, speed, speed-up, fastest, bandwidth, benchmark, performance, measured"},
          std::pair{"theory", "occupancy, block size, roofline, latency, cost, rounding"},
          std::pair{"lessons", "learn, course, exercise, question, introduction, tutorial"},
          std::pair{"stride-playground", "padding, transpose, stride, index, bank conflicts, swizzle, shuffle"}}) {
        if (id == page) {
            return words;
        }
    }
    return "";
}
} // namespace

void Screen::add_page_actions() {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        pages::Page& page = *pages_[i];
        actions_.push_back({page.id(), fmt::format("Screen: {}", page.title()), std::to_string(page.digit()),
                            GLFW_KEY_0 + page.digit(), 0, [this, i] { go_to_page(i); }, "", "Screens",
                            words_of_page(page.id())});
        for (Action& a : page.actions()) {
            a.page = page.id();
            actions_.push_back(std::move(a));
        }
    }
    for (Action& a : actions_) { // the palette offers them on every page
        if (!a.page.empty()) {
            a.act = [this, page = a.page, act = std::move(a.act)] {
                for (std::size_t i = 0; i < pages_.size(); ++i) {
                    if (page == pages_[i]->id()) {
                        go_to_page(i);
                    }
                }
                act();
            };
        }
    }
}

WindowHooks Screen::hooks() {
    WindowHooks h;
    const auto cancel = [this] {
        dialogs_.job().cancel();
        search_.cancel();
        cancel_run();
    };
    h.fit = [this] { explore_.fit(); };
    h.follow = [this] {
        bool& follow = explore_.looks.follow;
        follow = !follow;
        if (!follow && explore_.frame == scene::Frame::work) {
            explore_.fit();
        }
        notify(follow ? "play zooms to where the work is" : "play leaves the tree as it is");
    };
    h.animate = [this] {
        std::optional<bool>& animates = explore_.looks.animates;
        animates = !animates.value_or(!calm_);
        notify(*animates ? "steps by keys are shown as they happen" : "steps by keys are shown at once");
    };
    h.presentation = [this] { toggle_presentation(); };
    h.export_picture = [this] {
        const std::string name = pages_[page_]->picture_name();
        dialogs_.show(Dialog::export_picture, explore_, name);
    };
    h.find_strategy = [this] { give_keyboard("strategies"); };
    h.parameters = [this] { give_keyboard("parameters"); };
    h.zoom = [this](float steps) {
        const scene::Rect tree = state_.placed("tree");
        panels::zoom_tree(explore_, tree, {tree.x + tree.w / 2, tree.y + tree.h / 2}, steps);
    };
    h.next_panel = [this] {
        const auto at = std::find(folded_.begin(), folded_.end(), explore_.front);
        explore_.front = folded_.empty()                  ? "tree"
                         : at == folded_.end()            ? folded_.front()
                         : std::next(at) == folded_.end() ? "tree"
                                                          : *std::next(at);
    };
    h.save_trace = [this] { dialogs_.show(Dialog::save, explore_); };
    h.save = [this] {
        if (!explore_.on_kernel()) {
            dialogs_.show(Dialog::save, explore_);
            return;
        }
        try {
            explore_.save_kernel();
            notify("saved " + explore_.kernel()->path().string());
        } catch (const Error& e) {
            notify(e.what());
        }
    };
    h.save_kernel_as = [this] {
        if (explore_.on_kernel()) {
            dialogs_.show(Dialog::save, explore_, explore_.kernel()->path().string());
        } else {
            notify("there is no kernel file on screen; Ctrl+O opens one");
        }
    };
    h.edit = [this] {
        show_page(0);
        if (!explore_.on_kernel()) {
            if (explore_.has_copy_of(explore_.options.strategy)) {
                explore_.show_kernel();
            } else if (explore_.copy_strategy()) {
                notify(fmt::format("a copy of the strategy, to be changed; {} is not saved yet",
                                   explore_.kernel()->name()));
            } else {
                notify("Ctrl+O opens a kernel file to edit; Ctrl+N begins one");
                return;
            }
        }
        give_keyboard("source");
    };
    h.smallest = [this] { find_smallest(); };
    h.mend = [this] { mend(); };
    h.new_kernel = [this] {
        show_page(0);
        explore_.new_kernel(session::first_kernel());
        give_keyboard("source");
    };
    h.undo = [this] { go_in_history(false); };
    h.redo = [this] { go_in_history(true); };
    h.full = [this] { toggle_full({}); };
    h.pen = [this] { take_tool(session::Annotations::Tool::pen); };
    h.arrow = [this] { take_tool(session::Annotations::Tool::arrow); };
    h.wipe = [this] { annotations_.wipe(); };
    h.turn_deck = [this](int by) { turn_deck(by); };
    h.export_screen = [this] { export_screen(); };
    h.export_deck = [this] { export_deck(); };
    h.close_deck = [this] { deck_.reset(); };
    h.add_to_deck = [this] { add_to_deck(); };
    h.edit_deck_page = [this] { edit_deck_page(); };
    h.open_trace = [this] { ask_for_file ? ask_for_file() : dialogs_.show(Dialog::open, explore_); };
    h.state = [this] { dialogs_.show(Dialog::state, explore_, session::to_string(state())); };
    h.copy_state = [this] {
        const session::StateString shared = state_to_share();
        const std::string text = session::state_command(shared);
        ImGui::SetClipboardText(text.c_str());
        const bool carries = shared.values.contains("source");
        notify(carries
                   ? fmt::format("copied, with the text of {}: {} characters", explore_.kernel()->name(), text.size())
               : page_ == 0 && explore_.on_kernel() && explore_.file().empty()
                   ? fmt::format("copied; {} is too long to be carried along: hand it out beside it",
                                 explore_.kernel()->name())
                   : "copied: " + text);
    };
    dialogs_.show_state = [this](const std::string& text) { show_state(text); };
    dialogs_.copy_for_others = h.copy_state;
    h.menu = [this] {
        if (dialogs_.current() == Dialog::menu) {
            dialogs_.close();
        } else {
            dialogs_.show(Dialog::menu, explore_);
        }
    };
    h.copy_table = [this](TableFormat as) { copy_table(as); };
    h.palette = [this] { dialogs_.show(Dialog::palette, explore_); };
    h.help = [this] { dialogs_.show(Dialog::help, explore_); };
    h.reset_layout = [this] {
        explore_.looks.left = explore_.looks.right = explore_.looks.lower = 1;
        explore_.looks.scale = 1;
        explore_.fit();
        explore_.front = "tree";
    };
    h.cancel = cancel;
    h.next_focus = [this] { keyboard_.leave(1); };
    h.edge = [this](const char* id) { keyboard_.give(id); };
    h.walk = [this](scene::Way way) {
        explore_.front = "tree";
        explore_.walk.push_back(way);
    };
    h.redraw = [this] { picture_->forget(); };
    h.quit = [this] { glfwSetWindowShouldClose(window_, GLFW_TRUE); };
    h.dismiss = [this, cancel] {
        notice_.clear();
        if (dialogs_.current() != Dialog::none) {
            dialogs_.close();
        } else if (!annotations_.strokes().empty()) {
            annotations_.wipe();
        } else if (explore_.full) {
            toggle_full({});
        } else if (pages_[page_]->dismiss()) {
            return;
        } else if (dialogs_.job().busy() || search_.busy() || explore_.runner().busy()) {
            cancel();
        } else {
            explore_.selected = explore_.partner = {};
        }
    };
    return h;
}

void Screen::cancel_run() {
    if (explore_.runner().busy()) {
        const bool tried = explore_.tries();
        explore_.runner().cancel();
        notify(tried ? "cancelled; other sizes and contents are not tried"
                     : "cancelled; what is shown is of an earlier run");
    }
}

void Screen::copy_table(TableFormat as) {
    const bool markdown = as == TableFormat::markdown;
    const std::string text = pages_[page_]->table(markdown ? ".md" : ".csv");
    if (text.empty()) {
        notify("this screen shows no table to copy");
        return;
    }
    ImGui::SetClipboardText(text.c_str());
    notify(markdown ? "copied the table as Markdown" : "copied the table as CSV");
}

KeyUse Screen::on_key(KeyPress press) {
    keys_drive_ = true;
    if (press.key == GLFW_KEY_KP_ADD || press.key == GLFW_KEY_EQUAL) {
        press = {GLFW_KEY_EQUAL, press.modifiers & kControl}; // "+" may need Shift
    } else if (press.key == GLFW_KEY_KP_SUBTRACT) {
        press.key = GLFW_KEY_MINUS;
    } else if (press.key == GLFW_KEY_KP_ENTER) {
        press.key = GLFW_KEY_ENTER;
    }
    const Dialog dialog = dialogs_.current();
    const std::string panel = keyboard_.panel();
    const KeyUse use = act_on(press);
    if (dialogs_.current() != dialog || keyboard_.panel() != panel || keyboard_.waiting()) {
        input_.settle();
    }
    return use;
}

KeyUse Screen::act_on(const KeyPress& press) {
    const bool dialog = dialogs_.current() != Dialog::none;
    if (dialog && dialogs_.key(press)) {
        input_.settle();
        return KeyUse::taken;
    }
    if (!dialog && keyboard_.list_open()) {
        if (const KeyUse use = list_key(press); use != KeyUse::pass) {
            return use;
        }
    }
    if (!dialog && press.key == GLFW_KEY_TAB) {
        if (keyboard_.panel().empty()) {
            keyboard_.leave(press.modifiers == kShift ? -1 : 1);
        } else {
            keyboard_.press(press.modifiers == kShift ? panels::PanelKey::previous : panels::PanelKey::next);
        }
        return KeyUse::taken;
    }
    if (!dialog && !keyboard_.panel().empty()) {
        if (const KeyUse use = panel_key(press); use != KeyUse::pass) {
            return use;
        }
    }
    if (!dialog && (keyboard_.panel().empty() || annotations_.tool() != session::Annotations::Tool::none)) {
        if (const KeyUse use = annotation_key(press); use != KeyUse::pass) {
            return use;
        }
        const bool typing = ImGui::GetIO().WantTextInput;
        if (coach_.active() && page_ == 0 && !typing && press.modifiers == 0 &&
            (press.key == GLFW_KEY_ENTER || press.key == GLFW_KEY_ESCAPE)) {
            go_on_with_coach(press.key == GLFW_KEY_ESCAPE);
            return KeyUse::taken;
        }
    }
    if (!dialog && deck_ && press.modifiers == 0 && !keyboard_.on("source") &&
        (press.key == GLFW_KEY_PAGE_DOWN || press.key == GLFW_KEY_PAGE_UP)) {
        turn_deck(press.key == GLFW_KEY_PAGE_DOWN ? 1 : -1);
        return KeyUse::taken;
    }
    // A presenter's remote control without a deck: step by step.
    if (!dialog && explore_.looks.presentation && page_ == 0 && press.modifiers == 0 && keyboard_.panel().empty() &&
        (press.key == GLFW_KEY_PAGE_DOWN || press.key == GLFW_KEY_PAGE_UP)) {
        explore_.playback.step(press.key == GLFW_KEY_PAGE_DOWN ? 1 : -1);
        return KeyUse::taken;
    }
    if (!dialog && press.modifiers == 0 && keyboard_.panel().empty() && !ImGui::GetIO().WantTextInput) {
        const bool digit = press.key >= GLFW_KEY_0 && press.key <= GLFW_KEY_9;
        const bool pad = press.key >= GLFW_KEY_KP_0 && press.key <= GLFW_KEY_KP_9;
        if ((digit || pad) &&
            pages_[page_]->take_digit(static_cast<char>('0' + press.key - (digit ? GLFW_KEY_0 : GLFW_KEY_KP_0)))) {
            return KeyUse::taken;
        }
    }
    // While a field has the keyboard, only keys that no field uses.
    // A field of numbers has no use for letters.
    const bool letter = (press.key >= GLFW_KEY_A && press.key <= GLFW_KEY_Z) || press.key == GLFW_KEY_SPACE;
    const bool typing = dialog ? dialogs_.types() : ImGui::GetIO().WantTextInput && !(keyboard_.on("answer") && letter);
    const bool function_key = press.key >= GLFW_KEY_F1 && press.key <= GLFW_KEY_F25;
    for (const Action& a : actions_) {
        if (a.key != 0 && a.key == press.key && a.modifiers == press.modifiers &&
            (a.page.empty() || a.page == pages_[page_]->id())) {
            // Keys that text fields use: copy, undo.
            const bool of_fields = (press.key == GLFW_KEY_C && press.modifiers == kControl) || press.key == GLFW_KEY_Z;
            const bool no_text = ((press.modifiers & kControl) != 0 && !of_fields) || press.modifiers == kAlt ||
                                 function_key || press.key == GLFW_KEY_ESCAPE || press.key == GLFW_KEY_PAGE_UP ||
                                 press.key == GLFW_KEY_PAGE_DOWN;
            if (!typing || no_text) {
                a.act();
                return KeyUse::taken;
            }
            return KeyUse::pass;
        }
    }
    return KeyUse::pass;
}

// For an open list: keys that move in it or close it. No other plain key reaches what lies behind it.
KeyUse Screen::list_key(const KeyPress& press) {
    using panels::PanelKey;
    constexpr std::pair<int, PanelKey> kKeys[] = {
        {GLFW_KEY_UP, PanelKey::up},           {GLFW_KEY_DOWN, PanelKey::down},
        {GLFW_KEY_HOME, PanelKey::first},      {GLFW_KEY_END, PanelKey::last},
        {GLFW_KEY_ENTER, PanelKey::enter},     {GLFW_KEY_SPACE, PanelKey::enter},
        {GLFW_KEY_TAB, PanelKey::enter},       {GLFW_KEY_ESCAPE, PanelKey::escape},
        {GLFW_KEY_PAGE_UP, PanelKey::page_up}, {GLFW_KEY_PAGE_DOWN, PanelKey::page_down}};
    if (press.modifiers != 0 || (press.key >= GLFW_KEY_F1 && press.key <= GLFW_KEY_F25)) {
        return KeyUse::pass;
    }
    for (const auto& [key, means] : kKeys) {
        if (key == press.key) {
            keyboard_.press(means);
        }
    }
    if ((press.key >= GLFW_KEY_A && press.key <= GLFW_KEY_Z) || (press.key >= GLFW_KEY_0 && press.key <= GLFW_KEY_9)) {
        keyboard_.type(static_cast<char>(press.key)); // GLFW's code of a letter key is the capital letter
    }
    return KeyUse::taken;
}

// Keys for the panel that has the keyboard.
KeyUse Screen::panel_key(const KeyPress& press) {
    using panels::PanelKey;
    const bool typing = ImGui::GetIO().WantTextInput;
    if (keyboard_.on("source")) { // an editor: it gets every key but these
        if (press.key == GLFW_KEY_ESCAPE) {
            keyboard_.drop();
            return KeyUse::taken;
        }
        if (press.key == GLFW_KEY_F && press.modifiers == kControl) {
            keyboard_.press(PanelKey::find);
            return KeyUse::taken;
        }
        if (press.modifiers == kControl && (press.key == GLFW_KEY_Z || press.key == GLFW_KEY_Y)) {
            keyboard_.press(press.key == GLFW_KEY_Z ? PanelKey::undo : PanelKey::redo);
            return KeyUse::taken;
        }
        if (press.modifiers == (kControl | kShift) && press.key == GLFW_KEY_Z) {
            keyboard_.press(PanelKey::redo);
            return KeyUse::taken;
        }
        return KeyUse::pass;
    }
    if (press.modifiers != 0) {
        return KeyUse::pass;
    }
    switch (press.key) {
    case GLFW_KEY_ESCAPE: keyboard_.release(); return KeyUse::both; // a field restores its text
    case GLFW_KEY_UP: keyboard_.press(PanelKey::up); return KeyUse::taken;
    case GLFW_KEY_DOWN: keyboard_.press(PanelKey::down); return KeyUse::taken;
    case GLFW_KEY_ENTER: keyboard_.press(PanelKey::enter); return KeyUse::both;
    case GLFW_KEY_LEFT:
    case GLFW_KEY_RIGHT:
        if (typing) {
            return KeyUse::pass;
        }
        keyboard_.press(press.key == GLFW_KEY_LEFT ? PanelKey::left : PanelKey::right);
        return KeyUse::taken;
    default: return KeyUse::pass;
    }
}

void Screen::give_keyboard(const char* panel) {
    if (explore_.looks.presentation && page_ == 0) { // its lists are folded away there
        toggle_presentation();
    }
    keyboard_.give(panel);
}

} // namespace warptree::window
