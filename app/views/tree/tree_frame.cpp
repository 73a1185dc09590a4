#include "app/views/tree/tree_frame.hpp"

#include "app/views/tree/tree_rows.hpp"
#include "app/views/tree/tree_walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {
constexpr float kMostZoom = 65536;
constexpr float kReadableRow =
    34; // from row to row, pixels at scale 1, to leave room for lines, values and thread numbers

std::optional<PreparedTree> whole(const ViewContext& context, const Rect& area) {
    auto p = prepare_tree(context, area);
    if (!p || is_host(*context.trace, context.moment) || p->index->blocks == 0 || p->index->columns == 0) {
        return std::nullopt;
    }
    p->view.index = p->index.get();
    lay_out_tree(p->view, {}, p->strip);
    return p;
}

constexpr float kReadableCell = 40;   // from column to column, pixels at scale 1, for a value of four digits or more
constexpr float kReadableDigits = 11; // pixels per em at scale 1

// A range of columns of a block, both ends included.
struct Columns {
    std::uint32_t block = 0;
    float first = 0, last = 0;
};

// Calls `act` with each cell of a block.
template <class Do> void each_cell(const TreeIndex& index, std::uint32_t block, Do act) {
    for (std::uint32_t row = 0; row < index.steps; ++row) {
        const TreeRow& r = index.row(block, row);
        std::for_each(index.cells.begin() + r.first_cell, index.cells.begin() + r.first_cell + r.cells, act);
    }
}

// Its share of the columns, as threads and words mostly are; where nothing of the block is, the columns that it has cells in.
Columns columns_of_warp(const TreeView& view, std::uint32_t block, std::uint32_t warp) {
    const auto lead = static_cast<float>(view.index->lead);
    const float share = (static_cast<float>(view.index->columns) - lead) / static_cast<float>(view.launch->warps());
    const float first = lead + share * static_cast<float>(warp);
    const Columns columns{block, first, std::max(first, first + share - 1)};
    bool empty = true;
    std::uint32_t least = kNone, most = 0;
    each_cell(*view.index, block, [&](const TreeCell& cell) {
        const auto column = static_cast<float>(cell.column);
        empty = empty && (column < columns.first || column > columns.last);
        if (view.launch->nodes[cell.node].thread / kWarpSize == warp) {
            least = std::min(least, cell.column);
            most = std::max(most, cell.column);
        }
    });
    return !empty || least == kNone ? columns : Columns{block, static_cast<float>(least), static_cast<float>(most)};
}

// Calls `act` with the warp and both columns of each edge that ends in the step and block.
template <class Do>
void each_edge(const Launch& launch, const TreeIndex& index, std::uint32_t block, std::uint32_t step, Do act) {
    if (step >= index.steps) {
        return;
    }
    const TreeRow& row = index.row(block, step);
    for (std::uint32_t e = row.first_edge; e < row.first_edge + row.edges; ++e) {
        const TreeCell& from = index.cells[index.edges[e].from];
        const TreeCell& to = index.cells[index.edges[e].to];
        const bool own = launch.nodes[from.node].block == block; // else from another tile
        act(launch.nodes[to.node].thread / kWarpSize, own ? from.column : to.column, to.column);
    }
}

std::uint32_t first_working(const Launch& launch, const TreeIndex& index, std::uint32_t block, std::uint32_t step) {
    std::uint32_t first = kNone;
    each_edge(launch, index, block, step, [&](std::uint32_t warp, auto, auto) { first = std::min(first, warp); });
    return first;
}

// Of a block, the first warp with an active lane in the step.
std::uint32_t first_active(const TreeIndex& index, std::uint32_t block, std::uint32_t step) {
    const std::uint32_t first = (block - index.first_block) * index.warps;
    for (std::uint32_t w = 0; step < index.steps && w < index.warps; ++w) {
        if (index.lanes(step, first + w, first + w + 1).active != 0) {
            return w;
        }
    }
    return 0;
}

bool is_thread(const TreeView& view, const Target& target) {
    return target.kind == Target::Kind::thread && target.launch == view.launch_id &&
           view.launch->in_window(target.block);
}

// The cells of a thread in a step; where it has none, those in all steps.
std::optional<Columns> columns_of_thread(const TreeView& view, const Target& thread) {
    std::uint32_t least = kNone, most = 0;
    const auto gather = [&](const TreeCell& cell) {
        if (view.launch->nodes[cell.node].thread == thread.index) {
            least = std::min(least, cell.column);
            most = std::max(most, cell.column);
        }
    };
    if (view.step < view.index->steps) {
        const TreeRow& row = view.index->row(thread.block, view.step);
        std::for_each(view.index->cells.begin() + row.first_cell,
                      view.index->cells.begin() + row.first_cell + row.cells, gather);
    }
    if (least == kNone) {
        each_cell(*view.index, thread.block, gather);
    }
    return least == kNone ? std::nullopt
                          : std::optional(Columns{thread.block, static_cast<float>(least), static_cast<float>(most)});
}

// A selected thread, and the other one of its finding where that is in the same block, with room around them.
std::optional<Columns> columns_of_selected(const TreeView& view) {
    constexpr float kLeast = 16;
    const Target &selected = view.context->selected, &partner = view.context->partner;
    auto columns = is_thread(view, selected) ? columns_of_thread(view, selected) : std::nullopt;
    if (!columns) {
        return std::nullopt;
    }
    if (is_thread(view, partner) && partner.block == selected.block) {
        if (const auto other = columns_of_thread(view, partner)) {
            columns->first = std::min(columns->first, other->first);
            columns->last = std::max(columns->last, other->last);
        }
    }
    const float missing = std::max(0.0F, kLeast - (columns->last - columns->first + 1));
    const auto end = static_cast<float>(view.index->columns - 1);
    columns->first = std::max(0.0F, columns->first - std::ceil(missing / 2));
    columns->last = std::min(end, std::max(columns->last, columns->first + kLeast - 1));
    columns->first = std::max(0.0F, std::min(columns->first, columns->last - kLeast + 1));
    return columns;
}

std::optional<Columns> columns_of_work(const TreeView& view, std::uint32_t block, std::uint32_t warp) {
    std::uint32_t least = kNone, most = 0;
    const auto gather = [&](std::uint32_t wanted) {
        each_edge(*view.launch, *view.index, block, view.step,
                  [&](std::uint32_t of, std::uint32_t from, std::uint32_t to) {
                      if (of == wanted) {
                          least = std::min({least, from, to});
                          most = std::max({most, from, to});
                      }
                  });
    };
    gather(warp);
    if (least == kNone) { // the warp combines nothing
        gather(first_working(*view.launch, *view.index, block, view.step));
    }
    if (least == kNone) {
        return std::nullopt;
    }
    // Never zooms closer than a warp.
    const std::uint32_t columns = view.index->columns;
    most = std::min(std::max(most, least + kWarpSize - 1), columns - 1);
    least = std::min(least, most + 1 >= kWarpSize ? most + 1 - kWarpSize : 0);
    return Columns{block, static_cast<float>(least), static_cast<float>(most)};
}

// From column to column, so that the values of these can be read beside one another.
float readable_pitch(const TreeView& view, const Columns& columns) {
    const TreeIndex& index = *view.index;
    std::ptrdiff_t letters = 0;
    each_cell(index, columns.block, [&](const TreeCell& cell) {
        const auto column = static_cast<float>(cell.column);
        if (column >= columns.first && column <= columns.last) {
            const std::string text = cell_text(view, cell.node, kCompact);
            letters =
                std::max(letters, std::count_if(text.begin(), text.end(), [](char l) { return (l & 0xC0) != 0x80; }));
        }
    });
    const float digit = view.measure->width("0", Face::mono, view.px(kReadableDigits));
    return std::max(view.px(kReadableCell), (static_cast<float>(letters) * digit + view.px(6)) / 0.94F);
}

std::optional<Columns> columns_of(const TreeView& view, Frame frame, std::uint32_t block, std::uint32_t warp) {
    if (frame == Frame::work) {
        if (const auto selected = columns_of_selected(view)) {
            return selected;
        }
    }
    block = view.launch->in_window(block) ? block : view.index->first_block;
    if (frame == Frame::block) {
        return Columns{block, 0, static_cast<float>(view.index->columns - 1)};
    }
    if (warp >= view.launch->warps()) {
        warp = first_active(*view.index, block, view.step);
    }
    if (frame == Frame::values) {
        Columns columns = columns_of_warp(view, block, warp);
        const float readable = std::max(4.0F, std::floor(view.room.w / readable_pitch(view, columns)));
        const float end = columns.last;
        columns.last = std::min(end, columns.first + readable - 1);
        // Further right where the selected thread would not be seen.
        const Target& selected = view.context->selected;
        const auto its =
            is_thread(view, selected) && selected.block == block ? columns_of_thread(view, selected) : std::nullopt;
        if (its && its->first > columns.last && its->first <= end) {
            columns.last = std::min(end, its->first + std::floor(readable / 2));
            columns.first = columns.last - readable + 1;
        }
        return columns;
    }
    return frame == Frame::warp   ? std::optional(columns_of_warp(view, block, warp))
           : frame == Frame::work ? columns_of_work(view, block, warp)
                                  : std::nullopt;
}

// The horizontal extent of the launch in the fitted drawing, pixels.
struct Extent {
    float left = 0, right = 1;
};
Extent extent(const TreeView& view) {
    const std::uint32_t last = view.index->first_block + view.index->blocks - 1;
    return {view.x(view.index->first_block, -0.5F), view.x(last, static_cast<float>(view.index->columns) - 0.5F)};
}
} // namespace

std::string_view name(Frame frame) {
    constexpr std::array<std::string_view, kFrames.size()> kNames{"all", "block", "warp", "values", "work", "free"};
    return kNames[static_cast<std::size_t>(frame)];
}

std::optional<Frame> frame_from(std::string_view text) {
    const auto* found = std::find_if(kFrames.begin(), kFrames.end(), [&](Frame f) { return name(f) == text; });
    return found == kFrames.end() ? std::nullopt : std::optional(*found);
}

Camera camera_on(const ViewContext& context, Rect area, Frame frame, std::uint32_t block, std::uint32_t warp) {
    const auto p = whole(context, area);
    const auto columns = p ? columns_of(p->view, frame, block, warp) : std::nullopt;
    if (!columns) {
        return {};
    }
    const TreeView& view = p->view;
    const Rect& room = view.room;
    const float low = view.x(columns->block, columns->first - 0.5F) - area.x;
    const float high = view.x(columns->block, columns->last + 0.5F) - area.x;
    const float margin = std::min(view.px(26), room.w / 10);
    Camera camera;
    camera.zoom = std::clamp((room.w - 2 * margin) / std::max(high - low, 1e-3F), 1.0F, kMostZoom);
    if (camera.zoom < 1.05F) {
        return {}; // practically everything fits
    }
    camera.pan_x = room.w / 2 - camera.zoom * (low + high) / 2;
    camera.rows = has_cells(view, view.pitch * camera.zoom)
                      ? std::clamp(view.px(kReadableRow) / view.row_pitch, 1.0F, kMostRowZoom)
                      : 1.0F;
    camera.rows = std::min(camera.rows, camera.zoom);
    const float top = room.y - area.y, bottom = room.bottom() - area.y;
    const float middle = view.y(std::min(view.step, view.steps() - 1)) - view.row_pitch / 2 - area.y;
    camera.pan_y =
        std::clamp((top + bottom) / 2 - camera.rows * middle, bottom - camera.rows * bottom, top - camera.rows * top);
    return camera;
}

std::uint32_t working_warp(const ViewContext& context, std::uint32_t block) {
    std::uint32_t id = 0;
    const Launch* launch = context.trace == nullptr ? nullptr : shown_launch(*context.trace, context.moment, &id);
    if (launch == nullptr || launch->window_count == 0) {
        return 0;
    }
    const auto index = tree_index(*context.trace, id);
    const std::uint32_t warp = first_working(*launch, *index, launch->in_window(block) ? block : launch->window_first,
                                             current_step(*context.trace, context.moment));
    return warp == kNone ? 0 : warp;
}

void zoom_tree_about(const ViewContext& context, Camera& camera, Rect area, Point fixed, float factor, float most) {
    const Target under = draw_tree(context, area, camera).at(fixed);
    const auto before = place_in_tree(context, area, camera, under);
    zoom_about(camera, area, fixed, factor, 1, most);
    const auto after = place_in_tree(context, area, camera, under);
    if (before && after && camera.zoom > 1) {
        camera.pan_x += before->middle.x - after->middle.x;
    }
}

Camera between(const Camera& from, const Camera& to, float part) {
    if (part >= 1) {
        return to;
    }
    const float s = part <= 0 ? 0 : part * part * (3 - 2 * part);
    // Interpolates the zoom geometrically and the pan so that one point of the content stays in place.
    const auto go = [s](float zoom, float pan, float zoom_to, float pan_to) {
        const float at = zoom * std::pow(zoom_to / zoom, s);
        const bool zooms = std::abs(zoom_to - zoom) > 1e-3F * zoom;
        return std::pair{at, pan + (pan_to - pan) * (zooms ? (at - zoom) / (zoom_to - zoom) : s)};
    };
    Camera camera;
    std::tie(camera.zoom, camera.pan_x) = go(from.zoom, from.pan_x, to.zoom, to.pan_x);
    std::tie(camera.rows, camera.pan_y) = go(row_zoom(from), from.pan_y, row_zoom(to), to.pan_y);
    return camera;
}

namespace {
// The smallest and the largest digits of a row of values, in pixels per em; 0: it has none.
std::pair<float, float> digits(const TreeView& view) {
    if (view.detail != Detail::cells) {
        return {};
    }
    const TreeRows rows(view);
    std::pair<float, float> found{view.px(100), 0};
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        if (!view.hidden(row) && rows.cells(row) > 0) {
            const float text = rows.style(row).text;
            found = {std::min(found.first, text), std::max(found.second, text)};
        }
    }
    return found;
}
} // namespace

bool is_crowded(const ViewContext& context, Rect area) {
    const auto p = whole(context, area);
    return p && (p->view.crowded || digits(p->view).second == 0);
}

float least_digits(const ViewContext& context, Rect area) {
    const auto p = whole(context, area);
    return p ? digits(p->view).first : 0;
}

Drawing draw_map(const ViewContext& context, Rect area, const Camera& camera, Rect map) {
    Drawing drawing;
    drawing.clip = map;
    drawing.layers.resize(2);
    const auto p = whole(context, area);
    if (!p || map.w < 8 || map.h < 4) {
        return drawing;
    }
    const TreeView& view = p->view;
    const Theme& theme = *context.theme;
    Layer& layer = drawing.layers[0];
    layer.boxes.push_back({.rect = map,
                           .radius = view.px(3),
                           .fill = theme.background,
                           .stroke = theme.line,
                           .stroke_width = view.px(1)});
    const Rect inner = inset(map, view.px(3));
    const Extent all_of = extent(view);
    const float left = all_of.left, right = all_of.right;
    const auto x_of = [&](float x) { return inner.x + (x - left) / (right - left) * inner.w; };
    const std::uint32_t warps = view.launch->warps(), all = warps * view.index->blocks;
    const float wide = view.warp_pitch() / (right - left) * inner.w;
    const auto edge = [&](std::uint32_t warp) { // left edge of a warp, counted over all blocks
        return x_of(view.x(view.index->first_block + warp / warps, -0.5F) +
                    static_cast<float>(warp % warps) * view.warp_pitch());
    };
    const float row_height = inner.h / static_cast<float>(view.steps());
    const auto group =
        static_cast<std::uint32_t>(std::max(1.0F, std::ceil(2 * static_cast<float>(all) / std::max(1.0F, inner.w))));
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        if (view.hidden(row)) {
            continue;
        }
        const float y = inner.y + row_height * static_cast<float>(row);
        const Color full = row == view.step  ? theme.accent
                           : row > view.step ? mix(theme.background, theme.faint, 0.5F)
                                             : mix(theme.background, theme.accent, 0.5F);
        Color before = kClear;
        for (std::uint32_t first = 0; first < all; first += group) {
            const std::uint32_t end = std::min(first + group, all);
            const auto [active, existing] = view.index->lanes(row, first, end);
            const float share = existing == 0 ? 0 : static_cast<float>(active) / static_cast<float>(existing);
            const Color fill = active == 0 ? kClear : mix(theme.background, full, 0.3F + 0.7F * share);
            const float from = edge(first), to = std::max(from + 1, edge(end - 1) + wide);
            if (fill == before && first % warps != 0 && active != 0) { // one rectangle for equal neighbours
                layer.boxes.back().rect.w = to - layer.boxes.back().rect.x;
            } else if (active != 0) {
                layer.boxes.push_back({.rect = {from, y, to - from, std::max(1.0F, row_height * 0.72F)}, .fill = fill});
            }
            before = fill;
        }
    }
    for (std::uint32_t w = 0; w < all; w += group) {
        const float from = edge(w), to = edge(std::min(w + group, all) - 1) + wide;
        put_hit(drawing, map, {from, map.y, to - from, map.h},
                {Target::Kind::warp, view.launch_id, view.index->first_block + w / warps, w % warps});
    }
    // The visible part.
    const Rect& room = view.room;
    const float rows = row_zoom(camera);
    const auto content = [&](float x) { return area.x + (x - area.x - camera.pan_x) / camera.zoom; };
    const auto row_at = [&](float y) {
        const float fitted = area.y + (y - area.y - camera.pan_y) / rows;
        return std::clamp((fitted - view.y(0)) / view.row_pitch + 0.5F, 0.0F, static_cast<float>(view.steps()));
    };
    const float low = std::clamp(x_of(content(room.x)), map.x, map.right());
    const float high = std::clamp(x_of(content(room.right())), low, map.right());
    const float top = inner.y + row_at(room.y) * row_height - view.px(2);
    const float bottom = inner.y + row_at(room.bottom()) * row_height + view.px(2);
    const float least = view.px(4);
    Rect seen{low, top, high - low, bottom - top};
    if (seen.w < least) {
        seen = {std::clamp(low - (least - seen.w) / 2, map.x, map.right() - least), seen.y, least, seen.h};
    }
    drawing.layers[1].boxes.push_back({.rect = seen,
                                       .radius = view.px(2),
                                       .fill = with_alpha(theme.text, 0.12F),
                                       .stroke = theme.text,
                                       .stroke_width = view.px(1.5F)});
    return drawing;
}

Camera centred(const ViewContext& context, Rect area, const Camera& camera, Rect map, Point point) {
    const auto p = whole(context, area);
    if (!p) {
        return camera;
    }
    const auto [left, right] = extent(p->view);
    const Rect inner = inset(map, p->view.px(3));
    const float x = left + std::clamp((point.x - inner.x) / inner.w, 0.0F, 1.0F) * (right - left) - area.x;
    Camera moved = camera;
    moved.pan_x = p->view.room.w / 2 - camera.zoom * x;
    return moved;
}

} // namespace warptree::scene
