// What changes between two texts, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// A line of a difference, in the order of the lines: one that goes or comes, or one beside these.
struct DifferenceLine {
    enum class Kind : std::uint8_t { same, goes, comes };
    Kind kind = Kind::same;
    std::uint32_t line = 0; // 1-based: of the old text, of one that comes: of the new one
    std::string text;
};
// Between two texts that differ in one stretch of lines, with a line before it and one after it.
std::vector<DifferenceLine> difference(const std::string& before, const std::string& after);

} // namespace warptree::runs
