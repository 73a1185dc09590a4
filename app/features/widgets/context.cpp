#include "app/features/widgets/context.hpp"

#include <imgui.h>

namespace warptree::panels {

void focus_ring(const Context& c) {
    const scene::Color& a = c.theme.accent;
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRect({from.x + c.px(1), from.y + c.px(1)}, {to.x - c.px(1), to.y - c.px(1)},
                                        IM_COL32(a.r, a.g, a.b, a.a), c.px(4), 0, c.px(2));
}

} // namespace warptree::panels
