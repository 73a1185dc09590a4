#include "app/shell/dialogs.hpp"

#include "app/features/explore/explore.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>

namespace warptree::window {

const char* name(Dialog dialog) {
    switch (dialog) {
    case Dialog::none: return "none";
    case Dialog::open: return "open";
    case Dialog::save: return "save";
    case Dialog::export_picture: return "export";
    case Dialog::palette: return "palette";
    case Dialog::help: return "help";
    case Dialog::state: return "state";
    case Dialog::menu: return "menu";
    case Dialog::export_screen: return "export-screen";
    case Dialog::export_deck: return "export-deck";
    case Dialog::deck_page: return "deck-page";
    }
    return "";
}

std::string shown_stem(const session::Explore& explore) {
    return std::filesystem::path(explore.shown_name()).stem().string();
}

void Dialogs::show(Dialog dialog, const session::Explore& explore, const std::string& given) {
    current_ = dialog;
    opened_ = true;
    enter_ = false;
    moves_ = sideways_ = 0;
    error_.clear();
    overwrites_.clear();
    choice_ = dialog == Dialog::open ? -1 : 0;
    files_.clear();
    listed_.assign(1, '*'); // not a path: forces a new listing
    if (dialog == Dialog::save) {
        set_text(given.empty() ? fmt::format("{}.wtrace", shown_stem(explore)) : given);
    } else if (dialog == Dialog::export_picture) {
        show_export(explore, given);
    } else if (dialog == Dialog::state) {
        set_text(given);
    } else if (dialog == Dialog::export_screen) {
        set_text("warptree-window.png");
    } else if (dialog == Dialog::export_deck) {
        set_text(given);
    } else {
        set_text({});
    }
}

void Dialogs::set_text(const std::string& text) {
    text_.fill(0);
    std::memcpy(text_.data(), text.data(), std::min(text.size(), text_.size() - 1));
    ++generation_;
    opened_ = true;
}

bool Dialogs::key(const KeyPress& press) {
    if (press.modifiers != 0 && press.key != GLFW_KEY_TAB) {
        return false;
    }
    const bool aside = current_ == Dialog::export_picture || current_ == Dialog::menu; // Tab chooses a row or group
    switch (press.key) {
    case GLFW_KEY_ENTER:
        if (current_ == Dialog::help) {
            close();
        }
        enter_ = true;
        return true;
    case GLFW_KEY_DOWN: ++moves_; return true;
    case GLFW_KEY_UP: --moves_; return true;
    case GLFW_KEY_TAB: (aside ? sideways_ : moves_) += press.modifiers == kShift ? -1 : 1; return true;
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_LEFT:
        sideways_ += current_ != Dialog::menu ? 0 : press.key == GLFW_KEY_RIGHT ? 1 : -1;
        return current_ == Dialog::menu;
    default: return false;
    }
}

void Dialogs::draw(panels::Context& c, const std::vector<Action>& actions, const pages::Page& page,
                   std::string& notice) {
    if (current_ == Dialog::none) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const bool wide = current_ == Dialog::help || current_ == Dialog::menu;
    const float width = std::min(c.px(wide ? 680 : 560), display.x * 0.94F);
    ImGui::SetNextWindowPos({display.x / 2, display.y * 0.1F}, ImGuiCond_Always, {0.5F, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.88F});
    bool keep = true;
    constexpr const char* kTitles[] = {"",
                                       "Open a kernel, a trace or timings",
                                       "Save the trace",
                                       "Export a picture, a movie or a table",
                                       "Actions",
                                       "Keys and help",
                                       "What is shown, as a string",
                                       "Menu",
                                       "Export the whole window",
                                       "Export the deck, one page per state",
                                       "A page of the deck"};
    ImGui::Begin(kTitles[static_cast<int>(current_)], &keep,
                 ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    if (opened_) {
        ImGui::SetWindowFocus();
        ImGui::SetScrollY(0);
    }
    if (current_ == Dialog::palette) {
        draw_palette(c, actions);
    } else if (current_ == Dialog::help) {
        draw_help(c, actions, page);
    } else if (current_ == Dialog::menu) {
        draw_menu(c, actions, page);
    } else if (current_ == Dialog::state) {
        draw_state(c, notice);
    } else if (current_ == Dialog::deck_page) {
        draw_deck_page(c);
    } else {
        draw_path(c, page, notice);
    }
    ImGui::End();
    if (!keep) {
        close();
    }
}

} // namespace warptree::window
