// The index "row * width + column" of an array that has rows, as a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warptree::runs {

struct RowsIndex {
    std::string row, width, column;
};

// widths: the names that a width may have. nullopt: it is another index.
std::optional<RowsIndex> rows_of(const std::string& index, const std::vector<std::string>& widths);

} // namespace warptree::runs
