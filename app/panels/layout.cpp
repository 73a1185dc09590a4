#include "app/panels/layout.hpp"

#include <algorithm>

namespace warptree::panels {

std::vector<std::pair<std::string, scene::Rect>> layout(float width, float height, const session::Looks& looks) {
    const float s = looks.scale, gap = 6 * s;
    const float top = kTopBar * s, transport = 68 * s;
    const float bottom = height - transport;
    // Side panels give way before the views in the middle do.
    const bool folded = looks.presentation;
    const float side = std::min(1.0F, width / (1240 * s));
    const float left = folded ? 0 : std::min(262 * s * looks.left, width * 0.3F) * std::max(side, 0.75F);
    const float right = folded && width < 1200 * s ? 0 : std::min(380 * s * looks.right, width * 0.27F);
    const float middle_x = left + gap, middle_w = width - left - right - gap * (right > 0 ? 3 : 2);
    const float lower = std::clamp((bottom - top) * 0.42F * looks.lower, 60 * s, bottom - top - 60 * s);
    const float tree_h = bottom - top - lower - 3 * gap;
    std::vector<std::pair<std::string, scene::Rect>> places;
    if (left > 0) {
        const float parameters = std::min(332 * s, (bottom - top) * 0.56F);
        places.emplace_back("strategies", scene::Rect{0, top, left, bottom - top - parameters});
        places.emplace_back("parameters", scene::Rect{0, bottom - parameters, left, parameters});
    }
    places.emplace_back("tree", scene::Rect{middle_x, top + gap, middle_w, tree_h});
    const float lower_y = top + gap * 2 + tree_h, warps = (middle_w - gap) * 0.62F;
    places.emplace_back("warps", scene::Rect{middle_x, lower_y, warps, lower});
    places.emplace_back("banks", scene::Rect{middle_x + warps + gap, lower_y, middle_w - warps - gap, lower});
    if (right > 0) {
        const float x = width - right - gap, source = (bottom - top - 3 * gap) * 0.5F;
        places.emplace_back("source", scene::Rect{x, top + gap, right, source});
        places.emplace_back("step", scene::Rect{x, top + 2 * gap + source, right, bottom - top - 3 * gap - source});
    }
    places.emplace_back("transport", scene::Rect{0, bottom, width, transport});
    return places;
}

} // namespace warptree::panels
