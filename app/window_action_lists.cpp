// The dialogs that list actions: the palette, where one is chosen, and the help.
#include "app/window_dialogs.hpp"

#include "kernels/build_info.hpp"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace warptree::window {

namespace {
bool is_fuzzy(std::string_view text, std::string_view wanted) {
    std::size_t at = 0;
    for (const char c : wanted) {
        const auto same = [&](char t) {
            return std::tolower(static_cast<unsigned char>(t)) == std::tolower(static_cast<unsigned char>(c));
        };
        while (at < text.size() && !same(text[at])) {
            ++at;
        }
        if (at++ >= text.size()) {
            return false;
        }
    }
    return true;
}

bool has(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](unsigned char a, unsigned char b) {
               return std::tolower(a) == std::tolower(b);
           }) != text.end();
}

// Of a list in a dialog: it grows with the text until the window ends.
float list_height() {
    return std::min(ImGui::GetTextLineHeightWithSpacing() * 14, ImGui::GetIO().DisplaySize.y * 0.42F);
}
} // namespace

void Dialogs::draw_palette(panels::Context& c, const std::vector<Action>& actions) {
    if (std::exchange(opened_, false)) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##action",
                                 ImGui::GetIO().DisplaySize.x < c.px(480)
                                     ? "type a part of its name"
                                     : "type a part of its name; arrows choose, Enter does it",
                                 text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll)) {
        choice_ = 0;
    }
    std::vector<const Action*> shown;
    for (const Action& a : actions) {
        if (is_fuzzy(a.title, text_.data())) {
            shown.push_back(&a);
        }
    }
    // Whole words that are named come before letters that are strewn over a title.
    std::stable_partition(shown.begin(), shown.end(), [&](const Action* a) { return has(a->title, text_.data()); });
    const int moves = std::exchange(moves_, 0);
    choice_ = std::clamp(choice_ + moves, 0, std::max(0, static_cast<int>(shown.size()) - 1));
    const Action* chosen = nullptr;
    ImGui::BeginChild("##actions", {0, list_height()});
    for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
        const Action& a = *shown[static_cast<std::size_t>(i)];
        if (ImGui::Selectable(a.title.c_str(), i == choice_) || (i == choice_ && enter_)) {
            chosen = &a;
        }
        if (i == choice_ && moves != 0) {
            ImGui::SetScrollHereY(0.5F);
        }
        const float width = ImGui::CalcTextSize(a.keys.c_str()).x, room = ImGui::GetContentRegionAvail().x - c.px(4);
        if (ImGui::CalcTextSize(a.title.c_str()).x + width + c.px(12) < room) {
            ImGui::SameLine(room - width);
            ImGui::TextDisabled("%s", a.keys.c_str());
        }
    }
    ImGui::EndChild();
    enter_ = false;
    if (chosen != nullptr) {
        close();
        chosen->act();
    }
}

void Dialogs::draw_help(panels::Context& c, const std::vector<Action>& actions) {
    opened_ = false;
    if (ImGui::GetIO().DisplaySize.y > c.px(420)) { // else the keys need the room
        ImGui::TextWrapped(
            "warptree %s steps through a recorded reduction. Hover shows what a cell is, a click keeps it; "
            "the wheel zooms the tree, dragging pans it.",
            std::string(build_info().version).c_str());
        ImGui::Dummy({0, c.px(4)});
    }
    ImGui::BeginChild("##keys", {0, list_height()});
    ImGui::SetScrollY(ImGui::GetScrollY() +
                      static_cast<float>(std::exchange(moves_, 0)) * ImGui::GetTextLineHeightWithSpacing());
    // Two columns where there is room for them.
    const float full = ImGui::GetContentRegionAvail().x;
    const int columns = full > c.px(560) ? 2 : 1;
    const float half = full / static_cast<float>(columns);
    int shown = 0;
    for (const Action& a : actions) {
        if (a.keys.empty()) {
            continue;
        }
        if (shown++ % columns == 1) {
            ImGui::SameLine(half);
        }
        const float x = ImGui::GetCursorPosX();
        ImGui::TextUnformatted(a.keys.c_str());
        ImGui::SameLine(x + c.px(96));
        std::string title = a.title;
        while (title.size() > 4 && ImGui::CalcTextSize(title.c_str()).x > half - c.px(104)) {
            title = title.substr(0, title.find_last_of(" :,"));
        }
        ImGui::TextDisabled("%s", title.c_str());
    }
    ImGui::EndChild();
    ImGui::TextDisabled("Esc closes, arrows scroll; all by name: Ctrl+K.");
}

} // namespace warptree::window
