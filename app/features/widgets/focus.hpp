// Gives the keyboard to ImGui's next item.
#pragma once

#include <imgui.h>

namespace warptree::panels {

inline void focus_next_item() {
#if IMGUI_VERSION_NUM >= 19000 // 1.90.1 finds the item in the focused window only
    ImGui::SetWindowFocus();
#endif
    ImGui::SetKeyboardFocusHere();
}

} // namespace warptree::panels
