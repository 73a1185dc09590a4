// Features for lecturing: paging through a deck, undo of choices, a panel that fills the window, pen and arrow.
#include "app/base/error.hpp"
#include "app/features/deck/panels/deck_bar.hpp"
#include "app/features/deck/panels/deck_pages.hpp"
#include "app/features/deck/panels/page_state.hpp"
#include "app/shell/screen.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::window {

using session::Annotations;

void Screen::open_deck(const std::string& path) {
    deck_ = session::load_deck(path, pages::check_state);
    deck_path_ = path;
    deck_at_ = 0;
    turn_deck(0);
}

void Screen::turn_deck(int by) {
    if (!deck_) {
        notify("no deck is open; Ctrl+O opens a .deck file");
        return;
    }
    const auto last = static_cast<std::ptrdiff_t>(deck_->states.size()) - 1;
    deck_at_ =
        static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(deck_at_) + by, 0, last));
    annotations_.wipe();
    try {
        show_state(deck_->states[deck_at_].state);
    } catch (const Error& e) {
        notify(e.what());
    }
    frames_left_ = kFramesToSettle;
}

void Screen::draw_deck(panels::Context& c, const scene::Rect& bar) {
    if (!deck_) {
        return;
    }
    const panels::DeckBarClick click = panels::draw_deck_bar(c, bar, *deck_, deck_at_, explore_.looks.presentation);
    if (click.edit) {
        edit_deck_page();
    }
    if (click.close) {
        deck_.reset();
        frames_left_ = kFramesToSettle;
    } else if (click.turn != 0) {
        turn_deck(click.turn);
    }
}

// Writes it at once.
void Screen::change_deck(session::Deck deck, std::size_t at) {
    session::save_deck(deck, deck_path_);
    deck_ = std::move(deck);
    deck_at_ = at;
    notify("written: " + deck_path_);
    frames_left_ = kFramesToSettle;
}

// After the state that is shown; without a deck, as the first of a new one.
void Screen::add_to_deck() {
    const std::string shown = session::to_string(state());
    const auto take = [this, shown](const std::string& title, const std::string& note) {
        session::Deck deck = deck_.value_or(session::Deck{"Lecture", {}});
        if (deck.states.size() == session::kMostDeckStates) {
            throw OptionError(fmt::format("a deck has at most {} states; begin another one", session::kMostDeckStates));
        }
        if (!deck_) {
            deck_path_ = "lecture.deck";
            for (int i = 2; std::filesystem::exists(deck_path_); ++i) {
                deck_path_ = fmt::format("lecture-{}.deck", i);
            }
            deck_path_ = std::filesystem::absolute(deck_path_).string();
        }
        const std::size_t at = deck_ ? deck_at_ + 1 : 0;
        deck.states.insert(deck.states.begin() + static_cast<std::ptrdiff_t>(at),
                           {shown, title.empty() ? shown : title, note});
        change_deck(std::move(deck), at);
    };
    dialogs_.show_deck_page(explore_, {true, "", "", take, {}, {}});
}

void Screen::edit_deck_page() {
    if (!deck_) {
        notify("no deck is open; Ctrl+O opens a .deck file, and Ctrl+D begins one with what is shown");
        return;
    }
    const session::DeckState& now = deck_->states[deck_at_];
    Dialogs::DeckPage page{false, now.title == now.state ? "" : now.title, now.note, {}, {}, {}};
    page.take = [this](const std::string& title, const std::string& note) {
        session::Deck deck = *deck_;
        session::DeckState& it = deck.states[deck_at_];
        it.title = title.empty() ? it.state : title;
        it.note = note;
        change_deck(std::move(deck), deck_at_);
    };
    page.move = [this](int by) {
        const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(deck_at_) + by;
        if (to < 0 || to >= std::ssize(deck_->states)) {
            throw OptionError(by < 0 ? "it is the first already" : "it is the last already");
        }
        session::Deck deck = *deck_;
        std::swap(deck.states[deck_at_], deck.states[static_cast<std::size_t>(to)]);
        change_deck(std::move(deck), static_cast<std::size_t>(to));
    };
    page.remove = [this] {
        if (deck_->states.size() == 1) {
            throw OptionError("a deck has at least one state; Close ends it");
        }
        session::Deck deck = *deck_;
        deck.states.erase(deck.states.begin() + static_cast<std::ptrdiff_t>(deck_at_));
        const std::size_t at = std::min(deck_at_, deck.states.size() - 1);
        change_deck(std::move(deck), at);
        turn_deck(0);
    };
    dialogs_.show_deck_page(explore_, std::move(page));
}

void Screen::export_deck() {
    if (!deck_) {
        notify("no deck is open; Ctrl+O opens a .deck file");
        return;
    }
    dialogs_.write_deck = [deck = *deck_, theme = explore_.looks.theme](const std::string& path, RunControl& control) {
        pages::DeckFile file;
        file.look.theme = theme;
        file.path = path;
        file.control = &control;
        pages::write_deck(deck, file);
    };
    dialogs_.show(Dialog::export_deck, explore_, std::filesystem::path(deck_path_).replace_extension(".pdf").string());
}

void Screen::export_screen() {
    const render::PixelRect whole = picture_->whole();
    dialogs_.screen = {picture_->read(), whole.right - whole.left, whole.bottom - whole.top};
    dialogs_.show(Dialog::export_screen, explore_);
}

// Undo returns only to states in which nothing moved or was pending.
void Screen::note_history() {
    const bool idle = !input_.waiting() && !to_settle_ && to_open_.empty() && !explore_.runner().busy() &&
                      !dialogs_.job().busy() && !pages_[page_]->busy() && !pages_[page_]->moving() &&
                      !explore_.playback.moves() && !ImGui::GetIO().WantTextInput;
    if (idle) {
        session::StateString now = state();
        now.values["theme"] = scene::name(explore_.looks.theme);
        const session::Looks& looks = explore_.looks;
        now.values["scale"] = fmt::format("{:g}", looks.presentation ? restore_scale_ : looks.scale);
        history_.note(session::to_string(now));
    }
}

void Screen::go_in_history(bool forward) {
    if (annotations_.tool() != Annotations::Tool::none && !forward) {
        annotations_.take_back();
        return;
    }
    if (take_back_mending(forward)) {
        return;
    }
    const auto state = forward ? history_.redo() : history_.undo();
    if (!state) {
        const bool typed = explore_.on_kernel() && explore_.kernel()->unsaved();
        notify(forward ? "nothing was undone"
               : typed ? "nothing was chosen before this; E, then Ctrl+Z takes back what was typed"
                       : "nothing was chosen before this");
        return;
    }
    try {
        session::StateString to = session::parse_state(*state);
        if (explore_.looks.presentation) {
            to.values.erase("scale"); // belongs to the window, not to the presentation
        }
        show_state(session::to_string(to));
    } catch (const Error& e) {
        notify(e.what());
    }
    frames_left_ = kFramesToSettle;
}

// Lets one panel fill the window, or undoes that: `panel`, else the one under the mouse, else the one with the
// keyboard, else the one in front. On other screens the figure fills it.
void Screen::toggle_full(const std::string& panel) {
    explore_.full = !explore_.full;
    const std::string chosen = !panel.empty()               ? panel
                               : !under_mouse_.empty()      ? under_mouse_
                               : !keyboard_.panel().empty() ? keyboard_.panel()
                                                            : explore_.front;
    const bool is_panel = std::any_of(panels_.begin(), panels_.end(), [&](const auto& p) { return chosen == p->id(); });
    explore_.front = explore_.full && is_panel && chosen != "transport" ? chosen : "tree";
    keyboard_.release();
    frames_left_ = kFramesToSettle;
}

void Screen::take_tool(Annotations::Tool tool) {
    annotations_.take(tool);
    if (annotations_.tool() == Annotations::Tool::pen) {
        notify("pen: drag to draw; Backspace undoes, Shift+W erases all, Esc or W puts it away");
    } else if (annotations_.tool() == Annotations::Tool::arrow) {
        notify("arrow: drag from tail to head; Backspace undoes, Shift+W erases all, Esc or R puts it away");
    }
    frames_left_ = kFramesToSettle;
}

// Keys for the active pen or arrow; other keys work as always.
KeyUse Screen::annotation_key(const KeyPress& press) {
    if (annotations_.tool() == Annotations::Tool::none) {
        return KeyUse::pass;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float step = 16 * explore_.looks.scale;
    const auto move = [&](float x, float y) {
        annotations_.move_cursor(x * step, y * step, {0, 0, display.x, display.y});
        frames_left_ = kFramesToSettle;
        return KeyUse::taken;
    };
    if (press.modifiers == (kControl | kShift)) {
        switch (press.key) {
        case GLFW_KEY_LEFT: return move(-1, 0);
        case GLFW_KEY_RIGHT: return move(1, 0);
        case GLFW_KEY_UP: return move(0, -1);
        case GLFW_KEY_DOWN: return move(0, 1);
        default: return KeyUse::pass;
        }
    }
    if (press.modifiers != 0) {
        return KeyUse::pass;
    }
    switch (press.key) {
    case GLFW_KEY_ESCAPE: annotations_.take(annotations_.tool()); return KeyUse::taken;
    case GLFW_KEY_BACKSPACE: annotations_.take_back(); return KeyUse::taken;
    case GLFW_KEY_ENTER:
        if (annotations_.drawing()) {
            annotations_.end();
        } else {
            move(0, 0);
            annotations_.begin(annotations_.cursor);
        }
        return KeyUse::taken;
    default: return KeyUse::pass;
    }
}

// `room`: below the top bar and above the deck, where the mouse draws.
void Screen::draw_annotations(const panels::Context& c, const scene::Rect& room) {
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    if (annotated_size_ != scene::Point{display.x, display.y}) { // the drawing would no longer match what is below
        annotations_.wipe();
        annotated_size_ = {display.x, display.y};
    }
    const bool in_hand = annotations_.tool() != Annotations::Tool::none;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (in_hand && dialogs_.current() == Dialog::none) {
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && room.contains({mouse.x, mouse.y})) {
            annotations_.by_keys = false;
            annotations_.begin({mouse.x, mouse.y});
        } else if (annotations_.drawing() && !annotations_.by_keys) {
            annotations_.go_on({mouse.x, mouse.y});
            if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
                annotations_.end();
            }
        }
    }
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const auto u32 = [](const scene::Color& color) { return IM_COL32(color.r, color.g, color.b, 255); };
    for (const auto& [ink, wide] :
         {std::pair{u32(c.theme.background), c.px(6.5F)}, {u32(c.theme.attention), c.px(3.5F)}}) {
        for (const Annotations::Stroke& stroke : annotations_.strokes()) {
            std::vector<ImVec2> points;
            for (const scene::Point& p : stroke.points) {
                points.emplace_back(p.x, p.y);
            }
            if (points.size() == 1) {
                list->AddCircleFilled(points.front(), wide * 0.7F, ink);
                continue;
            }
            if (stroke.tool == Annotations::Tool::arrow) {
                const auto [left, right] = session::arrow_head(stroke.points.front(), stroke.points.back(), c.px(20));
                const ImVec2 head[] = {{left.x, left.y}, points.back(), {right.x, right.y}};
                list->AddPolyline(head, 3, ink, 0, wide);
            }
            list->AddPolyline(points.data(), static_cast<int>(points.size()), ink, 0, wide);
        }
        if (in_hand && annotations_.by_keys) { // the keyboard's drawing position
            const scene::Point at = annotations_.cursor;
            const float r = c.px(9);
            list->AddLine({at.x - r, at.y}, {at.x + r, at.y}, ink, wide / 2);
            list->AddLine({at.x, at.y - r}, {at.x, at.y + r}, ink, wide / 2);
        }
    }
}

LectureState Screen::lecture_state() const {
    LectureState s;
    s.tool = annotations_.tool() == Annotations::Tool::pen     ? "pen"
             : annotations_.tool() == Annotations::Tool::arrow ? "arrow"
                                                               : "none";
    s.strokes = annotations_.strokes().size();
    if (deck_) {
        s.deck_at = deck_at_;
        s.deck_states = deck_->states.size();
        s.deck_title = shown_title(deck_->states[deck_at_]);
    }
    s.full = explore_.full;
    s.coach = coach_.title();
    return s;
}

} // namespace warptree::window
