#include "app/features/explore/panels/panel.hpp"

#include <imgui.h>

namespace warptree::panels {

scene::ViewContext view_of(const Context& c) {
    const session::Explore& e = c.explore;
    return {e.trace().get(), e.playback.moment(), e.hover,       e.selected, &c.theme,
            &c.fonts,        c.fonts.scale(),     e.hidden_from, e.partner};
}

std::vector<std::unique_ptr<Panel>> make_panels() {
    std::vector<std::unique_ptr<Panel>> all;
    all.push_back(make_story());
    all.push_back(make_strategies());
    all.push_back(make_parameters());
    all.push_back(make_tree());
    all.push_back(make_warps());
    all.push_back(make_banks());
    all.push_back(make_memory());
    all.push_back(make_source());
    all.push_back(make_this_step());
    all.push_back(make_transport());
    return all;
}

} // namespace warptree::panels
