#include "app/features/widgets/list_box.hpp"

#include "app/views/parts.hpp"

#include <imgui.h>

#include <algorithm>
#include <cctype>

namespace warptree::panels {

namespace {
// The item under the keyboard's cursor in the open list, and what was typed to find it; at most one list is open.
std::size_t cursor = 0;
std::string typed;

bool can_take(const ListBox& box, std::size_t i) { return !box.enabled || box.enabled(i); }

// The next enabled item from `at` in steps of `by`; `at` if there is none.
std::size_t next_from(const ListBox& box, std::size_t at, int by) {
    const auto count = std::ssize(box.items);
    for (auto i = static_cast<std::ptrdiff_t>(at) + by; i >= 0 && i < count; i += by) {
        if (can_take(box, static_cast<std::size_t>(i))) {
            return static_cast<std::size_t>(i);
        }
    }
    return at;
}

// Letters and digits alone, as keys type them.
std::string plain(const std::string& text) {
    std::string all;
    for (const char c : text) {
        if (const auto byte = static_cast<unsigned char>(c); std::isalnum(byte) != 0) {
            all.push_back(static_cast<char>(std::toupper(byte)));
        }
    }
    return all;
}

// Moves the cursor to the next enabled item, wrapping around, that begins with what was typed, else to one that contains it.
// False: there is none.
bool find_typed(const ListBox& box, std::size_t from) {
    for (const bool begins : {true, false}) {
        for (std::size_t i = 0; i < box.items.size(); ++i) {
            const std::size_t at = (from + i) % box.items.size(), place = plain(box.items[at]).find(typed);
            if ((begins ? place == 0 : place != std::string::npos) && can_take(box, at)) {
                cursor = at;
                return true;
            }
        }
    }
    return false;
}

// What is typed goes on, as long as an item has it; else it begins anew, so one letter again and again goes through its items.
void look_for(const ListBox& box, char letter) {
    typed.push_back(letter);
    if (typed.size() == 1 || !find_typed(box, cursor)) {
        typed = letter;
        find_typed(box, cursor + 1);
    }
}

// True: the cursor moved.
bool move(Keyboard& k, const ListBox& box) {
    const std::size_t before = cursor;
    const auto step = [&](PanelKey key, int by, int items) {
        while (k.take(key)) {
            typed.clear();
            for (int i = 0; i < items; ++i) {
                cursor = next_from(box, cursor, by);
            }
        }
    };
    constexpr int kPage = 8; // items
    step(PanelKey::down, 1, 1);
    step(PanelKey::up, -1, 1);
    step(PanelKey::page_down, 1, kPage);
    step(PanelKey::page_up, -1, kPage);
    while (k.take(PanelKey::first)) {
        cursor = can_take(box, 0) ? 0 : next_from(box, 0, 1);
    }
    while (k.take(PanelKey::last)) {
        const std::size_t last = box.items.size() - 1;
        cursor = can_take(box, last) ? last : next_from(box, last, -1);
    }
    for (const char letter : k.take_typed()) {
        look_for(box, letter);
    }
    return cursor != before;
}
} // namespace

std::optional<std::size_t> list_items(Context& c, const ListBox& box) {
    std::optional<std::size_t> taken;
    if (box.items.empty()) {
        return taken;
    }
    const bool opened = ImGui::IsWindowAppearing();
    if (opened) {
        cursor = std::min(box.now, box.items.size() - 1);
        typed.clear();
        c.keyboard.take_typed(); // typed for an earlier list
    }
    const bool moved = move(c.keyboard, box) || opened;
    c.keyboard.set_list_open(true);
    for (std::size_t i = 0; i < box.items.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::Selectable(box.items[i].c_str(), i == cursor,
                              can_take(box, i) ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled)) {
            taken = i;
        }
        if (box.drawn) {
            box.drawn(i);
        }
        ImGui::PopID();
        if (i == cursor && moved) {
            ImGui::SetScrollHereY(0.5F);
        }
    }
    if (c.keyboard.take(PanelKey::enter) && can_take(box, cursor)) {
        taken = cursor;
    }
    if (c.keyboard.take(PanelKey::escape) || taken) {
        c.keyboard.set_list_open(false);
        ImGui::CloseCurrentPopup();
    }
    return taken;
}

std::optional<std::size_t> list_box(Context& c, const ListBox& box) {
    ImGui::SetNextItemWidth(box.width);
    const float room = box.width - 2 * ImGui::GetStyle().FramePadding.x - ImGui::GetFrameHeight();
    const std::string preview = scene::fitted(c.fonts, box.shown, scene::Face::sans, 15 * c.fonts.scale(), room);
    if (!ImGui::BeginCombo(box.id.c_str(), preview.c_str(), box.large ? ImGuiComboFlags_HeightLarge : 0)) {
        return std::nullopt;
    }
    const std::optional<std::size_t> taken = list_items(c, box);
    ImGui::EndCombo();
    return taken;
}

} // namespace warptree::panels
