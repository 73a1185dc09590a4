#include "app/views/tree/tree_layout.hpp"

#include "app/trace/explain/report_program.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {
// A program's launches are in its story: only how many blocks the shown one has is left to say.
bool wants_strip(const Trace& trace, const Launch& shown) {
    if (is_program(trace)) {
        return shown.grid > 1;
    }
    return trace.launches.size() > 1 || trace.host_partials > 1 ||
           (!trace.launches.empty() && trace.launches[0].grid > 1);
}

float widest_label(const TreeView& view) {
    float widest = 0;
    for (const Step& step : view.launch->steps) {
        widest = std::max(widest, view.measure->width(step.label, Face::sans_bold, view.px(kLabelSize)));
    }
    return widest;
}
} // namespace

std::uint32_t TreeView::shown(const TreeCell& cell) const {
    const Target& selected = context->selected;
    const Node& last = launch->nodes[cell.node];
    if (selected.launch != launch_id || selected.block != last.block) {
        return cell.node;
    }
    const bool thread = selected.kind == Target::Kind::thread;
    if (!(thread && last.thread != selected.index) && selected.kind != Target::Kind::node) {
        return cell.node;
    }
    const std::span<const std::uint32_t> nodes = index->nodes_of(cell);
    const auto own = std::find_if(nodes.rbegin(), nodes.rend(), [&](std::uint32_t node) {
        return thread ? launch->nodes[node].thread == selected.index : node == selected.index;
    });
    return own == nodes.rend() ? cell.node : *own;
}

void lay_out_tree(TreeView& view, const Camera& camera, float strip_height) {
    const TreeIndex& index = *view.index;
    const Rect& area = view.area;
    const float gutter = widest_label(view) + view.px(22);
    const float wide = std::max(1.0F, area.w - gutter);
    const auto columns = static_cast<float>(index.columns);
    const auto blocks = static_cast<float>(std::max(1U, index.blocks));
    const float margin = std::min(view.px(26), wide / 10);
    const float gap = blocks > 1 ? std::min(view.px(18), wide / (blocks * 5)) : 0;
    const float pitch =
        std::min(view.px(112), std::max(0.001F, (wide - 2 * margin - gap * (blocks - 1)) / (columns * blocks)));
    view.crowded = pitch < view.px(kCrowdedPitch);

    const auto least_rows = static_cast<float>(index.steps) * view.px(13);
    const float spare = area.h - strip_height - least_rows; // labels below only if rows keep their height
    view.note = pitch < view.px(kThinnedPitch) && spare >= view.px(18) ? view.px(18) : 0;
    const float left = spare - view.note;
    const float labels = index.blocks > 1 && left >= view.px(46) ? view.px(46) : left >= view.px(24) ? view.px(24) : 0;
    view.room = {area.x, area.y + strip_height, wide, std::max(1.0F, area.h - strip_height - labels - view.note)};
    const Rect& room = view.room;

    const float zoom = std::max(camera.zoom, 0.01F);
    const float rows_zoom = std::max(row_zoom(camera), 0.01F);
    const float used = pitch * columns * blocks + gap * (blocks - 1);
    view.pitch = pitch * zoom;
    view.freedom = std::clamp(2 - zoom, 0.0F, 1.0F);
    view.block_pitch = (pitch * columns + gap) * zoom;
    view.left = area.x + camera.pan_x + zoom * (room.x - area.x + (room.w - used) / 2);

    const auto rows = static_cast<float>(std::max(1U, index.steps));
    // Cells hold digits that are legible from the back of a room.
    const float most_cell = std::clamp(pitch * 2, view.px(24), view.px(40));
    view.ticks = std::min(view.px(16), room.h / (rows * 6));
    const float row_pitch = std::min(view.px(150), (room.h - view.ticks - view.px(6)) / rows);
    const float height = row_pitch * rows + view.ticks;
    view.row_pitch = row_pitch * rows_zoom;
    view.cell_height = std::min(most_cell * std::max(1.0F, std::min(zoom, 1.5F)), view.row_pitch * 0.6F);
    const float first = (room.h - height) / 2 + view.ticks + row_pitch / 2;
    view.top = area.y + camera.pan_y + rows_zoom * (strip_height + first);

    const float warp = view.pitch * std::min<float>(kWarpSize, columns);
    view.detail = has_cells(view, view.pitch) ? Detail::cells : warp >= view.px(9) ? Detail::warps : Detail::blocks;
}

std::optional<PreparedTree> prepare_tree(const ViewContext& context, const Rect& area) {
    if (!can_draw(context, area)) {
        return std::nullopt;
    }
    PreparedTree p;
    TreeView& view = p.view;
    view.context = &context;
    view.trace = context.trace;
    view.launch = shown_launch(*context.trace, context.moment, &view.launch_id);
    view.theme = context.theme;
    view.measure = context.measure;
    view.scale = context.scale;
    if (view.launch == nullptr || view.launch->steps.empty()) {
        return std::nullopt;
    }
    p.index = tree_index(*context.trace, view.launch_id);
    view.index = p.index.get();
    view.step = current_step(*context.trace, context.moment);
    view.phase = is_host(*context.trace, context.moment) ? 1 : std::clamp(context.moment.phase, 0.0F, 1.0F);
    view.area = area;
    // The launch tree if there is height for it and the blocks; else the launches in one line.
    const float tall = launch_tree_height(view);
    p.tree = context.trace->launches.size() > 1 && !is_program(*context.trace) &&
             area.h - tall >= view.px(22) * (view.steps() + 3.0F);
    p.strip = p.tree ? tall : wants_strip(*context.trace, *view.launch) && area.h > view.px(190) ? view.px(54) : 0;
    return p;
}

void zoom_about(Camera& camera, const Rect& area, Point fixed, float factor, float least, float most) {
    const Camera before = camera;
    camera.zoom = std::clamp(camera.zoom * factor, least, most);
    const float x = fixed.x - area.x;
    const float y = fixed.y - area.y;
    camera.pan_x = x - (x - before.pan_x) * camera.zoom / before.zoom;
    camera.pan_y = y - (y - before.pan_y) * row_zoom(camera) / row_zoom(before);
}

} // namespace warptree::scene
