// The frame of a page that has values at the left and a figure at the right; one above the other where it is narrow.
#pragma once

#include "app/features/explore/panels/panel.hpp"

#include <imgui.h>

#include <functional>
#include <string>

namespace warptree::pages {

// A window that is a part of the screen; end_fixed() ends it.
inline void begin_fixed(const char* id, const scene::Rect& area, ImGuiWindowFlags more = 0) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.w, area.h});
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | more);
}
// The cursor may be anywhere, without an item there: newer ImGui refuses that at a window's end.
inline void end_fixed() {
    ImGui::SetCursorPos(ImGui::GetCursorStartPos());
    ImGui::End();
}

// The most that the side takes: pixels at scale 1 and a share of the area, in width beside the figure, in height above
// it.
struct SideSize {
    float width = 286, width_share = 0.34F;
    float height = 150, height_share = 0.34F;
};
struct SideAndFigure {
    scene::Rect side, figure;
    bool narrow = false; // the side is above the figure
};
// In a presentation, and by Z, the figure has all of it, and the side is empty.
SideAndFigure side_and_figure(const panels::Context& context, const scene::Rect& area, const SideSize& size);

// A window of the side, its contents drawn by `draw`, which hears how wide they may be.
void draw_in_side(panels::Context& context, const char* id, const scene::Rect& side,
                  const std::function<void(float width)>& draw);

// Text at the pointer, wrapped, whole within the window.
void tooltip(const panels::Context& context, const std::string& text);
scene::Rect last_item(); // where the last one lies

} // namespace warptree::pages
