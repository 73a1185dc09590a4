#include "app/views/tree/tree_walk.hpp"

#include "app/views/parts.hpp"
#include "app/views/tree/tree_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptree::scene {

namespace {
using TargetKind = Target::Kind;

class Walker {
  public:
    Walker(const Launch& launch, const TreeIndex& index, std::uint32_t launch_id)
        : launch_(launch), index_(index), launch_id_(launch_id) {}

    Target first(std::uint32_t block, std::uint32_t step) const {
        if (index_.blocks == 0 || index_.steps == 0) {
            return {};
        }
        block = launch_.in_window(block) ? block : index_.first_block;
        for (std::uint32_t s = std::min(step, index_.steps - 1) + 1; s-- > 0;) {
            if (index_.row(block, s).cells > 0) {
                return target(index_.row(block, s).first_cell);
            }
        }
        return {};
    }

    Target go(std::uint32_t cell, Way way) const {
        const Node& node = launch_.nodes[index_.cells[cell].node];
        std::uint32_t to = kNone;
        switch (way) {
        case Way::up: to = operand(cell, node); break;
        case Way::down: to = user(cell, node); break;
        case Way::left:
        case Way::right: to = neighbour(cell, node, way == Way::left ? -1 : 1); break;
        }
        return target(to == kNone ? cell : to);
    }

  private:
    Target target(std::uint32_t cell) const {
        const std::uint32_t node = index_.cells[cell].node;
        return {TargetKind::node, launch_id_, launch_.nodes[node].block, node, launch_.nodes[node].step};
    }
    std::uint32_t apart(std::uint32_t a, std::uint32_t b) const {
        const std::uint32_t x = index_.cells[a].column, y = index_.cells[b].column;
        return x < y ? y - x : x - y;
    }
    // Of the cells that a row's edges join to `cell`, the one with the nearest column.
    std::uint32_t nearest(const TreeRow& row, std::uint32_t cell, std::uint32_t TreeEdge::*here,
                          std::uint32_t TreeEdge::*there) const {
        std::uint32_t best = kNone;
        for (std::uint32_t e = row.first_edge; e < row.first_edge + row.edges; ++e) {
            const TreeEdge& edge = index_.edges[e];
            if (edge.*here == cell && (best == kNone || apart(edge.*there, cell) < apart(best, cell))) {
                best = edge.*there;
            }
        }
        return best;
    }
    std::uint32_t operand(std::uint32_t cell, const Node& node) const {
        return nearest(index_.row(node.block, node.step), cell, &TreeEdge::to, &TreeEdge::from);
    }
    std::uint32_t user(std::uint32_t cell, const Node& node) const {
        for (std::uint32_t s = node.step; s < index_.steps; ++s) {
            if (const auto found = nearest(index_.row(node.block, s), cell, &TreeEdge::from, &TreeEdge::to);
                found != kNone) {
                return found;
            }
        }
        return kNone;
    }
    std::uint32_t neighbour(std::uint32_t cell, const Node& node, int direction) const {
        const TreeRow& row = index_.row(node.block, node.step);
        const std::uint32_t last = row.first_cell + row.cells - 1;
        if (direction > 0 ? cell < last : cell > row.first_cell) {
            return direction > 0 ? cell + 1 : cell - 1;
        }
        std::uint32_t b = node.block - index_.first_block;
        while (direction > 0 ? b + 1 < index_.blocks : b > 0) {
            b = direction > 0 ? b + 1 : b - 1;
            const TreeRow& next = index_.row(index_.first_block + b, node.step);
            if (next.cells > 0) {
                return direction > 0 ? next.first_cell : next.first_cell + next.cells - 1;
            }
        }
        return kNone;
    }

    const Launch& launch_;
    const TreeIndex& index_;
    std::uint32_t launch_id_;
};

float middle_x(const Rect& r) { return r.x + r.w / 2; }
float middle_y(const Rect& r) { return r.y + r.h / 2; }

// How far `to` lies in that direction; sideways distance counts more. Infinite: not in that direction.
float distance(const Rect& from, const Rect& to, Way way) {
    const float x = middle_x(to) - middle_x(from), y = middle_y(to) - middle_y(from);
    const bool sideways = way == Way::left || way == Way::right;
    const float ahead = way == Way::right ? x : way == Way::left ? -x : way == Way::down ? y : -y;
    const float aside = std::abs(sideways ? y : x);
    const bool other_row = sideways && aside > std::max(from.h, to.h) / 2;
    return ahead < 1 || other_row ? std::numeric_limits<float>::infinity() : ahead + 4 * aside;
}
} // namespace

Target walk_cells(const Trace& trace, const session::Moment& moment, const Target& from, std::uint32_t block, Way way) {
    std::uint32_t launch_id = 0;
    const Launch* launch = shown_launch(trace, moment, &launch_id);
    if (launch == nullptr) {
        return {};
    }
    const auto index = tree_index(trace, launch_id);
    const Walker walker(*launch, *index, launch_id);
    const bool known = from.kind == TargetKind::node && from.launch == launch_id &&
                       from.index < index->cell_of.size() && index->cell_of[from.index] != kNone;
    return known ? walker.go(index->cell_of[from.index], way) : walker.first(block, current_step(trace, moment));
}

Target walk_drawing(const Drawing& drawing, const session::Moment& moment, const Target& from, Way way) {
    const auto stands_for_work = [](const Hit& hit) {
        return (hit.target.kind == TargetKind::warp || hit.target.kind == TargetKind::block) &&
               hit.target.step != kNone;
    };
    // Bars, if there are any; else blocks and launches. Not the labels beside bars.
    const bool bars = std::any_of(drawing.hits.begin(), drawing.hits.end(), stands_for_work);
    const auto counts = [&](const Hit& hit) {
        return bars ? stands_for_work(hit)
                    : hit.target.kind == TargetKind::block || hit.target.kind == TargetKind::launch;
    };
    const Hit* here = nullptr;
    const Hit* begin = nullptr;
    for (const Hit& hit : drawing.hits) {
        if (!counts(hit)) {
            continue;
        }
        here = hit.target == from ? &hit : here;
        const bool now = begin == nullptr || (begin->target.step > moment.step && hit.target.step <= moment.step) ||
                         (hit.target.step == moment.step && begin->target.step != moment.step);
        begin = now ? &hit : begin;
    }
    if (here == nullptr) {
        return begin == nullptr ? Target{} : begin->target;
    }
    const Hit* best = here;
    float least = std::numeric_limits<float>::infinity();
    for (const Hit& hit : drawing.hits) {
        if (counts(hit) && distance(here->rect, hit.rect, way) < least) {
            least = distance(here->rect, hit.rect, way);
            best = &hit;
        }
    }
    return best->target;
}

void reveal(const ViewContext& context, Rect area, Camera& camera, const Target& node) {
    const auto place = place_in_tree(context, area, camera, node);
    if (!place || (camera.zoom == 1 && camera.pan_x == 0 && camera.pan_y == 0)) {
        return; // all of it fits
    }
    const Rect& room = place->room;
    const float x = std::min(48 * context.scale, room.w / 3), y = std::min(28 * context.scale, room.h / 3);
    const Point& p = place->middle;
    camera.pan_x += std::clamp(p.x, room.x + x, room.right() - x) - p.x;
    camera.pan_y += std::clamp(p.y, room.y + y, room.bottom() - y) - p.y;
}

} // namespace warptree::scene
