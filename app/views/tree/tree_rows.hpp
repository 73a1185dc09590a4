// The rows of cells: how the cells of a row look, and where they stand. A value comes before a column: where a row's
// values need more room than their columns have, its cells move apart, and columns without a cell shrink.
#pragma once

#include "app/views/tree/tree_layout.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warptree::scene {

enum class Time : std::uint8_t { done, current, to_come };

// Significant digits for values that are written as "1.2M".
inline constexpr int kCompact = 0;
inline constexpr int kFirstAlone = -1; // compact, and of a record of two values the first

// How the cells of a row are drawn: all alike, so that a row is recognizable as one.
struct RowStyle {
    float cell = 1;         // width
    float disc = 0;         // diameter; 0: no discs
    float text = 0;         // pixels per em; 0: no values
    float operands = 0;     // pixels per em of "5 + 9" beside the cells; 0: none
    float beside = 0;       // width kept for them
    float apart = 0;        // from cell to cell at least, where the row moves apart; 0: it does not
    int digits = 17;        // of floating-point values, or kCompact
    bool staggered = false; // every second cell stands lower, so that each has twice the width
    Time time = Time::done;
};

// Ascending places nearest to the ascending `homes` by the sum of squares, at least `apart` from one another and within
// `low` … `high`; evenly from `low` to `high` if they do not fit there.
std::vector<float> spread(std::span<const float> homes, float apart, float low, float high);

// The text of a cell's value in a row of that style.
std::string cell_text(const TreeView& view, std::uint32_t node, int digits);
// "5 + 9", "max(5, 9)"; empty for a value that was not combined.
std::string operands_text(const TreeView& view, const Node& node, int digits);

// Of every row, and of the cells in sight.
class TreeRows {
  public:
    explicit TreeRows(const TreeView& view);
    const RowStyle& style(std::uint32_t row) const { return styles_[row]; }
    // The middle of a cell, by its number in the index.
    float x(std::uint32_t cell) const { return x_[cell]; }
    Rect rect(std::uint32_t cell, std::uint32_t row) const;
    // Where, in that row, the columns from `column` on begin.
    float edge(std::uint32_t block, std::uint32_t row, std::uint32_t column) const;
    bool in_sight(std::uint32_t block) const;
    std::uint32_t cells(std::uint32_t row) const; // the most that a block has in the row

  private:
    RowStyle style_of(std::uint32_t row) const;
    void widen(RowStyle& style, std::uint32_t row, float room) const; // `room`: of a cell
    float widest(std::uint32_t row, int digits, bool operands) const;
    void place(std::uint32_t block, std::uint32_t row);

    const TreeView& view_;
    std::vector<RowStyle> styles_;
    std::vector<float> x_;
    std::vector<std::uint8_t> lower_; // by cell of a staggered row
};

} // namespace warptree::scene
