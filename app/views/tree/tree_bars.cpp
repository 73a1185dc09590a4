#include "app/views/lane_look.hpp"
#include "app/views/tree/tree_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warptree::scene {

namespace {

struct Share {
    unsigned active = 0, existing = 0;
    float fraction() const { return existing == 0 ? 0 : static_cast<float>(active) / static_cast<float>(existing); }
};

Share share_of(const TreeIndex& index, std::uint32_t block, std::uint32_t step, unsigned first_warp, unsigned warps) {
    const std::size_t first = std::size_t{block - index.first_block} * index.warps + first_warp;
    const TreeIndex::Lanes lanes = index.lanes(step, first, first + warps);
    return {lanes.active, lanes.existing};
}

constexpr float kLeastPattern = 8; // width of a warp, pixels
constexpr float kLeastWarp = 3;    // the same within the bar of a block

// The active lanes of a warp, over `rect`: their pattern or, without room for it, a shade for their share.
void fill_warp(const TreeView& view, Drawing& drawing, const Rect& rect, const WarpStep& it, Color color) {
    auto& boxes = drawing.layers[cell_layer].boxes;
    const auto add = [&](const Rect& part, Color fill) {
        boxes.push_back({.rect = part, .radius = std::min(view.px(3), part.w / 4), .fill = fill});
    };
    if (it.active == 0) {
        return;
    }
    if (it.active == it.existing || rect.w < kLeastPattern) {
        const auto share =
            static_cast<float>(std::popcount(it.active)) / static_cast<float>(std::popcount(it.existing));
        add(rect, mix(view.theme->off, color, 0.3F + 0.7F * share));
        return;
    }
    for (const LaneStripe& s : lane_stripes(it, rect.w)) {
        if (s.state == Lane::active || s.state == Lane::other_path) {
            add({rect.x + s.x, rect.y, s.width, rect.h}, color);
        }
    }
}

// The same for a block, warp by warp; several blocks as one shade.
void fill_blocks(const TreeView& view, Drawing& drawing, const Rect& rect, std::uint32_t block, std::uint32_t count,
                 std::uint32_t row, const Share& share, Color color) {
    const Launch& launch = *view.launch;
    const float wide = rect.w / static_cast<float>(launch.warps());
    if (count == 1 && wide >= kLeastWarp) {
        for (unsigned w = 0; w < launch.warps(); ++w) {
            fill_warp(view, drawing, {rect.x + wide * static_cast<float>(w), rect.y, wide, rect.h},
                      lanes_at_work(launch, block, row, w), color);
        }
    } else if (share.active != 0) {
        drawing.layers[cell_layer].boxes.push_back(
            {.rect = rect,
             .radius = std::min(view.px(3), rect.w / 4),
             .fill = mix(view.theme->off, color, 0.3F + 0.7F * share.fraction())});
    }
}

Color fill_color(const TreeView& view, std::uint32_t row) {
    return row == view.step ? view.theme->accent : mix(view.theme->panel, view.theme->accent, 0.55F);
}

// A track whose active part `fill` draws, with the number of active lanes if it fits.
template <class Fill>
void bar(const TreeView& view, Drawing& drawing, const Rect& rect, const Share& share, std::uint32_t row, bool lit,
         Fill fill) {
    const Theme& theme = *view.theme;
    Layer& layer = drawing.layers[cell_layer];
    const bool current = row == view.step;
    const bool ghost = row > view.step;
    const float radius = std::min(view.px(3), rect.w / 4);
    Box track{.rect = rect,
              .radius = radius,
              .fill = ghost || share.active == 0 ? theme.panel : theme.off,
              .stroke = lit ? theme.text : with_alpha(theme.faint, ghost ? 0.6F : 0.9F),
              .stroke_width = lit ? view.px(2) : std::min(view.px(1), rect.w / 5)};
    layer.boxes.push_back(track);
    if (share.active != 0 && !ghost) {
        fill(fill_color(view, row));
    }
    // A full or empty bar needs no number.
    const std::string text = std::to_string(share.active);
    const float size = std::min(view.px(12), rect.h * 0.7F);
    // Below the bar, so that the background is uniform.
    const float y = rect.bottom() + size * 0.75F;
    if (!ghost && share.active != 0 && share.active != share.existing && size >= view.px(8) &&
        view.measure->width(text, Face::mono, size) <= rect.w &&
        rect.bottom() + size * 1.4F < rect.y + view.row_pitch) {
        const float wide = view.measure->width(text, Face::mono, size) + view.px(4);
        if (put_text(drawing.layers[mark_layer], *view.measure, view.room,
                     {{rect.x + rect.w / 2, y},
                      Align::center,
                      Face::mono,
                      size,
                      current ? theme.text : theme.muted,
                      text})) {
            drawing.layers[mark_layer].boxes.push_back(
                {.rect = {rect.x + (rect.w - wide) / 2, y - size * 0.6F, wide, size * 1.2F},
                 .radius = view.px(2),
                 .fill = current ? mix(theme.panel, theme.accent_fill, 0.42F) : theme.panel});
        }
    }
}

bool same_place(const Target& t, Target::Kind kind, std::uint32_t launch, std::uint32_t block, std::uint32_t index) {
    return t.kind == kind && t.launch == launch && t.block == block && t.index == index;
}

Thinned warp_bars(const TreeView& view, Drawing& drawing) {
    const Launch& launch = *view.launch;
    const float width = view.warp_pitch();
    const float bar_width = std::max(2.0F, width - std::min(view.px(6), width * 0.2F));
    const float height = std::min(view.cell_height, view.row_pitch * 0.36F);
    const auto middle = [&](std::uint32_t block, unsigned warp) {
        return view.x(block, -0.5F) + width * (static_cast<float>(warp) + 0.5F);
    };
    for (std::uint32_t b = 0; b < view.index->blocks; ++b) {
        const std::uint32_t block = view.index->first_block + b;
        if (!view.visible_x(middle(block, 0) - width, middle(block, launch.warps() - 1) + width)) {
            continue;
        }
        for (const WarpLink& link : view.index->links) {
            if (link.warp >= launch.warps() || link.from_warp >= launch.warps() ||
                (link.block != kNone && link.block != block)) {
                continue;
            }
            const std::uint32_t from = link.block == kNone ? block : link.from_block;
            const bool current = link.step == view.step;
            const Color color = link.step > view.step ? with_alpha(view.theme->faint, 0.5F)
                                : current             ? view.theme->accent
                                                      : with_alpha(view.theme->muted, 0.7F);
            const Curve curve = falling({middle(from, link.from_warp), view.y(link.from_step) + height / 2},
                                        {middle(block, link.warp), view.y(link.step) - height / 2},
                                        view.px(current ? 1.6F : 1.0F), color);
            drawing.layers[current ? cell_layer : empty_layer].curves.push_back(curve);
            if (current && view.phase < 1) {
                const float d = view.px(5);
                const Point at = along(curve, view.phase);
                const Rect dot{at.x - d / 2, at.y - d / 2, d, d};
                if (inside(view.room, dot)) {
                    drawing.layers[mark_layer].boxes.push_back(
                        {.rect = dot, .radius = d / 2, .fill = view.theme->accent});
                }
            }
        }
        for (std::uint32_t row = 0; row < view.steps(); ++row) {
            for (unsigned w = 0; w < launch.warps(); ++w) {
                const Rect rect{middle(block, w) - bar_width / 2, view.y(row) - height / 2, bar_width, height};
                if (intersect(rect, view.room).w <= 0) {
                    continue;
                }
                const bool lit = same_place(view.context->hover, Target::Kind::warp, view.launch_id, block, w) ||
                                 same_place(view.context->selected, Target::Kind::warp, view.launch_id, block, w);
                if (!view.hidden(row)) {
                    bar(view, drawing, rect, share_of(*view.index, block, row, w, 1), row, lit, [&](Color color) {
                        fill_warp(view, drawing, rect, lanes_at_work(launch, block, row, w), color);
                    });
                }
                put_hit(drawing, view.room, rect, {Target::Kind::warp, view.launch_id, block, w, row});
            }
        }
    }
    return {.shades = bar_width < kLeastPattern};
}

// Blocks too narrow for a bar of their own share one.
Thinned block_bars(const TreeView& view, Drawing& drawing) {
    const Launch& launch = *view.launch;
    const auto group = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(view.px(7) / view.block_pitch)));
    const float height = std::min(view.cell_height, view.row_pitch * 0.36F);
    for (std::uint32_t b = 0; b < view.index->blocks; b += group) {
        const std::uint32_t count = std::min(group, view.index->blocks - b);
        const std::uint32_t block = view.index->first_block + b;
        const float low = view.x(block, -0.5F);
        const float width =
            std::max(2.0F, view.block_pitch * static_cast<float>(count) -
                               std::max(1.0F, view.block_pitch - view.pitch * static_cast<float>(view.index->columns)));
        if (!view.visible_x(low, low + width)) {
            continue;
        }
        for (std::uint32_t row = 0; row < view.steps(); ++row) {
            const Share share = share_of(*view.index, block, row, 0, count * view.index->warps);
            const Rect rect{low, view.y(row) - height / 2, width, height};
            const bool lit = same_place(view.context->hover, Target::Kind::block, view.launch_id, block, block) ||
                             same_place(view.context->selected, Target::Kind::block, view.launch_id, block, block);
            if (row > 0 && !view.hidden(row)) {
                const Color color = row > view.step    ? with_alpha(view.theme->faint, 0.5F)
                                    : row == view.step ? view.theme->accent
                                                       : with_alpha(view.theme->muted, 0.6F);
                drawing.layers[empty_layer].curves.push_back(straight({low + width / 2, view.y(row - 1) + height / 2},
                                                                      {low + width / 2, rect.y}, view.px(1), color));
            }
            if (!view.hidden(row)) {
                bar(view, drawing, rect, share, row, lit,
                    [&](Color color) { fill_blocks(view, drawing, rect, block, count, row, share, color); });
            }
            put_hit(drawing, view.room, rect, {Target::Kind::block, view.launch_id, block, block, row});
        }
    }
    return {.blocks = group,
            .shades = group > 1 || view.pitch * static_cast<float>(view.index->columns) <
                                       kLeastWarp * static_cast<float>(launch.warps())};
}

} // namespace

Thinned add_tree_bars(const TreeView& view, Drawing& drawing) {
    return view.detail == Detail::warps ? warp_bars(view, drawing) : block_bars(view, drawing);
}

} // namespace warptree::scene
