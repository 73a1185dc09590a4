#include "app/features/explore/panels/panel.hpp"

#include <imgui.h>

namespace warptree::panels {

scene::ViewContext Context::view() const {
    return {explore.trace().get(), explore.playback.moment(), explore.hover,  explore.selected, &theme, &fonts,
            fonts.scale(),         explore.hidden_from,       explore.partner};
}

void focus_ring(const Context& c) {
    const scene::Color& a = c.theme.accent;
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRect({from.x + c.px(1), from.y + c.px(1)}, {to.x - c.px(1), to.y - c.px(1)},
                                        IM_COL32(a.r, a.g, a.b, a.a), c.px(4), 0, c.px(2));
}

std::vector<std::unique_ptr<Panel>> make_panels() {
    std::vector<std::unique_ptr<Panel>> all;
    all.push_back(make_strategies());
    all.push_back(make_parameters());
    all.push_back(make_tree());
    all.push_back(make_warps());
    all.push_back(make_banks());
    all.push_back(make_source());
    all.push_back(make_this_step());
    all.push_back(make_transport());
    return all;
}

} // namespace warptree::panels
