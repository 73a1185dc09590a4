// ImGui windows that are parts of the screen: where they are put, without frame, title or memory of their own.
#pragma once

#include "app/scene/draw.hpp"

#include <imgui.h>

namespace warptree::panels {

inline constexpr ImGuiWindowFlags kFixedWindow = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                                 ImGuiWindowFlags_NoSavedSettings |
                                                 ImGuiWindowFlags_NoBringToFrontOnFocus;

// ImGui::End() ends it.
inline void begin_fixed(const char* id, const scene::Rect& area, ImGuiWindowFlags more = 0) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.w, area.h});
    ImGui::Begin(id, nullptr, kFixedWindow | more);
}

} // namespace warptree::panels
