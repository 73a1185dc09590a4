#include "app/views/tree/tree_cells.hpp"

#include "app/base/type_words.hpp"
#include "app/trace/explain/values.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace warptree::scene {

void Cells::cells(const TreeRow& r, std::uint32_t block, std::uint32_t row) {
    const float reach = rows_.style(row).cell / 2;
    for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
        const TreeCell& it = view_.index->cells[c];
        const float x = rows_.x(c);
        if (x + reach > view_.room.x && x - reach < view_.room.right()) {
            cell(it, c, block, row);
        }
    }
}

void Cells::cell(const TreeCell& cell, std::uint32_t id, std::uint32_t block, std::uint32_t row) {
    const RowStyle& s = rows_.style(row);
    const Node& node = view_.launch->nodes[view_.shown(cell)];
    const bool tiny = s.cell < view_.px(7);
    Rect rect = rows_.rect(id, row);
    if (view_.index->closest[row] == kNone) {
        rect = kept(rect);
    }
    const bool pending = s.time == Time::current && view_.phase < 1;
    const bool ghost = s.time == Time::to_come || pending;

    Box box{.rect = rect, .radius = std::min(view_.px(3), s.cell / 4), .fill = theme_.panel};
    box.stroke_width = tiny ? std::min(1.0F, s.cell / 4) : view_.px(1);
    Color ink = theme_.text;
    if (ghost) {
        box.stroke = pending ? theme_.accent : with_alpha(theme_.faint, 0.7F);
        if (pending && node.useful) { // fills while the operands combine and the result is stored
            const float filled = std::clamp((view_.phase - 1.0F / 3) * 1.5F, 0.0F, 1.0F);
            box.fill = mix(theme_.panel, tiny ? theme_.accent : theme_.accent_fill, filled);
        }
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
    if (lit(view_.shown(cell))) {
        box.stroke = theme_.text;
        box.stroke_width = std::min(view_.px(2.2F), s.cell / 3);
    }
    drawing_.layers[cell_layer].boxes.push_back(box);

    // A sum is there once it is made: it moves down from the thread's disc, or stands in its cell where there is none.
    const bool made = s.disc <= 0 && view_.phase >= 2.0F / 3 && has_operands(node.kind);
    const bool arrived = s.time == Time::done || (s.time == Time::current && (!pending || made));
    operands(cell, rect, s);
    if (arrived && s.text > 0 && node.kind != NodeKind::identity) {
        put_text(drawing_.layers[cell_layer], *view_.measure, view_.room,
                 {{rect.x + rect.w / 2, rect.y + rect.h / 2},
                  Align::center,
                  Face::mono,
                  s.text,
                  ink,
                  value(view_.shown(cell), s.digits)});
    }
    const bool of_pair = view_.context->partner.kind == Target::Kind::thread && lit(view_.shown(cell));
    if (of_pair && arrived && s.text <= 0 && node.kind != NodeKind::identity) {
        callout(rect, view_.shown(cell));
    }
    if (s.time != Time::to_come) {
        // Where cells are in two lines there is no room above one for a number, either.
        merged(cell.leaves, rect, s.staggered || (s.disc > 0 && has_operands(node.kind)));
    }
    if (has_operands(node.kind) && row > 0) {
        disc(cell, block, row);
    }
    if (view_.index->hazardous[id] != 0 && s.time != Time::to_come) {
        hazard(rect, s);
    }
    put_hit(drawing_, view_.room, rect, {Target::Kind::node, view_.launch_id, block, view_.shown(cell), row});
}

// "5 + 9" beside the cell, from when the operands have come.
void Cells::operands(const TreeCell& cell, const Rect& rect, const RowStyle& s) {
    if (s.operands <= 0 || view_.phase < 1.0F / 3) {
        return;
    }
    const Node& node = view_.launch->nodes[view_.shown(cell)];
    const bool combining = view_.phase < 2.0F / 3;
    put_text(drawing_.layers[cell_layer], *view_.measure, view_.room,
             {{rect.right() + view_.px(5), rect.y + rect.h / 2},
              Align::left,
              Face::mono,
              s.operands,
              combining     ? theme_.text
              : node.useful ? theme_.accent
                            : theme_.muted,
              operands_text(view_, node, s.digits)});
}

// Columns without a cell, small, between the cells.
void Cells::empties(std::uint32_t block, std::uint32_t row) {
    const TreeIndex& index = *view_.index;
    if (index.scan || view_.pitch < view_.px(9) || view_.launch->steps[row].kind == StepKind::store ||
        view_.hidden(row)) {
        return;
    }
    const RowStyle& s = rows_.style(row);
    const float width = std::min(view_.pitch * 0.5F, view_.px(8)), height = std::min(view_.px(6), view_.cell_height);
    const TreeRow& r = index.row(block, row);
    const auto add = [&](std::uint32_t first, std::uint32_t end, float low, float high) {
        const float step = (high - low) / static_cast<float>(std::max(1U, end - first));
        if (step < width + view_.px(1)) {
            return; // no room for one each
        }
        for (std::uint32_t column = first; column < end; ++column) {
            const float x = low + step * (static_cast<float>(column - first) + 0.5F);
            const Rect rect{x - width / 2, view_.y(row) - height / 2, width, height};
            if (intersect(rect, view_.room).w > 0) {
                drawing_.layers[empty_layer].boxes.push_back(
                    {.rect = rect,
                     .radius = view_.px(2),
                     .fill = kClear,
                     .stroke = mix(theme_.panel, theme_.faint, 0.45F), // equally muted in each theme
                     .stroke_width = view_.px(1)});
            }
        }
    };
    const bool apart = s.apart > 0;
    std::uint32_t next = 0;
    float low = view_.x(block, -0.5F);
    for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
        const std::uint32_t column = index.cells[c].column;
        const float half = apart ? s.cell / 2 : view_.pitch / 2;
        add(next, column, low, rows_.x(c) - half);
        low = rows_.x(c) + half + s.beside;
        next = column + 1;
    }
    add(next, index.columns, low, view_.x(block, static_cast<float>(index.columns) - 0.5F));
}

void Cells::disc(const TreeCell& cell, std::uint32_t block, std::uint32_t row) {
    const RowStyle& s = rows_.style(row);
    if (s.disc <= 0) {
        return;
    }
    const Node& node = view_.launch->nodes[view_.shown(cell)];
    const Point at = disc_center(cell, row);
    const bool now = s.time == Time::current;
    const bool combining = now && view_.phase >= 1.0F / 3 && view_.phase < 2.0F / 3;
    Layer& layer = drawing_.layers[cell_layer];
    const float end = cell_top(row);
    const Color edge = now ? theme_.accent : with_alpha(theme_.muted, node.useful ? 0.8F : 0.4F);
    const Curve down = straight({at.x, at.y + s.disc / 2}, {at.x, end}, view_.px(now ? 1.8F : 1.0F),
                                lit(view_.shown(cell)) ? theme_.text : edge);
    layer.curves.push_back(down);
    const Rect rect{at.x - s.disc / 2, at.y - s.disc / 2, s.disc, s.disc};
    Box box{.rect = rect,
            .radius = s.disc / 2,
            .fill = combining ? theme_.accent : theme_.panel,
            .stroke = edge,
            .stroke_width = view_.px(now ? 1.6F : 1.0F)};
    if (lit(view_.shown(cell))) {
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
        traveller({at.x, at.y + (view_.y(row) - at.y) * t}, view_.shown(cell), s);
    }
    put_hit(drawing_, view_.room, rect, {Target::Kind::thread, view_.launch_id, block, node.thread, row});
}

// Several values in a cell: a tick each, or their number where no disc stands above it.
void Cells::merged(std::uint32_t values, const Rect& rect, bool discs) {
    if (values < 2 || view_.ticks < view_.px(5)) {
        return;
    }
    Layer& layer = drawing_.layers[cell_layer];
    const auto count = static_cast<float>(values);
    const float middle = rect.x + rect.w / 2;
    const std::string text = "×" + std::to_string(values);
    const float size = view_.px(10);
    const float step = std::min(view_.px(5), rect.w / count);
    if (step >= view_.px(2.4F)) {
        for (std::uint32_t i = 0; i < values; ++i) {
            const float x = middle + (static_cast<float>(i) - (count - 1) / 2) * step;
            layer.curves.push_back(
                straight({x, rect.y - view_.px(7)}, {x, rect.y - view_.px(1.5F)}, view_.px(1.4F), theme_.muted));
        }
    } else if (!discs && view_.measure->width(text, Face::mono, size) <= view_.pitch * 0.95F && view_.ticks >= size) {
        put_text(layer, *view_.measure, view_.room,
                 {{middle, rect.y - view_.px(7)}, Align::center, Face::mono, size, theme_.muted, text});
    }
}

// The value of a cell without room for it, over its neighbours, which have none either.
void Cells::callout(const Rect& rect, std::uint32_t node) {
    const std::string text = value(node, 4);
    const float size = view_.px(13), height = size * 1.5F;
    const float width = std::max(rect.w, view_.measure->width(text, Face::mono, size) + view_.px(8));
    const Rect& room = view_.room;
    const float x =
        std::clamp(rect.x + (rect.w - width) / 2, room.x + 1, std::max(room.x + 1, room.right() - width - 1));
    const Rect pill{x, rect.y + (rect.h - height) / 2, width, height};
    const bool apart = std::none_of(pills_.begin(), pills_.end(), [&](const Rect& r) { return r.overlaps(pill); });
    Layer& marks = drawing_.layers[mark_layer];
    if (apart &&
        put_text(marks, *view_.measure, room,
                 {{pill.x + width / 2, pill.y + height / 2}, Align::center, Face::mono, size, theme_.text, text})) {
        marks.boxes.push_back({.rect = pill,
                               .radius = view_.px(4),
                               .fill = theme_.panel,
                               .stroke = theme_.text,
                               .stroke_width = view_.px(2)});
        pills_.push_back(pill);
    }
}

// A ring and a "!" at the corner; small cells are filled and cross-hatched.
void Cells::hazard(const Rect& rect, const RowStyle& s) {
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
    if (view_.pitch >= d * 1.8F && !s.staggered && inside(view_.room, badge)) { // else it lies on the next value
        marks.boxes.push_back({.rect = badge, .radius = d / 2, .fill = theme_.hazard});
        marks.texts.push_back(
            {{badge.x + d / 2, badge.y + d / 2}, Align::center, Face::sans_bold, view_.px(9), theme_.panel, "!"});
    }
}

// A value that leaves its block. Of a record, which the tree follows by one of its scalars, the one that is stored: it is
// known by its type, where few values leave, each to a place of its own.
std::string Cells::stored(const Output& output, int digits) const {
    constexpr std::size_t kFew = 1024;
    const Launch& launch = *view_.launch;
    const Node& node = launch.nodes[output.node];
    const ValueType type = node.type == ValueType::none ? value_type_of(view_.trace->options.type) : node.type;
    if (!output.atomic && output.allocation < launch.allocations.size() && launch.outputs.size() <= kFew &&
        launch.allocations[output.allocation].element != type) {
        const Allocation& array = launch.allocations[output.allocation];
        const auto out =
            std::find_if(view_.trace->outputs.begin(), view_.trace->outputs.end(), [&](const KernelOutput& o) {
                return o.name == array.name && o.type == array.element && output.index < o.values.size();
            });
        const bool once = std::count_if(launch.outputs.begin(), launch.outputs.end(), [&](const Output& o) {
                              return o.allocation == output.allocation && o.index == output.index;
                          }) == 1;
        if (out != view_.trace->outputs.end() && once && view_.trace->launches.size() == 1) {
            const std::uint64_t bits = out->values[output.index];
            return digits <= kCompact ? compact(value_text(out->type, bits, 4)) : value_text(out->type, bits, digits);
        }
    }
    return value(output.node, digits);
}

// The block's outputs, in the row of the step that stores them.
void Cells::outputs(std::uint32_t block) {
    constexpr std::array kDigits{7, 4, kCompact};
    std::vector<std::uint32_t> count(view_.steps()); // outputs, by step
    struct Stored {
        std::uint32_t values = 0;
        const Output* last = nullptr;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Stored> stores; // by step and column
    const auto column_of = [&](const Output& output) {
        return view_.index->scan        ? view_.index->output_column(block - view_.index->first_block, output.index)
               : view_.index->by_storer ? output.thread
                                        : view_.index->cells[view_.index->cell_of[output.node]].column;
    };
    std::array<std::size_t, 3> longest{1, 1, 1}; // value, in characters, with so many digits
    std::vector<bool> elsewhere(view_.steps());  // not each thread to an element of its own, one beside the other
    std::vector<const Output*> first(view_.steps());
    for (const Output& output : view_.launch->outputs) {
        if (output.block == block && output.step < count.size()) {
            const Output& one = *(first[output.step] = first[output.step] == nullptr ? &output : first[output.step]);
            elsewhere[output.step] =
                elsewhere[output.step] || output.index - one.index != std::uint32_t{output.thread} - one.thread;
            ++count[output.step];
            if (output.node < view_.launch->nodes.size() && view_.index->cell_of[output.node] != kNone) {
                Stored& there = stores[{output.step, column_of(output)}];
                ++there.values;
                there.last = &output;
            }
            for (std::size_t d = 0; d < kDigits.size() && output.node < view_.launch->nodes.size(); ++d) {
                longest[d] = std::max(longest[d], stored(output, kDigits[d]).size());
            }
        }
    }
    for (const Output& output : view_.launch->outputs) {
        if (output.block != block || output.node >= view_.launch->nodes.size() || output.step >= view_.steps() ||
            view_.index->cell_of[output.node] == kNone) {
            continue;
        }
        const bool named = elsewhere[output.step] && !view_.index->scan;
        const std::uint32_t column = column_of(output);
        const Stored& here = stores[{output.step, column}];
        if (here.last != &output) { // one that is stored to the same place later is what is left
            continue;
        }
        const bool several = count[output.step] > here.values;
        const float room = several                    ? view_.pitch * 0.92F
                           : view_.index->blocks == 1 ? view_.px(140)
                                                      : view_.block_pitch * 0.92F;
        const TreeCell& from = view_.index->cells[view_.index->cell_of[output.node]];
        const Node& node = view_.launch->nodes[output.node];
        const Time time = time_of(output.step);
        const bool there = time == Time::done || (time == Time::current && view_.phase >= 1);
        const float source_x = rows_.x(view_.index->cell_of[output.node]);
        const bool own_column = view_.index->scan || view_.index->by_storer || (several && room < view_.px(140));
        const float x = own_column ? view_.x(block, static_cast<float>(column)) : source_x;
        const float most = std::min(view_.px(20), view_.cell_height * 0.72F);
        float size = most;
        std::string text = stored(output, 7);
        float width = view_.measure->width(text, Face::mono, size) + view_.px(10);
        float fitting = most;
        const std::size_t kinds = view_.index->scan ? 1 : kDigits.size();
        for (std::size_t d = 0; several && d < kinds; ++d) { // all in one size
            const float widest = view_.measure->width(std::string(longest[d], '0'), Face::mono, most);
            fitting = std::min(most, most * (room - view_.px(4)) / std::max(1.0F, widest));
            if (fitting >= view_.px(d + 1 < kinds ? 10 : 7.5F)) {
                text = stored(output, kDigits[d]);
                break;
            }
        }
        if (several && fitting >= view_.px(7.5F)) {
            size = fitting;
            width = size < most ? room : std::min(room, view_.measure->width(text, Face::mono, size) + view_.px(10));
        } else if (width > room) {
            text.clear();
            width = std::clamp(view_.pitch * 0.86F, 3.0F, view_.cell_height);
        }
        const Rect rect = kept({x - width / 2, cell_top(output.step), width, view_.cell_height});
        Layer& layer = drawing_.layers[cell_layer];
        const Color line = there ? theme_.agree : with_alpha(theme_.faint, 0.7F);
        // No edge leads to an identity that was set within a scan.
        const bool set = view_.index->scan && node.kind == NodeKind::identity && node.step != 0;
        if (!set && node.step != output.step && view_.visible_x(x - 1, x + 1)) {
            const Curve edge = falling({source_x, edge_start(view_.index->cell_of[output.node], node.step, output.step,
                                                             column == from.column)},
                                       {x, rect.y}, view_.px(there ? 1.6F : 1.0F), line);
            layer.curves.push_back(edge);
            if (time == Time::current && view_.phase < 1) {
                traveller(along(edge, view_.phase), output.node, rows_.style(output.step));
            }
        }
        if (intersect(rect, view_.room).w <= 0) {
            continue;
        }
        if (node.step == output.step) { // that loads or combines it: the cell exists already
            if (there) {
                const Rect around = kept(rows_.rect(view_.index->cell_of[output.node], output.step));
                layer.boxes.push_back({.rect = inset(around, -view_.px(1.5F)),
                                       .radius = view_.px(4),
                                       .fill = kClear,
                                       .stroke = line,
                                       .stroke_width = view_.px(2)});
                if (named) {
                    name_element(output.allocation, output.index, around, room);
                }
            }
            continue;
        }
        layer.boxes.push_back({.rect = rect,
                               .radius = output.atomic ? rect.h / 2 : view_.px(3),
                               .fill = there ? mix(theme_.panel, theme_.agree, 0.22F) : theme_.panel,
                               .stroke = line,
                               .stroke_width = view_.px(there ? 2.0F : 1.0F)});
        if (there && !text.empty()) {
            put_text(layer, *view_.measure, view_.room,
                     {{rect.x + rect.w / 2, rect.y + rect.h / 2}, Align::center, Face::mono, size, theme_.text, text});
        }
        if (there && here.values > 1) {
            merged(here.values, rect, false);
        }
        if (there && named && !text.empty()) {
            name_element(output.allocation, output.index, rect, room);
        }
        put_hit(drawing_, view_.room, rect, {Target::Kind::node, view_.launch_id, block, output.node, output.step});
    }
}

Thinned add_tree_cells(const TreeView& view, const TreeRows& rows, Drawing& drawing) {
    return Cells(view, rows, drawing).draw();
}

} // namespace warptree::scene
