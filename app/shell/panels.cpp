// The panels of Explore in their places: headings, tabs where several share a place, and the splitters between.
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/shell/screen.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warptree::window {

namespace {
const char* tab_name(const std::string& panel) {
    for (const auto& [id, text] :
         {std::pair{"tree", "Tree"}, std::pair{"warps", "Warps"}, std::pair{"banks", "Banks"},
          std::pair{"memory", "Memory"}, std::pair{"source", "Source"}, std::pair{"step", "Step"},
          std::pair{"strategies", "Strategies"}, std::pair{"parameters", "Options"}}) {
        if (panel == id) {
            return text;
        }
    }
    return "";
}
} // namespace

void Screen::draw_explore(panels::Context& context) {
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float height = display.y - deck_height_;
    panels::Layout layout =
        panels::layout(display.x, height, explore_.looks, explore_.on_kernel(), explore_.on_program());
    if (explore_.full) {
        layout = panels::with_one_panel(std::move(layout), display.x, explore_.looks.scale, is_bare());
    }
    notice_bottom_ = height - layout.bottom;
    bring_forward(layout);
    draw_panels(context, layout);
    draw_splitters(context, layout);
}

// A folded panel that gets the keyboard comes to the front.
void Screen::bring_forward(const panels::Layout& layout) {
    folded_ = layout.folded;
    const auto is_folded = [&](const std::string& id) {
        return std::find(folded_.begin(), folded_.end(), id) != folded_.end();
    };
    std::vector<std::string> ring{"strategies", "parameters"};
    if (explore_.looks.presentation) {
        ring.clear();
    }
    if (explore_.code.any()) {
        ring.emplace_back("code");
    }
    for (const panels::Splitter& s : layout.splitters) {
        ring.push_back(std::string("split-") + s.id);
    }
    keyboard_.set_ring(std::move(ring));
    if (keyboard_.panel().starts_with("split-") && !keyboard_.in_ring(keyboard_.panel())) {
        keyboard_.release(); // that splitter no longer exists
    }
    if (keyboard_.on("code") && is_folded("source")) {
        explore_.front = "source";
    }
    if (is_folded(keyboard_.panel())) {
        explore_.front = keyboard_.panel();
    } else if (!is_folded(explore_.front)) {
        explore_.front = "tree";
    }
}

void Screen::draw_panels(panels::Context& context, const panels::Layout& layout) {
    for (const auto& [id, rect] : layout.places) {
        const std::string shown = id == "tree"                               ? explore_.front
                                  : id == "banks" && !explore_.array.empty() ? "memory"
                                                                             : id;
        for (const auto& panel : panels_) {
            if (shown == panel->id()) {
                draw_panel(context, *panel, rect);
                keyboard_.end_frame(shown);
            }
        }
    }
}

void Screen::draw_panel(panels::Context& c, panels::Panel& panel, const scene::Rect& r) {
    pages::begin_fixed(panel.id(), r, ImGuiWindowFlags_NoScrollWithMouse);
    state_.place(panel.id(), r);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && r.contains({mouse.x, mouse.y});
    under_mouse_ = over && *panel.title() != '\0' ? panel.id() : under_mouse_;
    const float pad = c.px(12), top = c.px(8);
    scene::Rect area{r.x + pad, r.y + top, r.w - 2 * pad, r.h - 2 * top};
    if (panel.id() == explore_.front && is_bare()) {
        // no tabs
    } else if (panel.id() == explore_.front && !folded_.empty()) {
        const float row = ImGui::GetTextLineHeight() + c.px(8);
        draw_tabs(c, area);
        area.y += row;
        area.h -= row;
    } else if (*panel.title() != '\0') {
        ImDrawList* list = ImGui::GetWindowDrawList();
        ImGui::PushFont(fonts_.bold());
        const std::string heading = panel.heading(c);
        const float title_width = ImGui::CalcTextSize(heading.c_str()).x;
        list->AddText({area.x, area.y}, u32(c.theme.text), heading.c_str());
        ImGui::PopFont();
        std::string note = panel.note(c); // drops its last parts first
        while (!note.empty() && title_width + ImGui::CalcTextSize(note.c_str()).x + c.px(14) >= area.w) {
            const auto end = note.find_last_of(",;");
            note.resize(end == std::string::npos ? 0 : end);
        }
        list->AddText({area.x + title_width + c.px(14), area.y}, u32(c.theme.muted), note.c_str());
        const float height = ImGui::GetTextLineHeight() + c.px(6);
        const bool on_title = over && mouse.y < area.y + height;
        area.y += height;
        area.h -= height;
        if (on_title && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            toggle_full(panel.id());
        }
    }
    ImGui::SetCursorScreenPos({area.x, area.y});
    panel.draw(c, area);
    pages::end_fixed();
}

void Screen::draw_tabs(panels::Context& c, const scene::Rect& area) {
    std::vector<std::string> ids{"tree"};
    ids.insert(ids.end(), folded_.begin(), folded_.end());
    float width = 0;
    for (const std::string& id : ids) {
        width += ImGui::CalcTextSize(tab_name(id)).x;
    }
    const float pad = std::clamp((area.w - width) / (2 * static_cast<float>(ids.size())), 0.0F, c.px(9));
    float x = area.x;
    for (const std::string& id : ids) {
        const bool front = id == explore_.front;
        const char* text = tab_name(id);
        const float w = ImGui::CalcTextSize(text).x + 2 * pad;
        ImGui::SetCursorScreenPos({x, area.y});
        if (ImGui::InvisibleButton(("##tab-" + id).c_str(), {w, ImGui::GetTextLineHeight() + c.px(4)})) {
            explore_.front = id;
            keyboard_.release();
        }
        if (explore_.full && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            toggle_full(id);
        }
        state_.place("tab-" + id, {x, area.y, w, ImGui::GetTextLineHeight()});
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddText({x + pad, area.y}, u32(front ? c.theme.text : c.theme.muted), text);
        if (front) {
            const float line = area.y + ImGui::GetTextLineHeight() + c.px(2);
            list->AddRectFilled({x + pad, line}, {x + w - pad, line + c.px(2)}, u32(c.theme.accent));
        }
        x += w;
    }
}

// Arrows move the splitter that has the keyboard, Enter resets it. True: it has the keyboard.
bool Screen::move_by_keys(panels::Context& c, const panels::Splitter& s) {
    using panels::PanelKey;
    const std::string id = std::string("split-") + s.id;
    if (!keyboard_.on(id)) {
        return false;
    }
    float& share = explore_.looks.*s.share;
    const float step = c.px(16) / s.unit;
    const auto by = [&](float change) {
        share = std::clamp(std::clamp(share, s.least, s.most) + change, s.least, s.most);
    };
    while (keyboard_.take(s.upright ? PanelKey::right : PanelKey::down)) {
        by(step);
    }
    while (keyboard_.take(s.upright ? PanelKey::left : PanelKey::up)) {
        by(-step);
    }
    if (keyboard_.take(PanelKey::enter)) {
        share = 1;
    }
    const int away = keyboard_.take(PanelKey::next) ? 1 : keyboard_.take(PanelKey::previous) ? -1 : 0;
    keyboard_.end_frame(id);
    if (away != 0) {
        keyboard_.leave(away);
    }
    return away == 0;
}

void Screen::draw_splitters(panels::Context& c, const panels::Layout& layout) {
    session::Looks& looks = explore_.looks;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    for (const panels::Splitter& s : layout.splitters) {
        const bool focused = move_by_keys(c, s);
        const std::string id = std::string("split-") + s.id;
        pages::begin_fixed(id.c_str(), s.rect, ImGuiWindowFlags_NoBackground);
        ImGui::SetCursorScreenPos({s.rect.x, s.rect.y});
        ImGui::InvisibleButton("##drag", {s.rect.w, s.rect.h});
        state_.place(id, s.rect);
        float& share = looks.*s.share;
        if (ImGui::IsItemActivated()) {
            drag_from_ = std::clamp(share, s.least, s.most);
        }
        if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            share = drag_from_ = 1;
        } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) {
            const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
            share = std::clamp(drag_from_ + (s.upright ? dragged.x : dragged.y) / s.unit, s.least, s.most);
        }
        if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
            ImGui::SetMouseCursor(s.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        }
        if (focused || ImGui::IsItemHovered() || ImGui::IsItemActive()) {
            const float x = s.rect.x + s.rect.w / 2, y = s.rect.y + s.rect.h / 2, r = c.px(focused ? 2 : 1);
            const ImVec2 from = s.upright ? ImVec2{x - r, s.rect.y + c.px(6)} : ImVec2{s.rect.x, y - r};
            const ImVec2 to = s.upright ? ImVec2{x + r, s.rect.bottom()} : ImVec2{s.rect.right(), y + r};
            ImGui::GetWindowDrawList()->AddRectFilled(from, to, u32(c.theme.accent), r);
        }
        pages::end_fixed();
    }
    ImGui::PopStyleVar(3);
}

} // namespace warptree::window
