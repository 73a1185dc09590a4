// Rows of cells in the tree view: edges and moving values here, the cells themselves in tree_cells.cpp.
#pragma once

#include "app/views/tree/tree_rows.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

// A value moving from one cell to another.
struct Traveller {
    Point at;
    std::uint32_t node, step;
};

class Cells {
  public:
    Cells(const TreeView& view, const TreeRows& rows, Drawing& drawing)
        : view_(view), rows_(rows), drawing_(drawing), theme_(*view.theme) {
        for (const Target& target : {view.context->selected, view.context->partner, view.context->hover}) {
            mark(target);
        }
    }

    Thinned draw() {
        const TreeIndex& index = *view_.index;
        for (std::uint32_t b = 0; b < index.blocks; ++b) {
            const std::uint32_t block = index.first_block + b;
            if (!rows_.in_sight(block)) {
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
            plain_stores(block);
        }
        return thinned_;
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

    std::string value(std::uint32_t node, int digits) const { return cell_text(view_, node, digits); }
    std::uint32_t id_of(const TreeCell& cell) const {
        return static_cast<std::uint32_t>(&cell - view_.index->cells.data());
    }
    float x_of(const TreeCell& cell) const { return rows_.x(id_of(cell)); }

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
    Point disc_center(const TreeCell& cell, std::uint32_t row) const {
        return {x_of(cell), cell_top(row) - view_.px(6) - rows_.style(row).disc / 2};
    }

    void empties(std::uint32_t block, std::uint32_t row);

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
            const float x = rows_.x(c);
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
    float edge_start(std::uint32_t source, std::uint32_t source_row, std::uint32_t row, bool same_column) const {
        const bool passed = view_.index->scan && !same_column && row > 0;
        return passed ? view_.y(row - 1) + view_.cell_height / 2 : rows_.rect(source, source_row).bottom();
    }

    // Of a cluster: few, and each to be seen.
    bool between_blocks(const TreeEdge& edge) const {
        const auto block = [&](std::uint32_t cell) { return view_.launch->nodes[view_.index->cells[cell].node].block; };
        return !view_.index->scan && block(edge.from) != block(edge.to);
    }

    void edges(const TreeRow& r, std::uint32_t row) {
        const RowStyle& s = rows_.style(row);
        std::vector<Traveller> aside; // drawn after those that move straight down, which take precedence for text
        // Lines closer than this would merge: only the lines of every k-th cell are drawn.
        const std::uint32_t closest = view_.index->closest[row];
        const float spacing = std::max(s.apart, view_.pitch * static_cast<float>(closest == kNone ? 1000U : closest));
        float apart = spacing < view_.px(5) ? view_.px(18) : spacing;
        if (spacing < view_.px(9)) {
            // Long oblique lines lie closer together than the cells they come from.
            float far = 1;
            for (std::uint32_t e = r.first_edge; e < r.first_edge + r.edges; ++e) {
                const TreeEdge& edge = view_.index->edges[e];
                far = between_blocks(edge) ? far : std::max(far, std::abs(rows_.x(edge.from) - rows_.x(edge.to)));
            }
            const float slope = 1.5F * (view_.row_pitch - view_.cell_height) / far;
            apart = std::max(apart, std::min(view_.px(40), view_.px(3) / std::max(slope, 0.01F)));
        }
        constexpr std::uint32_t kCrowd = 64; // lines among which those of a pair of threads would be lost
        const bool crowd = view_.context->partner.kind == Target::Kind::thread && r.edges > kCrowd;
        const std::uint32_t every =
            static_cast<std::uint32_t>(std::max(1.0F, std::ceil(apart / spacing))) * (crowd ? 4 : 1);
        thinned_.lines = r.edges > 2 ? std::max(thinned_.lines, every) : thinned_.lines;
        for (std::uint32_t e = r.first_edge; e < r.first_edge + r.edges; ++e) {
            const TreeEdge& edge = view_.index->edges[e];
            const TreeCell& from = view_.index->cells[edge.from];
            const TreeCell& to = view_.index->cells[edge.to];
            const Node& source = view_.launch->nodes[from.node];
            const Node& node = view_.launch->nodes[to.node];
            const float x0 = rows_.x(edge.from), x1 = rows_.x(edge.to);
            const bool same = source.block == node.block && from.column == to.column;
            if (!view_.visible_x(std::min(x0, x1), std::max(x0, x1))) {
                continue;
            }
            const bool highlighted = lit(view_.shown(from)) && lit(view_.shown(to));
            if (!highlighted && !between_blocks(edge) && (edge.to - r.first_cell) % every != 0) {
                continue;
            }
            const float end = s.disc > 0 ? disc_center(to, row).y - s.disc / 2 : rows_.rect(edge.to, row).y;
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
            if (crowd && !highlighted) {
                color = with_alpha(theme_.muted, 0.25F);
                width = view_.px(1);
            }
            if (view_.pitch < view_.px(6) && !highlighted) {
                width = std::max(0.7F, width * 0.6F);
            }
            Curve curve = falling({x0, edge_start(edge.from, source.step, row, same)}, {x1, end}, width, color);
            if (!node.useful && view_.pitch >= view_.px(7)) {
                curve.dash = view_.px(3);
            }
            Layer& layer =
                drawing_.layers[(s.time == Time::current && !crowd) || highlighted ? cell_layer : empty_layer];
            layer.curves.push_back(curve);
            if (s.time == Time::current && view_.phase < 1.0F / 3) {
                const Traveller it{along(curve, view_.phase * 3), view_.shown(from), source.step};
                if (same) {
                    traveller(it.at, it.node, rows_.style(it.step));
                } else {
                    aside.push_back(it);
                }
            }
        }
        for (const Traveller& it : aside) {
            traveller(it.at, it.node, rows_.style(it.step));
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
    void operands(const TreeCell& cell, const Rect& rect, const RowStyle& s);
    void cell(const TreeCell& cell, std::uint32_t id, std::uint32_t block, std::uint32_t row);
    void disc(const TreeCell& cell, std::uint32_t block, std::uint32_t row);
    void merged(std::uint32_t values, const Rect& rect, bool discs);
    void hazard(const Rect& rect, const RowStyle& s);
    void callout(const Rect& rect, std::uint32_t node);
    std::string stored(const Output& output, int digits) const;
    void outputs(std::uint32_t block);
    void plain_stores(std::uint32_t block);
    void name_element(std::uint16_t allocation, std::uint32_t element, const Rect& rect, float room);

    const TreeView& view_;
    const TreeRows& rows_;
    Drawing& drawing_;
    const Theme& theme_;
    std::vector<std::uint8_t> lit_; // by node
    std::vector<Rect> pills_;       // of moving values, and of a pair of threads
    Thinned thinned_;
};

} // namespace warptree::scene
