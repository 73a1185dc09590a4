// The frame of a page that has values at the left and a figure at the right; one above the other if it is narrow.
#pragma once

#include "app/features/widgets/context.hpp"

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
// Resets the cursor: newer ImGui does not allow a window to end with the cursor moved past its items.
inline void end_fixed() {
    ImGui::SetCursorPos(ImGui::GetCursorStartPos());
    ImGui::End();
}

// The most room that the side takes, in pixels at scale 1 and as a share of the area: its width beside the figure, its
// height above it.
struct SideSize {
    float width = 286, width_share = 0.34F;
    float height = 150, height_share = 0.34F;
};
struct SideAndFigure {
    scene::Rect side, figure;
    bool narrow = false; // the side is above the figure
};
// In a presentation, or after Z, the figure has the whole area and the side is empty.
SideAndFigure side_and_figure(const panels::Context& context, const scene::Rect& area, const SideSize& size);

// A window of the side, its contents drawn by `draw`, which gets their width.
void draw_in_side(panels::Context& context, const char* id, const scene::Rect& side,
                  const std::function<void(float width)>& draw);

// The text in lines of whole words, none wider than that unless a word is: ImGui would break 1,024 behind its comma.
std::string in_lines(const std::string& text, float width);
// Text at the pointer, wrapped, whole within the window, beside what it explains: `about`, or ImGui's last item if that
// is a low one. None until the pointer rests (Context::tells).
void tooltip(const panels::Context& context, const std::string& text, const scene::Rect* about = nullptr);
scene::Rect last_item(); // rectangle of ImGui's last item

} // namespace warptree::pages
