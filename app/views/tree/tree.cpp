#include "app/views/tree/tree_rows.hpp"
#include "app/views/tree/tree_walk.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace warptree::scene {

namespace {

// The part of the current step's band within `part`.
void add_band(const TreeView& view, Layer& layer, const Rect& part) {
    if (view.step >= view.steps()) {
        return;
    }
    const float height =
        std::max(std::min(view.row_pitch * 0.96F, view.cell_height + view.px(18)), view.px(kLabelSize * 1.4F));
    const Rect band = intersect({view.area.x, view.y(view.step) - height / 2, view.area.w, height}, part);
    if (band.h > 0 && band.w > 0) {
        layer.boxes.push_back({.rect = band, .fill = mix(view.theme->panel, view.theme->accent_fill, 0.42F)});
    }
}

void add_step_labels(const TreeView& view, Drawing& drawing) {
    Layer& frame = drawing.layers[frame_layer];
    const Theme& theme = *view.theme;
    const float x = view.area.right() - view.px(8);
    const float size = view.px(kLabelSize);
    const Rect gutter{view.room.right(), view.room.y, view.area.right() - view.room.right(), view.room.h};
    const auto every = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(size * 1.3F / view.row_pitch)));
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        const bool current = row == view.step;
        const float y = view.y(row);
        const float half = view.row_pitch / 2;
        put_hit(drawing, gutter, {gutter.x, y - half, gutter.w, 2 * half},
                {Target::Kind::step, view.launch_id, view.index->first_block, row, row});
        // Crowded labels: every k-th is kept, counted from the current one.
        const auto away = row > view.step ? row - view.step : view.step - row;
        const bool kept = view.step < view.steps() ? away % every == 0 : row % every == 0;
        if (!kept) {
            continue;
        }
        const bool lit =
            current || (view.context->hover.kind == Target::Kind::step && view.context->hover.index == row);
        put_text(frame, *view.measure, gutter,
                 {{x, y},
                  Align::right,
                  lit ? Face::sans_bold : Face::sans,
                  size,
                  lit ? theme.text : theme.muted,
                  view.launch->steps[row].label});
    }
}

// Rows yet to be predicted, one band each across all columns.
void add_hidden_rows(const TreeView& view, Drawing& drawing) {
    const std::uint32_t last = view.index->first_block + std::max(1U, view.index->blocks) - 1;
    const float left = view.x(view.index->first_block, -0.5F);
    const float right = view.x(last, static_cast<float>(view.index->columns) - 0.5F);
    const float height = std::max(view.cell_height, view.row_pitch * 0.36F);
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        const Rect rect = intersect({left, view.y(row) - height / 2, right - left, height}, view.room);
        if (view.hidden(row) && rect.w > 0 && rect.h > 0) {
            add_unknown(*view.context, drawing.layers[empty_layer], rect);
            if (view.detail == Detail::cells) { // bars have their own hits
                put_hit(drawing, view.room, rect,
                        {Target::Kind::step, view.launch_id, view.index->first_block, row, row});
            }
        }
    }
}

// Where a warp ends and the next begins, in each row; joined from row to row.
void add_warp_line(const TreeView& view, const TreeRows& rows, std::uint32_t block, std::uint32_t column,
                   Layer& layer) {
    const Color color = with_alpha(view.theme->faint, 0.9F);
    const float half = view.cell_height / 2 + view.px(4), width = view.px(1), dash = view.px(4);
    Point before{rows.edge(block, 0, column), std::max(view.room.y, view.y(0) - view.row_pitch / 2 - view.ticks)};
    const auto to = [&](Point next) {
        const bool seen = view.visible_x(std::min(before.x, next.x), std::max(before.x, next.x)) &&
                          before.y >= view.room.y && next.y <= view.room.bottom();
        if (seen && next.y > before.y) {
            layer.curves.push_back(straight(before, next, width, color, dash));
        }
        before = next;
    };
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        const float x = rows.edge(block, row, column);
        if (x != before.x) {
            to({x, view.y(row) - half});
        }
        const bool turns = row + 1 == view.steps() || rows.edge(block, row + 1, column) != x;
        if (turns) {
            to({x, row + 1 == view.steps() ? std::min(view.room.bottom(), view.y(row) + view.row_pitch / 2)
                                           : view.y(row) + half});
        }
    }
}

void add_warp_marks(const TreeView& view, const TreeRows* rows, Drawing& drawing) {
    const Theme& theme = *view.theme;
    Layer& band = drawing.layers[band_layer];
    Layer& frame = drawing.layers[frame_layer];
    const float size = view.px(13);
    const float y = view.room.bottom() + view.px(13);
    // Columns are threads, or one word per thread; with several words per thread, a column belongs to no single warp.
    const std::uint32_t columns = view.index->columns - view.index->lead, a_warp = kWarpSize * view.index->beside;
    const bool words = view.detail == Detail::cells && columns > view.launch->block * view.index->beside;
    const std::uint32_t warps = words ? (columns + a_warp - 1) / a_warp : view.launch->warps();
    const char* const unit = view.index->scan ? "elements" : view.index->by_index ? "indices" : "words";
    const float warp_width = view.detail == Detail::cells ? view.pitch * static_cast<float>(a_warp) : view.warp_pitch();
    const auto label_of = [&](std::uint32_t w, std::uint32_t b) { // b: the block's number in the window
        const std::vector<std::uint32_t>& elements = view.index->first_elements;
        const std::uint32_t begin = b < elements.size() && elements[b] != kNone ? elements[b] : 0;
        const std::uint32_t end = begin + std::min((w + 1) * kWarpSize, std::max(1U, columns / view.index->beside));
        return words ? fmt::format("{} {}–{}", unit, begin + w * kWarpSize, end - 1) : "warp " + std::to_string(w);
    };
    const Rect strip{view.area.x, view.room.bottom(), view.room.w, view.area.bottom() - view.note - view.room.bottom()};
    const float room_a_warp =
        view.measure->width(label_of(warps - 1, view.index->blocks - 1), Face::sans, size) + view.px(10);
    const auto every = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(room_a_warp / std::max(0.01F, warp_width))));
    float free_from = strip.x; // labels go left to right and never overlap
    for (std::uint32_t b = 0; b < view.index->blocks; ++b) {
        const std::uint32_t block = view.index->first_block + b;
        const float block_left = view.x(block, -0.5F);
        const float block_right = view.x(block, static_cast<float>(view.index->columns) - 0.5F);
        if (!view.visible_x(block_left - view.block_pitch, block_right + view.block_pitch)) {
            continue;
        }
        for (std::uint32_t w = 0; w < warps; ++w) {
            const float lead = view.detail == Detail::cells ? view.pitch * static_cast<float>(view.index->lead) : 0;
            const float x = block_left + lead + warp_width * static_cast<float>(w);
            if (w > 0 && rows != nullptr && warp_width >= view.px(20)) {
                add_warp_line(view, *rows, block, w * a_warp + view.index->lead, band);
            }
            const float label_x = std::max(x, strip.x) + view.px(2);
            const std::string label = label_of(w, b);
            const float width = view.measure->width(label, Face::sans, size);
            const float end = std::min(x + warp_width, block_right + view.px(60));
            const bool own = warps == 1 || view.index->blocks == 1 || width <= block_right - x;
            if (view.detail != Detail::blocks && w % every == 0 && own && label_x >= free_from &&
                label_x + width <= end + (every > 1 ? width : 0.0F) &&
                put_text(frame, *view.measure, strip,
                         {{label_x, y}, Align::left, Face::sans, size, theme.muted, label})) {
                free_from = label_x + width + view.px(10);
                if (words) {
                    continue;
                }
                put_hit(drawing, strip, {label_x, y - size, width, 2 * size},
                        {Target::Kind::warp, view.launch_id, block, w});
            }
        }
    }
    if (view.index->blocks < 2 || strip.h < view.px(40)) {
        return;
    }
    const float block_y = y + view.px(21);
    free_from = strip.x;
    for (std::uint32_t b = 0; b < view.index->blocks; ++b) {
        const std::uint32_t block = view.index->first_block + b;
        const float low = std::max(strip.x, view.x(block, -0.5F));
        const float high = std::min(strip.right(), view.x(block, static_cast<float>(view.index->columns) - 0.5F));
        if (high - low < 1) {
            continue;
        }
        frame.boxes.push_back({.rect = {low, block_y - view.px(11), high - low, view.px(1)}, .fill = theme.faint});
        for (const std::string& label : {"block " + std::to_string(block), std::to_string(block)}) {
            const float width = view.measure->width(label, Face::sans_bold, size);
            const float x = low + view.px(2);
            if (width + view.px(4) <= high - low && x >= free_from &&
                put_text(frame, *view.measure, strip,
                         {{x, block_y}, Align::left, Face::sans_bold, size, theme.text, label})) {
                put_hit(drawing, strip, {low, block_y - size, high - low, 2 * size},
                        {Target::Kind::block, view.launch_id, block, block});
                free_from = x + width + view.px(6);
                break;
            }
        }
    }
}

// Covers rows and columns that a zoomed camera moves out of the room.
void cover_margins(const TreeView& view, Drawing& drawing) {
    Layer& frame = drawing.layers[frame_layer];
    const auto cover = [&](Rect r) {
        if (r.w > 0 && r.h > 0) {
            frame.boxes.push_back({.rect = r, .fill = view.theme->panel});
        }
    };
    const Rect& room = view.room;
    const Rect& area = view.area;
    cover({area.x, area.y, area.w, room.y - area.y});
    cover({area.x, room.bottom(), area.w, area.bottom() - room.bottom()});
    const Rect gutter{room.right(), room.y, area.right() - room.right(), room.h};
    cover(gutter);
    add_band(view, frame, gutter);
}

// The note on what is not drawn individually.
std::string note_text(const TreeView& view, const Thinned& thinned) {
    if (view.detail == Detail::cells) {
        return thinned.lines > 1 ? fmt::format("where they are closest, 1 line of {} is drawn", thinned.lines) : "";
    }
    if (view.detail == Detail::warps) {
        return thinned.shades ? "each bar is a warp; brighter means more active lanes"
                              : "each bar is a warp; its stripes are the active lanes";
    }
    const std::string bar =
        thinned.blocks > 1 ? fmt::format("each bar is {} blocks", thinned.blocks) : "each bar is a block";
    return bar + (thinned.shades ? "; brighter means more active threads" : "; its stripes are the active warps");
}

void add_note(const TreeView& view, const Thinned& thinned, Layer& layer) {
    const Rect line{view.area.x, view.area.bottom() - view.note, view.area.w, view.note};
    const std::string text = view.note > 0 ? note_text(view, thinned) : "";
    if (!text.empty()) {
        put_text(layer, *view.measure, line,
                 {{line.x + view.px(2), line.y + line.h / 2},
                  Align::left,
                  Face::sans,
                  view.px(12),
                  view.theme->muted,
                  text});
    }
}

} // namespace

std::optional<CellPlace> place_in_tree(const ViewContext& context, Rect area, const Camera& camera,
                                       const Target& node) {
    auto p = prepare_tree(context, area);
    if (!p || is_host(*context.trace, context.moment) || node.kind != Target::Kind::node ||
        node.launch != p->view.launch_id || node.index >= p->index->cell_of.size() ||
        p->index->cell_of[node.index] == kNone) {
        return std::nullopt;
    }
    lay_out_tree(p->view, camera, p->strip);
    const Node& it = p->view.launch->nodes[node.index];
    const std::uint32_t cell = p->index->cell_of[node.index];
    const float x = p->view.detail == Detail::cells
                        ? TreeRows(p->view).x(cell)
                        : p->view.x(it.block, static_cast<float>(p->index->cells[cell].column));
    return CellPlace{{x, p->view.y(it.step)}, p->view.room};
}

Drawing draw_tree(const ViewContext& context, Rect area, const Camera& camera) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(tree_layers);
    auto prepared = prepare_tree(context, area);
    if (!prepared) {
        return drawing;
    }
    auto& [view, index, tree, strip] = *prepared;
    if (is_host(*context.trace, context.moment)) {
        const float above = tree ? 0 : strip; // the launches stay where they are
        add_launch_tree(view, {area.x, area.y + above, area.w, area.h - above}, drawing);
        if (above > 0) {
            add_launch_strip(view, {area.x, area.y, area.w, strip}, drawing);
        }
        return drawing;
    }
    lay_out_tree(view, camera, strip);
    add_band(view, drawing.layers[band_layer], view.room);
    cover_margins(view, drawing);
    const std::optional<TreeRows> rows = view.detail == Detail::cells ? std::optional<TreeRows>(view) : std::nullopt;
    add_note(view, rows ? add_tree_cells(view, *rows, drawing) : add_tree_bars(view, drawing),
             drawing.layers[frame_layer]);
    add_barriers(view, drawing);
    add_hidden_rows(view, drawing);
    add_step_labels(view, drawing);
    add_warp_marks(view, rows ? &*rows : nullptr, drawing);
    if (tree) {
        const float rule = view.px(9);
        add_launch_tree(view, {area.x, area.y, area.w, strip - rule}, drawing);
        drawing.layers[frame_layer].boxes.push_back(
            {.rect = {area.x, area.y + strip - rule, area.w, view.px(1)}, .fill = context.theme->line});
    } else if (strip > 0) {
        add_launch_strip(view, {area.x, area.y, area.w, strip}, drawing);
    }
    return drawing;
}

} // namespace warptree::scene
