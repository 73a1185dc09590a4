#include "app/features/lessons/load_figure.hpp"

#include "app/views/banks/exchange.hpp"
#include "app/views/parts.hpp"
#include "app/views/views.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

namespace warptree::scene {

Trace trace_of_load(unsigned stride, unsigned bytes) {
    Trace trace;
    Launch& launch = trace.launches.emplace_back();
    launch.block = kWarpSize;
    launch.window_count = 1;
    launch.outputs_total = 1;
    launch.steps.push_back({StepKind::load, 0, "load", {}, {}});
    launch.warp_steps.push_back({0xFFFFFFFFU, 0xFFFFFFFFU, 0});
    Request& r = launch.requests.emplace_back();
    r.kind = AccessKind::global_load;
    r.bytes = static_cast<std::uint8_t>(bytes);
    r.mask = 0xFFFFFFFFU;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        launch.indices.push_back(lane * stride);
    }
    r.sectors = static_cast<std::uint16_t>(make_sector_plan(launch, r).sectors.size());
    return trace;
}

Drawing draw_load_figure(const Theme& theme, const TextMeasure& measure, float scale, Rect area, unsigned count,
                         unsigned bytes) {
    Drawing all;
    all.clip = area;
    const bool beside = area.w > 1.6F * area.h && area.w >= 560 * scale;
    const float gap = 16 * scale, size = 14 * scale, caption = 22 * scale;
    const Rect half =
        beside ? Rect{area.x, area.y, (area.w - gap) / 2, area.h} : Rect{area.x, area.y, area.w, (area.h - gap) / 2};
    const std::array<std::pair<unsigned, std::string>, 2> ways{
        {{1, "by grid stride: lane i loads element i"},
         {count, fmt::format("by chunks of {}: lane i loads element {} · i", count, count)}}};
    for (std::size_t i = 0; i < ways.size(); ++i) {
        Rect r = half;
        (beside ? r.x : r.y) += static_cast<float>(i) * ((beside ? half.w : half.h) + gap);
        const Trace trace = trace_of_load(ways[i].first, bytes);
        ViewContext context;
        context.trace = &trace;
        context.moment = {0, 0, 1};
        context.theme = &theme;
        context.measure = &measure;
        context.scale = scale;
        Drawing one = draw_banks(context, {r.x, r.y + caption, r.w, r.h - caption}, 0);
        if (one.layers.empty()) {
            one.layers.emplace_back();
        }
        put_text(one.layers.back(), measure, r,
                 {{r.x, r.y + caption * 0.45F},
                  Align::left,
                  Face::sans_bold,
                  size,
                  theme.text,
                  fitted(measure, ways[i].second, Face::sans_bold, size, r.w)});
        for (Layer& layer : one.layers) {
            all.layers.push_back(std::move(layer));
        }
    }
    return all;
}

} // namespace warptree::scene
