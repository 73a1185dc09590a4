#include "app/views/warps/lane_look.hpp"

#include <algorithm>

namespace warptree::scene {

Lane state_of(const WarpStep& it, unsigned lane) {
    const std::uint32_t bit = 1U << lane;
    return (it.existing & bit) == 0                 ? Lane::absent
           : (it.active & it.other_path & bit) != 0 ? Lane::other_path
           : (it.active & bit) != 0                 ? Lane::active
           : it.active != 0                         ? Lane::off
                                                    : Lane::idle;
}

Box lane_look(Lane state, When when, const Theme& theme, float scale) {
    const bool now = when == When::now;
    const bool to_come = when == When::to_come;
    Box box;
    box.fill = kClear;
    switch (state) {
    case Lane::active: box.fill = now ? theme.accent : mix(theme.panel, theme.accent, to_come ? 0.32F : 0.62F); break;
    case Lane::other_path:
        box.fill = now ? theme.attention : mix(theme.panel, theme.attention, to_come ? 0.4F : 0.7F);
        box.pattern = Pattern::dots;
        box.pattern_color = theme.panel;
        break;
    case Lane::off:
        box.fill = theme.off;
        box.pattern = Pattern::hatch;
        box.pattern_color = with_alpha(theme.faint, to_come ? 0.6F : 1);
        break;
    case Lane::idle:
        box.stroke = with_alpha(theme.faint, 0.7F);
        box.stroke_width = scale;
        break;
    case Lane::absent: break;
    }
    return box;
}

Box race_look(Rect rect, const Theme& theme) {
    return {.rect = rect, .fill = theme.hazard, .pattern = Pattern::cross_hatch, .pattern_color = theme.panel};
}

Box stall_look(Rect rect, const Theme& theme, float scale) {
    return {.rect = rect,
            .radius = 2 * scale,
            .fill = with_alpha(theme.hazard, 0.25F),
            .stroke = theme.hazard,
            .stroke_width = std::min(2.5F * scale, rect.w / 3),
            .pattern = Pattern::dots,
            .pattern_color = theme.hazard};
}

} // namespace warptree::scene
