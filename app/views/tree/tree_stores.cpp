// Which elements a step stores to: "dist[3] = 2" in a cell of its own, where nothing of the tree stands in the row.
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/tree/tree_cells.hpp"

#include <fmt/format.h>

#include <array>

namespace warptree::scene {

// Below a cell, if it has the room.
void Cells::name_element(std::uint16_t allocation, std::uint32_t element, const Rect& rect, float room) {
    if (allocation >= view_.launch->allocations.size()) {
        return;
    }
    const std::string array = kernel_name(*view_.launch, allocation);
    const float size = view_.px(10.5F), y = rect.bottom() + size * 0.8F;
    for (const std::string& text : {fmt::format("{}[{}]", array, element), fmt::format("[{}]", element)}) {
        if (view_.measure->width(text, Face::mono, size) <= room && view_.row_pitch - view_.cell_height > 2 * size) {
            put_text(drawing_.layers[cell_layer], *view_.measure, view_.room,
                     {{rect.x + rect.w / 2, y}, Align::center, Face::mono, size, theme_.muted, text});
            return;
        }
    }
}

void Cells::plain_stores(std::uint32_t block) {
    const TreeIndex& index = *view_.index;
    const auto before = [](const PlainStore& s, std::pair<std::uint32_t, std::uint32_t> at) {
        return std::pair<std::uint32_t, std::uint32_t>(s.block, s.step) < at;
    };
    const float margin = (view_.block_pitch - view_.pitch * static_cast<float>(index.columns)) / 2;
    const float low = view_.x(block, -0.5F) - (index.blocks > 1 ? margin : 0);
    const float high = view_.x(block, static_cast<float>(index.columns) - 0.5F) + (index.blocks > 1 ? margin : 0);
    auto first = std::lower_bound(index.plain.begin(), index.plain.end(), std::pair(block, 0U), before);
    while (first != index.plain.end() && first->block == block) {
        const std::uint32_t step = first->step;
        const auto end = std::lower_bound(first, index.plain.end(), std::pair(block, step + 1), before);
        const float room = (high - low) / static_cast<float>(end - first);
        const float most = std::min(view_.px(16), view_.cell_height * 0.6F);
        const auto value = [&](const PlainStore& s) {
            return value_text(view_.launch->allocations[s.allocation].element, s.bits, 7);
        };
        const auto with_place = [&](const PlainStore& s) {
            return fmt::format("{}[{}] = {}", kernel_name(*view_.launch, s.allocation), s.element, value(s));
        };
        std::size_t all = 1, alone = 1; // letters
        for (auto s = first; s != end; ++s) {
            all = std::max(all, with_place(*s).size());
            alone = std::max(alone, value(*s).size());
        }
        const float letter = view_.measure->width("0", Face::mono, 1);
        const float in_full = (room - view_.px(12)) / (letter * static_cast<float>(all));
        const bool full = in_full >= view_.px(10);
        const float size = std::min(most, full ? in_full : (room - view_.px(6)) / (letter * static_cast<float>(alone)));
        const bool written = size >= view_.px(7.5F);
        const float width = written ? letter * size * static_cast<float>(full ? all : alone) + view_.px(full ? 10 : 4)
                                    : std::min(room * 0.86F, view_.cell_height * 1.25F);
        std::vector<float> homes;
        for (auto s = first; s != end; ++s) {
            homes.push_back(view_.x(block, static_cast<float>(std::min(s->thread * index.beside, index.columns - 1))));
        }
        homes = spread(homes, width + view_.px(written ? 3 : 0), low + width / 2, high - width / 2);
        const Time time = time_of(step);
        const bool there = !view_.hidden(step) && (time == Time::done || (time == Time::current && view_.phase >= 1));
        Layer& layer = drawing_.layers[cell_layer];
        for (auto s = first; s != end; ++s) {
            const float x = homes[static_cast<std::size_t>(s - first)];
            const Rect rect{x - width / 2, cell_top(step), width, view_.cell_height};
            if (intersect(rect, view_.room).w <= 0) {
                continue;
            }
            layer.boxes.push_back({.rect = rect,
                                   .radius = s->atomic ? rect.h / 2 : std::min(view_.px(3), width / 4),
                                   .fill = there ? mix(theme_.panel, theme_.agree, 0.22F) : theme_.panel,
                                   .stroke = there ? theme_.agree : with_alpha(theme_.faint, 0.7F),
                                   .stroke_width = std::min(width / 4, view_.px(there ? 2.0F : 1.0F))});
            if (there && written) {
                put_text(layer, *view_.measure, view_.room,
                         {{x, rect.y + rect.h / 2},
                          Align::center,
                          Face::mono,
                          size,
                          theme_.text,
                          full ? with_place(*s) : value(*s)});
            }
            if (s->races && time != Time::to_come) {
                hazard(rect, rows_.style(step));
            }
            if (there && written && !full) {
                name_element(s->allocation, s->element, rect, room);
            }
            put_hit(drawing_, view_.room, rect, {Target::Kind::thread, view_.launch_id, block, s->thread, step});
        }
        first = end;
    }
}

} // namespace warptree::scene
