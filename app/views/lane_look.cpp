#include "app/views/lane_look.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace warptree::scene {

Lane state_of(const WarpStep& it, unsigned lane) {
    const std::uint32_t bit = 1U << lane;
    return (it.existing & bit) == 0                 ? Lane::absent
           : (it.active & it.other_path & bit) != 0 ? Lane::other_path
           : (it.active & bit) != 0                 ? Lane::active
           : it.active != 0                         ? Lane::off
                                                    : Lane::idle;
}

WarpStep lanes_at_work(const Launch& launch, std::uint32_t block, std::uint32_t step, unsigned warp) {
    WarpStep it = launch.warp_step(block, step, warp);
    bool idle = launch.steps[step].kind == StepKind::stage;
    for (unsigned w = 0; idle && w < launch.warps(); ++w) {
        idle = launch.warp_step(block, step, w).active == 0;
    }
    const auto add = [&](const auto& rows) {
        const auto before = [](const auto& row, const auto& at) {
            return std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>(row.block, row.step, row.warp) < at;
        };
        const std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> at(block, step, warp);
        auto row = std::lower_bound(rows.begin(), rows.end(), at, before);
        for (; row != rows.end() && row->block == block && row->step == step && row->warp == warp; ++row) {
            it.active |= row->mask;
        }
    };
    if (idle) {
        add(launch.requests);
        add(launch.shuffles);
    }
    return it;
}

namespace {
// The smallest power of two with which the states of the first `lanes` lanes repeat.
unsigned period_of(const WarpStep& it, unsigned lanes) {
    unsigned period = 1;
    for (; period < lanes; period *= 2) {
        bool repeats = true;
        for (unsigned lane = period; lane < lanes && repeats; ++lane) {
            repeats = state_of(it, lane) == state_of(it, lane - period);
        }
        if (repeats) {
            break;
        }
    }
    return std::min(period, lanes);
}
} // namespace

std::vector<LaneStripe> lane_stripes(const WarpStep& it, float width) {
    constexpr float kLeastPitch = 4, kLeastStripe = 1; // pixels
    const auto lanes = static_cast<unsigned>(std::bit_width(it.existing));
    const unsigned period = period_of(it, lanes);
    const bool repeats = period > 1 && period < lanes;
    const float pitch =
        repeats ? std::max(std::round(width * static_cast<float>(period) / static_cast<float>(lanes)), kLeastPitch)
                : width;
    const float lane_width = pitch / static_cast<float>(std::max(1U, period));
    std::vector<LaneStripe> all;
    for (float x = 0; x < width - 0.5F; x += pitch) {
        for (unsigned lane = 0; lane < period;) {
            const Lane state = state_of(it, lane);
            unsigned end = lane + 1;
            while (end < period && state_of(it, end) == state) {
                ++end;
            }
            // A lone active lane stays visible.
            const bool works = state == Lane::active || state == Lane::other_path;
            const float from = x + lane_width * static_cast<float>(lane);
            const float to = std::min(width, x + lane_width * static_cast<float>(end));
            const float wide = works ? std::max(to - from, kLeastStripe) : to - from;
            if (state != Lane::absent && wide > 0) {
                all.push_back({state, std::max(0.0F, std::min(from, width - wide)), std::min(wide, width)});
            }
            lane = end;
        }
    }
    // Active lanes are drawn over inactive ones.
    std::stable_partition(all.begin(), all.end(),
                          [](const LaneStripe& s) { return s.state == Lane::off || s.state == Lane::idle; });
    return all;
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
