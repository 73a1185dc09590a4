#include "app/views/memory/memory.hpp"

#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"
#include "app/views/thread_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warptree::scene {

namespace {
constexpr std::uint32_t kMostColumns = 64;
constexpr float kText = 13;        // pixels, at scale 1
constexpr std::size_t kWidest = 7; // letters for which columns are made wide enough

// Shortened, "62k", where there is room for fewer letters.
std::string cell_text(const ArrayPlace& array, const ArrayElement& e, std::size_t room) {
    switch (e.known) {
    case ArrayElement::Known::unset: return "·";
    case ArrayElement::Known::chance: return "?";
    case ArrayElement::Known::lost: return "…";
    case ArrayElement::Known::before:
    case ArrayElement::Known::stored: break;
    }
    const std::string exact = value_text(array.type, e.bits, 4);
    return exact.size() <= room ? exact : compact(exact);
}

std::string name_of(const Launch& launch, const ArrayPlace& array, std::uint64_t index) {
    return array.row > 1 ? fmt::format("{}[{}][{}]", array.name, index / array.row, index % array.row)
                         : fmt::format("{}[{}]{}", kernel_name(launch, array), index, buffer_note(launch, array));
}
// "races: thread 0 reads it in line 12 and thread 64 stores it in line 14, and nothing orders the two".
std::string race_words(const Trace& trace, const Launch& launch, const ArrayElement& e) {
    if (e.race >= launch.hazards.size()) {
        return {};
    }
    const Hazard& h = launch.hazards[e.race];
    const auto side = [&](std::uint32_t thread, bool writes, SourceLine line) {
        return fmt::format("thread {} {} it{}", thread, writes ? "stores" : "reads",
                           line.known() ? " in " + written_at(trace, line) : "");
    };
    return fmt::format("\nraces: {} and {},\nand nothing orders the two: it may be another at any one moment",
                       side(h.first_thread, h.first_writes, h.first_line),
                       side(h.second_thread, h.second_writes, h.second_line));
}
} // namespace

std::optional<std::uint64_t> MemoryGrid::element_at(Point p) const {
    if (!cells.contains(p) || width <= 0 || height <= 0) {
        return std::nullopt;
    }
    const auto column = static_cast<std::uint64_t>((p.x - cells.x) / width);
    const auto row = static_cast<std::uint64_t>((p.y - cells.y) / height);
    return column < columns && row < rows ? std::optional((first_row + row) * columns + column) : std::nullopt;
}

Rect MemoryGrid::rect_of(std::uint64_t element) const {
    const auto column = static_cast<float>(element % columns), row = static_cast<float>(element / columns - first_row);
    return {cells.x + column * width, cells.y + row * height, width, height};
}

MemoryGrid memory_grid(const ViewContext& context, Rect area, const ShownArray& array) {
    const float scale = context.scale, size = kText * scale;
    const std::uint64_t count = array.elements->size();
    std::size_t longest = 3;
    for (std::size_t k = 0; k < std::min<std::size_t>(count, 2048); ++k) {
        longest = std::max(longest, cell_text(array.place, (*array.elements)[k], kWidest).size());
    }
    MemoryGrid grid;
    grid.width = context.measure->width(std::string(longest, '0'), Face::mono, size) + 8 * scale;
    grid.height = 20 * scale;
    const float index =
        context.measure->width(std::to_string(std::max<std::uint64_t>(count, 1) - 1), Face::mono, size) + 14 * scale;
    const float head = area.h > 5 * grid.height ? 18 * scale : 0;
    const auto fit =
        static_cast<std::uint32_t>(std::clamp((area.w - index - 10 * scale) / grid.width, 1.0F, float{kMostColumns}));
    const std::uint32_t row = array.place.row;
    grid.columns = row > 1 && row <= fit ? row : std::bit_floor(fit);
    if (row <= 1) { // no wider than it is long
        grid.columns = std::min(grid.columns, std::bit_ceil(static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                  std::max<std::uint64_t>(count, 1), kMostColumns))));
    }
    const float stretched = (area.w - index - 10 * scale) / static_cast<float>(grid.columns);
    grid.width = std::clamp(stretched, grid.width, 1.6F * grid.width);
    grid.all_rows = (count + grid.columns - 1) / grid.columns;
    grid.rows = static_cast<std::uint32_t>(std::max(1.0F, (area.h - head) / grid.height));
    grid.first_row = std::min(array.first_row, grid.all_rows > grid.rows ? grid.all_rows - grid.rows : 0);
    grid.cells = {area.x + index, area.y + head, grid.width * static_cast<float>(grid.columns),
                  grid.height * static_cast<float>(grid.rows)};
    return grid;
}

Drawing draw_memory(const ViewContext& context, Rect area, const ShownArray& array) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(3);
    if (!can_draw(context, area) || array.elements == nullptr || array.elements->empty()) {
        return drawing;
    }
    const MemoryGrid grid = memory_grid(context, area, array);
    const Theme& theme = *context.theme;
    const float scale = context.scale, size = kText * scale;
    const auto letters = static_cast<std::size_t>(
        std::max(0.0F, (grid.width - 7 * scale) / context.measure->width("0", Face::mono, size)));
    std::uint32_t number = 0;
    const Launch* const launch = shown_launch(*context.trace, context.moment, &number);
    const std::uint32_t step = current_step(*context.trace, context.moment);
    const auto say = [&](Point at, Align align, Face face, Color color, const std::string& text) {
        put_text(drawing.layers[2], *context.measure, area, {at, align, face, size, color, text});
    };
    if (grid.cells.y > area.y) {
        for (std::uint32_t c = 0; c < grid.columns; ++c) {
            say({grid.cells.x + (static_cast<float>(c) + 0.5F) * grid.width, area.y + 9 * scale}, Align::center,
                Face::mono, theme.faint, fmt::format("{}{}", array.place.row > 1 ? "" : "+", c));
        }
    }
    const auto is_of = [&](const Target& target, const ArrayElement& e) {
        return launch != nullptr && e.thread != kNone && target.kind != Target::Kind::none && target.launch == number &&
               target.block == e.block && thread_of(*launch, target) == e.thread;
    };
    for (std::uint32_t r = 0; r < grid.rows; ++r) {
        const std::uint64_t begin = (grid.first_row + r) * grid.columns;
        if (begin >= array.elements->size()) {
            break;
        }
        const float y = grid.cells.y + (static_cast<float>(r) + 0.5F) * grid.height;
        say({grid.cells.x - 6 * scale, y}, Align::right, Face::mono, theme.muted,
            std::to_string(array.place.row > 1 && grid.columns == array.place.row ? begin / grid.columns : begin));
        const std::uint64_t end = std::min<std::uint64_t>(begin + grid.columns, array.elements->size());
        for (std::uint64_t k = begin; k < end; ++k) {
            const ArrayElement& e = (*array.elements)[k];
            const Rect cell = inset(grid.rect_of(k), scale);
            const bool now = e.step == step && e.thread != kNone, chance = e.known == ArrayElement::Known::chance;
            Box box{.rect = cell, .radius = 2 * scale, .fill = now ? theme.accent_fill : theme.panel};
            if (chance || e.race != kNone) {
                box.fill = mix(theme.panel, theme.hazard, 0.3F);
                box.pattern = Pattern::cross_hatch;
                box.pattern_color = with_alpha(theme.hazard, 0.6F);
            }
            if (is_of(context.hover, e) || is_of(context.selected, e) || is_of(context.partner, e)) {
                box.stroke = theme.accent;
                box.stroke_width = 2 * scale;
            }
            if (array.marked == k) {
                box.stroke = theme.text;
                box.stroke_width = 2 * scale;
            }
            drawing.layers[0].boxes.push_back(box);
            const Color color = chance || now || e.race != kNone         ? ink_on(theme, box.fill)
                                : e.known == ArrayElement::Known::before ? theme.muted
                                : e.has_value()                          ? theme.text
                                                                         : theme.faint;
            say({cell.right() - 3 * scale, y}, Align::right, Face::mono, color, cell_text(array.place, e, letters));
            if (e.thread != kNone) {
                put_hit(drawing, area, cell, {Target::Kind::thread, number, e.block, e.thread, e.step});
            }
        }
    }
    if (grid.all_rows > grid.rows) { // which of all rows are shown
        const auto all = static_cast<float>(grid.all_rows);
        const Rect track{area.right() - 4 * scale, grid.cells.y, 4 * scale, grid.cells.h};
        drawing.layers[1].boxes.push_back({.rect = track, .radius = 2 * scale, .fill = theme.off});
        drawing.layers[1].boxes.push_back(
            {.rect = {track.x, track.y + track.h * static_cast<float>(grid.first_row) / all, track.w,
                      std::max(8 * scale, track.h * static_cast<float>(grid.rows) / all)},
             .radius = 2 * scale,
             .fill = theme.muted});
    }
    return drawing;
}

std::string element_words(const Trace& trace, std::uint32_t launch, const ArrayPlace& array, std::uint64_t index,
                          const ArrayElement& e) {
    const Launch& l = trace.launches[launch];
    const std::string name = name_of(l, array, index);
    const std::string by = e.thread == kNone
                               ? std::string()
                               : fmt::format("thread {}{} in {}{}", e.thread,
                                             array.is_shared() ? "" : fmt::format(" of block {}", e.block),
                                             e.step < l.steps.size() ? l.steps[e.step].label : "",
                                             e.line.known() ? ", " + written_at(trace, e.line) : "");
    const std::string races = race_words(trace, l, e);
    switch (e.known) {
    case ArrayElement::Known::unset:
        return !array.is_shared() && index >= kMaxHeld
                   ? fmt::format("{} is not stored yet; what was there before is kept of the first {} elements", name,
                                 grouped(kMaxHeld))
                   : name + " has no value yet" + races;
    case ArrayElement::Known::before:
        return fmt::format("{} = {}\nas before the launch", name, value_text(array.type, e.bits));
    case ArrayElement::Known::stored:
        return fmt::format("{} = {}\nstored by {}{}", name, value_text(array.type, e.bits), by, races);
    case ArrayElement::Known::chance:
        return fmt::format("{}: several threads store different values, and nothing orders them\none is {}", name, by);
    case ArrayElement::Known::lost: return fmt::format("{}: a part of it is stored by {}", name, by);
    }
    return name;
}

} // namespace warptree::scene
