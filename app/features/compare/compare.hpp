// Traces side by side as drawings: a column for each, and the table below. Pure functions, like all views.
#pragma once

#include "app/features/compare/compare_table.hpp"
#include "app/views/views.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace warptree::scene {

struct CompareLook {
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1; // of text and drawing, 0.75 … 3
    float px(float at_scale_1) const { return at_scale_1 * scale; }
};

// The views of a column. If not all fit, they are shown in this order, starting with the front one and wrapping around.
enum class ComparePart : std::uint8_t { tree, warps, banks, table };
inline constexpr std::array kCompareParts{ComparePart::tree, ComparePart::warps, ComparePart::banks,
                                          ComparePart::table};
std::string_view name(ComparePart part); // "tree", "warps", "banks", "table"

// A column's name, at most `room` wide: the first of these that fits: whole; without the note in parentheses; only what
// follows the first dash, "…modulo" of "interleaved-modulo" (names differ at their ends). Else its beginning.
std::string fitted_name(const TextMeasure& measure, const std::string& name, Face face, float size, float room);

struct CompareColumn {
    const Trace* trace = nullptr; // null: `message` is shown instead
    session::ColumnMoment at;
    std::string title, note, message;
    Target hover, selected;    // in this column's own trace
    bool name_threads = false; // show the ids of the threads that combine in the current step, below its cells
    bool front = false;        // the one being changed
};
// Heading, tree, warps and banks in `area`; the drawing's hits are targets of the column's trace.
Drawing draw_compare_column(const CompareLook& look, Rect area, const CompareColumn& column, ComparePart front);

// How much of the table is shown: only the sentences; also the rows in which columns differ, with the others in one
// sentence; or everything.
enum class TableForm : std::uint8_t { sentences, differences, whole };
// If not all rows fit: those from `first` on, and the number of rows below. Differences from the first column have a
// sign, worse values a frame.
Drawing draw_compare_table(const CompareLook& look, Rect area, const CompareTable& table, TableForm form,
                           std::size_t first = 0);
// The height of the whole table at that width.
float compare_table_height(const CompareLook& look, float width, const CompareTable& table, TableForm form);

// The layout of columns and table in `area`, the same for the window and for pictures. If there is room for only one
// of the two, `front` decides which.
struct ComparePlan {
    std::vector<Rect> columns;
    Rect table;
    TableForm form = TableForm::whole;
};
// `folded`: only the sentences of the table.
ComparePlan plan_compare(const CompareLook& look, Rect area, std::size_t columns, const CompareTable& table,
                         ComparePart front, bool folded = false);

// The whole picture on its background.
Drawing compose_compare(const CompareLook& look, float width, float height, std::span<const CompareColumn> columns,
                        const CompareTable& table);

} // namespace warptree::scene
