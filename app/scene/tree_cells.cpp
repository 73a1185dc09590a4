#include "app/scene/tree_layout.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {

enum class Time : std::uint8_t { done, current, to_come };

// How one row of cells is drawn: alike for all its cells, so that rows read as rows.
struct RowStyle {
    float cell = 1;  // width
    float disc = 0;  // diameter; 0: no discs
    float text = 0;  // pixels an em; 0: no values
    int digits = 17; // of floating values
    Time time = Time::done;
};

// A value on its way from one cell to another.
struct Traveller {
    Point at;
    std::uint32_t node, step;
};

class Cells {
  public:
    Cells(const TreeView& view, Drawing& drawing) : view_(view), drawing_(drawing), theme_(*view.theme) {
        for (const Target& target : {view.context->selected, view.context->hover}) {
            mark(target);
        }
        for (std::uint32_t row = 0; row < view.steps(); ++row) {
            styles_.push_back(style(row));
        }
    }

    void draw() {
        const TreeIndex& index = *view_.index;
        for (std::uint32_t b = 0; b < index.blocks; ++b) {
            const std::uint32_t block = index.first_block + b;
            const float low = view_.x(block, -0.5F);
            if (!view_.visible_x(low - view_.px(40),
                                 low + view_.pitch * static_cast<float>(index.columns) + view_.px(40))) {
                continue;
            }
            for (std::uint32_t row = 0; row < view_.steps(); ++row) {
                const float y = view_.y(row);
                if (y + view_.row_pitch < view_.room.y) {
                    continue;
                }
                empties(block, row);
                edges(index.row(block, row), row);
                cells(index.row(block, row), block, row);
            }
            outputs(block);
        }
    }

  private:
    void mark(const Target& target) {
        if (target.kind == Target::Kind::none || target.launch != view_.launch_id) {
            return;
        }
        const auto& nodes = view_.launch->nodes;
        if (target.kind == Target::Kind::node) {
            const auto flags = subtree(*view_.launch, target.index);
            lit_.resize(nodes.size());
            for (std::size_t i = 0; i < flags.size(); ++i) {
                lit_[i] = static_cast<std::uint8_t>(lit_[i] | flags[i]);
            }
            return;
        }
        const auto belongs = [&](const Node& node) {
            switch (target.kind) {
            case Target::Kind::thread: return node.thread == target.index;
            case Target::Kind::warp: return node.thread / kWarpSize == target.index;
            case Target::Kind::word: return node.word == target.index;
            default: return false;
            }
        };
        lit_.resize(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].block == target.block && belongs(nodes[i])) {
                lit_[i] = 1;
            }
        }
    }
    bool lit(std::uint32_t node) const { return node < lit_.size() && lit_[node] != 0; }

    Time time_of(std::uint32_t row) const {
        return row < view_.step ? Time::done : row > view_.step ? Time::to_come : Time::current;
    }

    std::string value(std::uint32_t node, int digits) const {
        return short_value({view_.trace->options.type, view_.launch->nodes[node].bits}, digits);
    }

    RowStyle style(std::uint32_t row) const {
        RowStyle s;
        s.time = time_of(row);
        const TreeIndex& index = *view_.index;
        const std::uint32_t closest = index.closest[row];
        const float room = closest == kNone ? view_.px(140) : static_cast<float>(closest) * view_.pitch;
        const float base = std::min(view_.pitch * 0.86F, view_.cell_height * 1.25F);
        s.cell = std::max(base, 1.0F);
        // The widest value decides for the whole row.
        const float most = std::min(
            view_.px(18), std::max(view_.cell_height * 0.5F, std::min(view_.px(13), view_.cell_height * 0.72F)));
        const float least = view_.px(7.5F);
        float units = 0;
        if (most >= least && room >= view_.px(9)) {
            for (const int digits : {17, 7, 4}) {
                units = 0;
                for (std::uint32_t b = 0; b < index.blocks; ++b) {
                    const TreeRow& r = index.row(index.first_block + b, row);
                    for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
                        units = std::max(units, static_cast<float>(value(index.cells[c].node, digits).size()));
                    }
                }
                units = units * view_.measure->width("0", Face::mono, 1);
                s.digits = digits;
                if (units * std::min(most, view_.px(11)) + view_.px(5) <= room * 0.92F ||
                    !is_floating(view_.trace->options.type)) {
                    break;
                }
            }
            const float size = units > 0 ? std::min(most, (room * 0.92F - view_.px(4)) / units) : 0;
            if (size >= least) {
                s.text = size;
                s.cell = std::max(s.cell, units * size + view_.px(6));
            }
        }
        const float between = view_.row_pitch - view_.cell_height;
        const float digits = static_cast<float>(std::to_string(view_.launch->block - 1).size());
        const float disc =
            std::max(view_.px(15), digits * view_.measure->width("0", Face::mono, view_.px(9.5F)) + view_.px(7));
        s.disc =
            row > 0 && s.time != Time::to_come && disc + view_.px(14) <= between && disc <= room * 0.95F ? disc : 0;
        return s;
    }

    float disc_text() const { return std::clamp(view_.cell_height * 0.4F, view_.px(9.5F), view_.px(13)); }
    float cell_top(std::uint32_t row) const { return view_.y(row) - view_.cell_height / 2; }
    Point disc_center(std::uint32_t block, const TreeCell& cell, std::uint32_t row) const {
        return {view_.x(block, static_cast<float>(cell.column)), cell_top(row) - view_.px(6) - styles_[row].disc / 2};
    }

    void empties(std::uint32_t block, std::uint32_t row) {
        if (view_.pitch < view_.px(9) || view_.launch->steps[row].kind == StepKind::store) {
            return;
        }
        const float width = std::min(view_.pitch * 0.86F, view_.cell_height * 1.25F);
        const TreeRow& r = view_.index->row(block, row);
        std::uint32_t next = r.first_cell;
        for (std::uint32_t column = 0; column < view_.index->columns; ++column) {
            if (next < r.first_cell + r.cells && view_.index->cells[next].column == column) {
                ++next;
                continue;
            }
            const Rect rect{view_.x(block, static_cast<float>(column)) - width / 2, cell_top(row), width,
                            view_.cell_height};
            if (intersect(rect, view_.room).w > 0) {
                drawing_.layers[empty_layer].boxes.push_back({.rect = rect,
                                                              .radius = view_.px(3),
                                                              .fill = kClear,
                                                              .stroke = with_alpha(theme_.line, 0.75F),
                                                              .stroke_width = view_.px(1)});
            }
        }
    }

    void edges(const TreeRow& r, std::uint32_t row) {
        const RowStyle& s = styles_[row];
        std::vector<Traveller> aside; // after those that fall straight, which keep their values
        // Lines closer than this melt into one another: every k-th cell's stand for all.
        const std::uint32_t closest = view_.index->closest[row];
        const float spacing = view_.pitch * static_cast<float>(closest == kNone ? 1000U : closest);
        const auto every = static_cast<std::uint32_t>(
            std::max(1.0F, std::ceil(spacing < view_.px(5) ? view_.px(18) / spacing : 1.0F)));
        for (std::uint32_t e = r.first_edge; e < r.first_edge + r.edges; ++e) {
            const TreeEdge& edge = view_.index->edges[e];
            const TreeCell& from = view_.index->cells[edge.from];
            const TreeCell& to = view_.index->cells[edge.to];
            const Node& source = view_.launch->nodes[from.node];
            const Node& node = view_.launch->nodes[to.node];
            const float x0 = view_.x(source.block, static_cast<float>(from.column));
            const float x1 = view_.x(node.block, static_cast<float>(to.column));
            if (!view_.visible_x(std::min(x0, x1), std::max(x0, x1))) {
                continue;
            }
            const bool highlighted = lit(from.node) && lit(to.node);
            if (!highlighted && (edge.to - r.first_cell) % every != 0) {
                continue;
            }
            const float end = s.disc > 0 ? disc_center(node.block, to, row).y - s.disc / 2 : cell_top(row);
            Color color = s.time == Time::to_come ? with_alpha(theme_.faint, 0.55F)
                                                  : with_alpha(theme_.muted, node.useful ? 0.8F : 0.4F);
            float width = view_.px(1);
            if (s.time == Time::current) {
                color = node.useful ? theme_.accent : with_alpha(theme_.accent, 0.6F);
                width = view_.px(1.8F);
            }
            if (highlighted) {
                color = theme_.text;
                width = view_.px(2.2F);
            }
            if (view_.pitch < view_.px(6) && !highlighted) {
                width = std::max(0.7F, width * 0.6F);
            }
            Curve curve = falling({x0, view_.y(source.step) + view_.cell_height / 2}, {x1, end}, width, color);
            if (!node.useful && view_.pitch >= view_.px(7)) {
                curve.dash = view_.px(3);
            }
            Layer& layer = drawing_.layers[s.time == Time::current || highlighted ? cell_layer : empty_layer];
            layer.curves.push_back(curve);
            if (s.time == Time::current && view_.phase < 1.0F / 3) {
                const Traveller it{along(curve, view_.phase * 3), from.node, source.step};
                if (x0 == x1) {
                    traveller(it.at, it.node, styles_[it.step]);
                } else {
                    aside.push_back(it);
                }
            }
        }
        for (const Traveller& it : aside) {
            traveller(it.at, it.node, styles_[it.step]);
        }
    }

    // A value on its way; a dot where its text has no room or would cover another.
    void traveller(Point at, std::uint32_t node, const RowStyle& s) {
        Layer& marks = drawing_.layers[mark_layer];
        const std::string text = s.text > 0 && node != kNone ? value(node, s.digits) : "";
        const float size = std::max(view_.px(8), s.text * 0.9F);
        const float width = text.empty() ? view_.px(6) : view_.measure->width(text, Face::mono, size) + view_.px(6);
        if (!text.empty() && width <= s.cell * 1.2F) {
            const Rect pill{at.x - width / 2, at.y - size * 0.7F, width, size * 1.4F};
            const bool apart =
                std::none_of(pills_.begin(), pills_.end(), [&](const Rect& r) { return r.overlaps(pill); });
            if (apart && put_text(marks, *view_.measure, view_.room,
                                  {at, Align::center, Face::mono, size, theme_.background, text})) {
                marks.boxes.push_back({.rect = pill, .radius = pill.h / 2, .fill = theme_.accent});
                pills_.push_back(pill);
                return;
            }
        }
        const float d = std::clamp(view_.pitch * 0.8F, 2.0F, view_.px(7));
        const Rect dot{at.x - d / 2, at.y - d / 2, d, d};
        if (inside(view_.room, dot)) {
            marks.boxes.push_back({.rect = dot, .radius = d / 2, .fill = theme_.accent});
        }
    }

    void cells(const TreeRow& r, std::uint32_t block, std::uint32_t row);
    void cell(const TreeCell& cell, std::uint32_t id, std::uint32_t block, std::uint32_t row);
    void disc(const TreeCell& cell, std::uint32_t block, std::uint32_t row);
    void loaded(const TreeCell& cell, const Rect& rect, const RowStyle& s);
    void hazard(const Rect& rect);
    void outputs(std::uint32_t block);

    const TreeView& view_;
    Drawing& drawing_;
    const Theme& theme_;
    std::vector<std::uint8_t> lit_; // by node
    std::vector<RowStyle> styles_;  // by step
    std::vector<Rect> pills_;       // of values on their way
};

void Cells::cells(const TreeRow& r, std::uint32_t block, std::uint32_t row) {
    const float reach = styles_[row].cell / 2;
    for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
        const TreeCell& it = view_.index->cells[c];
        const float x = view_.x(block, static_cast<float>(it.column));
        if (x + reach > view_.room.x && x - reach < view_.room.right()) {
            cell(it, c, block, row);
        }
    }
}

void Cells::cell(const TreeCell& cell, std::uint32_t id, std::uint32_t block, std::uint32_t row) {
    const RowStyle& s = styles_[row];
    const Node& node = view_.launch->nodes[cell.node];
    const bool tiny = s.cell < view_.px(7);
    const Rect rect{view_.x(block, static_cast<float>(cell.column)) - s.cell / 2, cell_top(row), s.cell,
                    view_.cell_height};
    const bool pending = s.time == Time::current && view_.phase < 1;
    const bool ghost = s.time == Time::to_come || pending;

    Box box{.rect = rect, .radius = std::min(view_.px(3), s.cell / 4), .fill = theme_.panel};
    box.stroke_width = tiny ? std::min(1.0F, s.cell / 4) : view_.px(1);
    Color ink = theme_.text;
    if (ghost) {
        box.stroke = pending ? theme_.accent : with_alpha(theme_.faint, 0.7F);
    } else if (s.time == Time::current) {
        box.fill = node.useful ? theme_.accent_fill : theme_.panel;
        box.stroke = theme_.accent;
        box.stroke_width = tiny ? box.stroke_width : view_.px(1.6F);
        if (tiny && node.useful) {
            box.fill = theme_.accent;
        }
    } else if (node.useful) {
        box.fill = tiny ? mix(theme_.panel, theme_.muted, 0.75F) : theme_.off;
        box.stroke = with_alpha(theme_.muted, 0.8F);
    } else {
        box.stroke = theme_.faint;
        ink = theme_.muted;
    }
    if (node.kind == NodeKind::identity && !ghost) {
        box.fill = theme_.panel;
        box.pattern = Pattern::hatch;
        box.pattern_color = with_alpha(theme_.faint, 0.8F);
        ink = theme_.muted;
    }
    if (lit(cell.node)) {
        box.stroke = theme_.text;
        box.stroke_width = std::min(view_.px(2.2F), s.cell / 3);
    }
    drawing_.layers[cell_layer].boxes.push_back(box);

    const bool arrived = s.time == Time::done || (s.time == Time::current && !pending);
    if (arrived && s.text > 0 && node.kind != NodeKind::identity) {
        put_text(drawing_.layers[cell_layer], *view_.measure, view_.room,
                 {{rect.x + rect.w / 2, rect.y + rect.h / 2},
                  Align::center,
                  Face::mono,
                  s.text,
                  ink,
                  value(cell.node, s.digits)});
    }
    if (row == 0 || cell.leaves > 1) {
        loaded(cell, rect, s);
    }
    if (node.kind == NodeKind::combine && row > 0) {
        disc(cell, block, row);
    }
    if (view_.index->hazardous[id] != 0 && s.time != Time::to_come) {
        hazard(rect);
    }
    put_hit(drawing_, view_.room, rect, {Target::Kind::node, view_.launch_id, block, cell.node, row});
}

void Cells::disc(const TreeCell& cell, std::uint32_t block, std::uint32_t row) {
    const RowStyle& s = styles_[row];
    if (s.disc <= 0) {
        return;
    }
    const Node& node = view_.launch->nodes[cell.node];
    const Point at = disc_center(block, cell, row);
    const bool now = s.time == Time::current;
    const bool combining = now && view_.phase >= 1.0F / 3 && view_.phase < 2.0F / 3;
    Layer& layer = drawing_.layers[cell_layer];
    const float end = cell_top(row);
    const Color edge = now ? theme_.accent : with_alpha(theme_.muted, node.useful ? 0.8F : 0.4F);
    const Curve down = straight({at.x, at.y + s.disc / 2}, {at.x, end}, view_.px(now ? 1.8F : 1.0F),
                                lit(cell.node) ? theme_.text : edge);
    layer.curves.push_back(down);
    const Rect rect{at.x - s.disc / 2, at.y - s.disc / 2, s.disc, s.disc};
    Box box{.rect = rect,
            .radius = s.disc / 2,
            .fill = combining ? theme_.accent : theme_.panel,
            .stroke = edge,
            .stroke_width = view_.px(now ? 1.6F : 1.0F)};
    if (lit(cell.node)) {
        box.stroke = theme_.text;
    }
    layer.boxes.push_back(box);
    put_text(layer, *view_.measure, view_.room,
             {at, Align::center, Face::mono, disc_text(),
              combining ? theme_.background
              : now     ? theme_.accent
                        : theme_.muted,
              std::to_string(node.thread)});
    if (now && view_.phase >= 2.0F / 3 && view_.phase < 1) {
        const float t = (view_.phase - 2.0F / 3) * 3;
        traveller({at.x, at.y + (view_.y(row) - at.y) * t}, cell.node, s);
    }
    put_hit(drawing_, view_.room, rect, {Target::Kind::thread, view_.launch_id, block, node.thread, row});
}

// Several elements a thread: a tick each, or their number.
void Cells::loaded(const TreeCell& cell, const Rect& rect, const RowStyle& s) {
    if (cell.leaves < 2 || s.time == Time::to_come || view_.ticks < view_.px(5)) {
        return;
    }
    Layer& layer = drawing_.layers[cell_layer];
    const auto count = static_cast<float>(cell.leaves);
    const float middle = rect.x + rect.w / 2;
    const std::string text = "×" + std::to_string(cell.leaves);
    const float size = view_.px(10);
    const float step = std::min(view_.px(5), rect.w / count);
    if (step >= view_.px(2.4F)) {
        for (std::uint32_t i = 0; i < cell.leaves; ++i) {
            const float x = middle + (static_cast<float>(i) - (count - 1) / 2) * step;
            layer.curves.push_back(
                straight({x, rect.y - view_.px(7)}, {x, rect.y - view_.px(1.5F)}, view_.px(1.4F), theme_.muted));
        }
    } else if (view_.measure->width(text, Face::mono, size) <= view_.pitch * 0.95F && view_.ticks >= size) {
        put_text(layer, *view_.measure, view_.room,
                 {{middle, rect.y - view_.px(7)}, Align::center, Face::mono, size, theme_.muted, text});
    }
}

// A ring and a "!" at the corner; small cells are filled and crossed.
void Cells::hazard(const Rect& rect) {
    Layer& marks = drawing_.layers[mark_layer];
    if (rect.w < view_.px(12)) {
        marks.boxes.push_back(
            {.rect = rect, .fill = theme_.hazard, .pattern = Pattern::cross_hatch, .pattern_color = theme_.panel});
        return;
    }
    const Rect ring = inset(rect, -view_.px(2));
    marks.boxes.push_back(
        {.rect = ring, .radius = view_.px(4), .fill = kClear, .stroke = theme_.hazard, .stroke_width = view_.px(2)});
    const float d = view_.px(11);
    const Rect badge{rect.right() - d * 0.4F, rect.y - d * 0.7F, d, d};
    if (view_.pitch >= d * 1.8F && inside(view_.room, badge)) {
        marks.boxes.push_back({.rect = badge, .radius = d / 2, .fill = theme_.hazard});
        marks.texts.push_back(
            {{badge.x + d / 2, badge.y + d / 2}, Align::center, Face::sans_bold, view_.px(9), theme_.panel, "!"});
    }
}

// What leaves the block, in the row of the step that stores it.
void Cells::outputs(std::uint32_t block) {
    const auto count = std::count_if(view_.launch->outputs.begin(), view_.launch->outputs.end(),
                                     [block](const Output& output) { return output.block == block; });
    const bool alone = count <= 1 && view_.index->blocks == 1;
    const float room =
        alone ? view_.px(140) : view_.block_pitch / static_cast<float>(std::max<std::ptrdiff_t>(1, count)) * 0.92F;
    for (const Output& output : view_.launch->outputs) {
        if (output.block != block || output.node >= view_.launch->nodes.size() || output.step >= view_.steps() ||
            view_.index->cell_of[output.node] == kNone) {
            continue;
        }
        const TreeCell& from = view_.index->cells[view_.index->cell_of[output.node]];
        const Node& node = view_.launch->nodes[output.node];
        const Time time = time_of(output.step);
        const bool there = time == Time::done || (time == Time::current && view_.phase >= 1);
        const float x = view_.x(block, static_cast<float>(from.column));
        const float size = std::min(
            view_.px(18), std::max(view_.cell_height * 0.5F, std::min(view_.px(13), view_.cell_height * 0.72F)));
        std::string text = short_value({view_.trace->options.type, node.bits}, 7);
        float width = view_.measure->width(text, Face::mono, size) + view_.px(10);
        if (width > room) {
            text.clear();
            width = std::clamp(view_.pitch * 0.86F, 3.0F, view_.cell_height);
        }
        const Rect rect{x - width / 2, cell_top(output.step), width, view_.cell_height};
        Layer& layer = drawing_.layers[cell_layer];
        const Color line = there ? theme_.agree : with_alpha(theme_.faint, 0.7F);
        if (node.step != output.step && view_.visible_x(x - 1, x + 1)) {
            const Curve edge = falling({x, view_.y(node.step) + view_.cell_height / 2}, {x, rect.y},
                                       view_.px(there ? 1.6F : 1.0F), line);
            layer.curves.push_back(edge);
            if (time == Time::current && view_.phase < 1) {
                traveller(along(edge, view_.phase), output.node, styles_[output.step]);
            }
        }
        if (intersect(rect, view_.room).w <= 0) {
            continue;
        }
        layer.boxes.push_back({.rect = rect,
                               .radius = output.atomic ? rect.h / 2 : view_.px(3),
                               .fill = there ? mix(theme_.panel, theme_.agree, 0.22F) : theme_.panel,
                               .stroke = line,
                               .stroke_width = view_.px(there ? 2.0F : 1.0F)});
        if (there && !text.empty()) {
            put_text(layer, *view_.measure, view_.room,
                     {{x, rect.y + rect.h / 2}, Align::center, Face::mono, size, theme_.text, text});
        }
        put_hit(drawing_, view_.room, rect, {Target::Kind::node, view_.launch_id, block, output.node, output.step});
    }
}

} // namespace

void add_tree_cells(const TreeView& view, Drawing& drawing) { Cells(view, drawing).draw(); }

} // namespace warptree::scene
