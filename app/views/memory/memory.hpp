// The elements of an array after a step, row by row.
#pragma once

#include "app/trace/explain/array_contents.hpp"
#include "app/views/views.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::scene {

struct ShownArray {
    ArrayPlace place;
    const std::vector<ArrayElement>* elements = nullptr; // its first ones, at the end of the step
    std::uint64_t first_row = 0;                         // that is shown
    std::optional<std::uint64_t> marked;                 // the element that was asked for
};

// Where elements stand: those of a row of the array side by side, if it has two dimensions and they fit, else a power of two.
struct MemoryGrid {
    Rect cells;
    std::uint32_t columns = 1, rows = 1; // rows: that fit
    float width = 0, height = 0;         // of a cell
    std::uint64_t all_rows = 0;
    std::uint64_t first_row = 0;

    std::optional<std::uint64_t> element_at(Point p) const; // though the array may be shorter
    Rect rect_of(std::uint64_t element) const;
};
MemoryGrid memory_grid(const ViewContext& context, Rect area, const ShownArray& array);
// Elements stored in the step are lit; a hit of a cell is the thread that stored it last.
Drawing draw_memory(const ViewContext& context, Rect area, const ShownArray& array);

// "s[5] = 12", and who stored it, when and where; `trace` has the launch.
std::string element_words(const Trace& trace, std::uint32_t launch, const ArrayPlace& array, std::uint64_t index,
                          const ArrayElement& element);

} // namespace warptree::scene
