// Rows of cells in the tree view: edges and moving values here, the cells themselves in tree_cells.cpp.
#pragma once

#include "app/trace/explain/values.hpp"
#include "app/views/tree/tree_layout.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

enum class Time : std::uint8_t { done, current, to_come };

// How the cells of a row are drawn: all alike, so that a row is recognizable as one.
struct RowStyle {
    float cell = 1;  // width
    float disc = 0;  // diameter; 0: no discs
    float text = 0;  // pixels per em; 0: no values
    int digits = 17; // of floating-point values
    Time time = Time::done;
};

// A value moving from one cell to another.
struct Traveller {
    Point at;
    std::uint32_t node, step;
};

class Cells {
  public:
    Cells(const TreeView& view, Drawing& drawing) : view_(view), drawing_(drawing), theme_(*view.theme) {
        for (const Target& target : {view.context->selected, view.context->partner, view.context->hover}) {
            mark(target);
        }
        for (std::uint32_t row = 0; row < view.steps(); ++row) {
            styles_.push_back(style(row));
        }
    }

    Thinned draw() {
        const TreeIndex& index = *view_.index;
        for (std::uint32_t b = 0; b < index.blocks; ++b) {
            const std::uint32_t block = index.first_block + b;
            if (!in_sight(block)) {
                continue;
            }
            for (std::uint32_t row = 0; row < view_.steps(); ++row) {
                const float y = view_.y(row);
                if (y + view_.row_pitch < view_.room.y) {
                    continue;
                }
                empties(block, row);
                passes(index.row(block, row), row);
                edges(index.row(block, row), row);
                cells(index.row(block, row), block, row);
            }
            outputs(block);
        }
        return thinned_;
    }

  private:
    bool in_sight(std::uint32_t block) const {
        const float low = view_.x(block, -0.5F);
        return view_.visible_x(low - view_.px(40),
                               low + view_.pitch * static_cast<float>(view_.index->columns) + view_.px(40));
    }

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
        return value_text(*view_.trace, view_.launch->nodes[node], digits);
    }

    RowStyle style(std::uint32_t row) const {
        RowStyle s;
        s.time = time_of(row);
        const TreeIndex& index = *view_.index;
        const std::uint32_t closest = index.closest[row];
        float room = closest == kNone ? view_.px(140) : static_cast<float>(closest) * view_.pitch;
        if (const std::uint32_t across = index.across[row]; across != kNone) {
            const float gap = view_.block_pitch - view_.pitch * static_cast<float>(index.columns);
            room = std::min(room, static_cast<float>(across) * view_.pitch + gap);
        }
        const float base = std::min(view_.pitch * 0.86F, view_.cell_height * 1.25F);
        s.cell = std::max(base, 1.0F);
        // The widest value determines the size for the whole row.
        const float most = std::min(
            view_.px(18), std::max(view_.cell_height * 0.5F, std::min(view_.px(13), view_.cell_height * 0.72F)));
        const float least = view_.px(7.5F);
        float units = 0;
        if (most >= least && room >= view_.px(9)) {
            for (const int digits : {17, 7, 4}) {
                units = 0;
                for (std::uint32_t b = 0; b < index.blocks; ++b) {
                    if (!in_sight(index.first_block + b)) {
                        continue;
                    }
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
    // A cell alone in its row and wider than its column, at the room's edge: moved inside while its middle is visible.
    Rect kept(Rect r) const {
        const float middle = r.x + r.w / 2;
        const Rect& room = view_.room;
        if (r.w > view_.pitch && middle > room.x && middle < room.right()) {
            r.x = std::clamp(r.x, room.x + 1, std::max(room.x + 1, room.right() - r.w - 1));
        }
        return r;
    }
    float cell_top(std::uint32_t row) const { return view_.y(row) - view_.cell_height / 2; }
    Point disc_center(std::uint32_t block, const TreeCell& cell, std::uint32_t row) const {
        return {view_.x(block, static_cast<float>(cell.column)), cell_top(row) - view_.px(6) - styles_[row].disc / 2};
    }

    void empties(std::uint32_t block, std::uint32_t row) {
        if (view_.index->scan || view_.pitch < view_.px(9) || view_.launch->steps[row].kind == StepKind::store ||
            view_.hidden(row)) {
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
                drawing_.layers[empty_layer].boxes.push_back(
                    {.rect = rect,
                     .radius = view_.px(3),
                     .fill = kClear,
                     .stroke = mix(theme_.panel, theme_.faint, 0.35F), // equally muted in each theme
                     .stroke_width = view_.px(1)});
            }
        }
    }

    // Values of a scan that run down their columns to where another column uses them.
    void passes(const TreeRow& r, std::uint32_t row) {
        if (!view_.index->scan) {
            return;
        }
        const float room = std::max(view_.px(5), 1.0F);
        const auto every = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(room / std::max(0.01F, view_.pitch))));
        thinned_.lines = std::max(thinned_.lines, every);
        for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
            const std::uint32_t to = view_.index->passed_to[c];
            const TreeCell& cell = view_.index->cells[c];
            const bool highlighted = lit(cell.node);
            if (to <= row || (!highlighted && cell.column % every != 0)) {
                continue;
            }
            const float x = view_.x(view_.launch->nodes[cell.node].block, static_cast<float>(cell.column));
            if (view_.visible_x(x, x)) {
                drawing_.layers[empty_layer].curves.push_back(straight(
                    {x, view_.y(row) + view_.cell_height / 2}, {x, view_.y(to) + view_.cell_height / 2}, view_.px(1),
                    row > view_.step ? with_alpha(theme_.faint, 0.55F)
                    : highlighted    ? theme_.text
                                     : with_alpha(theme_.muted, 0.6F)));
            }
        }
    }

    // Where an edge of `row` leaves the column of its source: below the source, or in a scan below the row above.
    float edge_start(std::uint32_t source_row, std::uint32_t row, bool same_column) const {
        const bool passed = view_.index->scan && !same_column && row > 0;
        return view_.y(passed ? row - 1 : source_row) + view_.cell_height / 2;
    }

    void edges(const TreeRow& r, std::uint32_t row) {
        const RowStyle& s = styles_[row];
        std::vector<Traveller> aside; // drawn after those that move straight down, which take precedence for text
        // Lines closer than this would merge: only the lines of every k-th cell are drawn.
        const std::uint32_t closest = view_.index->closest[row];
        const float spacing = view_.pitch * static_cast<float>(closest == kNone ? 1000U : closest);
        float apart = spacing < view_.px(5) ? view_.px(18) : spacing;
        if (spacing < view_.px(9)) {
            // Long oblique lines lie closer together than the cells they come from.
            float far = 1;
            for (std::uint32_t e = r.first_edge; e < r.first_edge + r.edges; ++e) {
                const auto from = static_cast<float>(view_.index->cells[view_.index->edges[e].from].column);
                const auto to = static_cast<float>(view_.index->cells[view_.index->edges[e].to].column);
                far = std::max(far, std::abs(from - to) * view_.pitch);
            }
            const float slope = 1.5F * (view_.row_pitch - view_.cell_height) / far;
            apart = std::max(apart, std::min(view_.px(40), view_.px(3) / std::max(slope, 0.01F)));
        }
        const auto every = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(apart / spacing)));
        thinned_.lines = r.edges > 2 ? std::max(thinned_.lines, every) : thinned_.lines;
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
            Curve curve = falling({x0, edge_start(source.step, row, x0 == x1)}, {x1, end}, width, color);
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

    // A moving value; a dot if its text does not fit or would cover another.
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
    std::vector<Rect> pills_;       // of moving values
    Thinned thinned_;
};

} // namespace warptree::scene
