// The dialogs that list actions: the palette, where one is chosen, and the help.
#include "app/features/explore/named_place.hpp"
#include "app/shell/dialogs.hpp"

#include "app/base/build_info.hpp"
#include "app/features/widgets/focus.hpp"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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

// The height of a list in a dialog: 14 lines of text, fewer in a small window.
float list_height() {
    return std::min(ImGui::GetTextLineHeightWithSpacing() * 14, ImGui::GetIO().DisplaySize.y * 0.42F);
}
} // namespace

namespace {
// A line of a list, with its keys on the right. True: it was clicked.
bool draw_action(const panels::Context& c, const Action& a, int index, bool marked, bool into_sight) {
    ImGui::PushID(index);
    const bool clicked = ImGui::Selectable(a.title.c_str(), marked);
    ImGui::PopID();
    if (marked && into_sight) {
        ImGui::SetScrollHereY(0.5F);
    }
    const float width = ImGui::CalcTextSize(a.keys.c_str()).x, room = ImGui::GetContentRegionAvail().x - c.px(4);
    if (ImGui::CalcTextSize(a.title.c_str()).x + width + c.px(12) < room) {
        ImGui::SameLine(room - width);
        ImGui::TextDisabled("%s", a.keys.c_str());
    }
    return clicked;
}

// The height left for a list in a dialog that may fill most of the window, with `below` lines under it.
float rest_height(float below) {
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float most = ImGui::GetIO().DisplaySize.y * 0.86F - ImGui::GetCursorPosY();
    return line * std::max(3.0F, std::floor(most / line - below)); // whole lines
}
} // namespace

bool speaks_of(const Action& action, std::string_view wanted) {
    if (wanted.size() < 3 || action.words.empty()) {
        return false;
    }
    for (std::size_t begin = 0; begin < wanted.size();) { // all of its words, in any order
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        const std::string_view word = wanted.substr(begin, end - begin);
        if (!has(action.words, word) && !has(action.title, word)) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

std::vector<const Action*> named_actions(const std::vector<Action>& actions, std::string_view wanted) {
    std::vector<const Action*> all;
    for (const Action& a : actions) {
        if (is_fuzzy(a.title, wanted) || speaks_of(a, wanted)) {
            all.push_back(&a);
        }
    }
    // Titles in which a word begins with it, then those with it anywhere, then subjects with it, then titles that merely contain its
    // letters.
    const auto inside = std::stable_partition(all.begin(), all.end(), [&](const Action* a) {
        return wanted.empty() || has(" " + a->title, " " + std::string(wanted));
    });
    const auto rest = std::stable_partition(inside, all.end(), [&](const Action* a) { return has(a->title, wanted); });
    std::stable_partition(rest, all.end(), [&](const Action* a) { return speaks_of(*a, wanted); });
    return all;
}

std::vector<const Action*> keyed_actions(const std::vector<Action>& actions, std::string_view page) {
    std::vector<const Action*> all;
    for (const Action& a : actions) {
        if (!a.keys.empty() && a.page == page) {
            all.push_back(&a);
        }
    }
    return all;
}

std::vector<ActionGroup> grouped_actions(const std::vector<Action>& actions, std::string_view page,
                                         const std::string& title) {
    std::vector<ActionGroup> groups;
    for (const Action& a : actions) {
        if (!a.page.empty() && a.page != page) {
            continue;
        }
        const std::string& name = a.group.empty() ? title : a.group;
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const ActionGroup& g) { return g.name == name; });
        (found == groups.end() ? groups.emplace_back(ActionGroup{name, {}}) : *found).actions.push_back(&a);
    }
    // The page's own actions come first.
    std::stable_partition(groups.begin(), groups.end(),
                          [](const ActionGroup& g) { return !g.actions.front()->page.empty(); });
    return groups;
}

void Dialogs::draw_palette(panels::Context& c, const std::vector<Action>& actions) {
    if (std::exchange(opened_, false)) {
        panels::focus_next_item();
    }
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##action",
                                 ImGui::GetIO().DisplaySize.x < c.px(480)
                                     ? "type a part of its name"
                                     : "part of its name, or thread 37, s[7], who wrote s[7], line 10; Enter runs it",
                                 text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll)) {
        choice_ = 0;
    }
    const std::vector<Action> places = session::named_places(c.explore, text_.data());
    std::vector<const Action*> shown;
    for (const Action& place : places) {
        shown.push_back(&place);
    }
    for (const Action* const action : named_actions(actions, text_.data())) {
        shown.push_back(action);
    }
    const int moves = std::exchange(moves_, 0);
    choice_ = std::clamp(choice_ + moves, 0, std::max(0, static_cast<int>(shown.size()) - 1));
    const Action* chosen = nullptr;
    ImGui::BeginChild("##actions", {0, list_height()});
    for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
        if (draw_action(c, *shown[static_cast<std::size_t>(i)], i, i == choice_, moves != 0) ||
            (i == choice_ && enter_)) {
            chosen = shown[static_cast<std::size_t>(i)];
        }
    }
    if (shown.empty()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled(
            "no action, lesson or topic has these letters, and no thread, element or step is called so");
        ImGui::PopTextWrapPos();
    }
    ImGui::EndChild();
    enter_ = false;
    if (chosen != nullptr) {
        close();
        chosen->act();
    }
}

// Two columns that read downwards, where there is room for them; long titles wrap.
static void draw_keys(const panels::Context& c, const std::vector<const Action*>& shown, const char* heading) {
    const float full = ImGui::GetContentRegionAvail().x;
    const std::size_t columns = full > c.px(560) ? 2 : 1;
    const float wide = full / static_cast<float>(columns);
    const std::size_t rows = (shown.size() + columns - 1) / columns;
    ImGui::PushFont(c.fonts.bold());
    ImGui::TextUnformatted(heading);
    ImGui::PopFont();
    float keys = c.px(86);
    for (const Action* a : shown) {
        keys = std::max(keys, ImGui::CalcTextSize(a->keys.c_str()).x);
    }
    const float left = ImGui::GetCursorPosX();
    for (std::size_t column = 0; column < columns; ++column) {
        if (column > 0) {
            ImGui::SameLine(left + wide * static_cast<float>(column));
        }
        ImGui::BeginGroup();
        const float x = ImGui::GetCursorPosX();
        for (std::size_t i = column * rows; i < std::min(shown.size(), (column + 1) * rows); ++i) {
            ImGui::TextUnformatted(shown[i]->keys.c_str());
            ImGui::SameLine(keys + c.px(10));
            std::string title = shown[i]->title;
            if (const std::string before = std::string(heading) + ": "; title.starts_with(before)) {
                title = title.substr(before.size());
            }
            ImGui::PushTextWrapPos(x + wide - c.px(8));
            ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
            ImGui::TextUnformatted(title.c_str());
            ImGui::PopStyleColor();
            ImGui::PopTextWrapPos();
        }
        ImGui::EndGroup();
    }
    ImGui::Dummy({0, ImGui::GetTextLineHeight()});
}

void Dialogs::draw_help(panels::Context& c, const std::vector<Action>& actions, const pages::Page& page) {
    opened_ = false;
    if (ImGui::GetIO().DisplaySize.y > c.px(420)) { // otherwise the keys need the room
        ImGui::TextWrapped("warptree %s runs CUDA kernels and shows, step by step, what their threads do. Hover says "
                           "what a cell is, a click selects it; the wheel zooms the tree, dragging pans it.",
                           std::string(build_info().version).c_str());
        ImGui::Dummy({0, c.px(4)});
    }
    ImGui::BeginChild("##keys", {0, rest_height(1.8F)});
    ImGui::SetScrollY(ImGui::GetScrollY() +
                      static_cast<float>(std::exchange(moves_, 0)) * ImGui::GetTextLineHeightWithSpacing());
    draw_keys(c, keyed_actions(actions, page.id()), page.title());
    draw_keys(c, keyed_actions(actions, ""), "Every screen");
    ImGui::EndChild();
    ImGui::TextDisabled("Esc closes, arrow keys scroll; Ctrl+K finds any action by name.");
}

void Dialogs::draw_menu(panels::Context& c, const std::vector<Action>& actions, const pages::Page& page) {
    const std::vector<ActionGroup> groups = grouped_actions(actions, page.id(), page.title());
    const auto named =
        std::find_if(groups.begin(), groups.end(), [&](const ActionGroup& g) { return g.name == group_; });
    const int count = static_cast<int>(groups.size());
    const int before = named == groups.end() ? 0 : static_cast<int>(named - groups.begin());
    int now = ((before + std::exchange(sideways_, 0)) % count + count) % count;
    const float full = ImGui::GetContentRegionAvail().x, height = rest_height(1.8F);
    float wide = 0;
    for (const ActionGroup& g : groups) {
        wide = std::max(wide, ImGui::CalcTextSize(g.name.c_str()).x);
    }
    ImGui::BeginChild("##groups", {std::min(wide + c.px(28), full * 0.4F), height});
    for (int i = 0; i < count; ++i) {
        if (ImGui::Selectable(groups[static_cast<std::size_t>(i)].name.c_str(), i == now)) {
            now = i;
        }
    }
    ImGui::EndChild();
    ImGui::SameLine();
    const ActionGroup& group = groups[static_cast<std::size_t>(now)];
    const int last = static_cast<int>(group.actions.size()) - 1;
    choice_ = group.name == group_ ? choice_ : 0;
    group_ = group.name;
    const int moves = std::exchange(moves_, 0);
    choice_ = std::clamp(choice_ + moves, 0, last);
    const Action* chosen = nullptr;
    ImGui::BeginChild("##actions", {0, height});
    for (int i = 0; i <= last; ++i) {
        if (draw_action(c, *group.actions[static_cast<std::size_t>(i)], i, i == choice_, moves != 0) ||
            (i == choice_ && enter_)) {
            chosen = group.actions[static_cast<std::size_t>(i)];
        }
    }
    ImGui::EndChild();
    ImGui::TextDisabled("Left and right choose a group, up and down an action, Enter runs it.");
    enter_ = opened_ = false;
    if (chosen != nullptr) {
        close();
        chosen->act();
    }
}

} // namespace warptree::window
