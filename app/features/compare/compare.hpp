// Traces side by side as drawings: a column for each, and the table below. Pure functions, as all views.
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

// The views of a column. Without room for all, they are shown in this order, from the front one on and wrapping around.
enum class ComparePart : std::uint8_t { tree, warps, banks, table };
inline constexpr std::array kCompareParts{ComparePart::tree, ComparePart::warps, ComparePart::banks,
                                          ComparePart::table};
std::string_view name(ComparePart part); // "tree", "warps", "banks", "table"

// The name of a column, told apart from others by its end, at most `room` wide: whole; without a note in brackets; its
// end after the first dash, "…modulo" of "interleaved-modulo"; else its beginning.
std::string fitted_name(const TextMeasure& measure, const std::string& name, Face face, float size, float room);

struct CompareColumn {
    const Trace* trace = nullptr; // null: `message` is shown instead
    session::ColumnMoment at;
    std::string title, note, message;
    Target hover, selected;    // in this column's own trace
    bool name_threads = false; // the ids of the threads that combine in the current step, below its cells
    bool front = false;        // it is the one being changed
};
// Heading, tree, warps and banks in `area`; the drawing's hits are targets of the column's trace.
Drawing draw_compare_column(const CompareLook& look, Rect area, const CompareColumn& column, ComparePart front);

// How much of the table there is: the sentences alone; with the rows in which columns differ, and the others in one
// sentence; or everything.
enum class TableForm : std::uint8_t { sentences, differences, whole };
// Where the area is low, rows from `first` on, and how many more there are. Differences from the first column carry their
// sign, and what is worse a frame.
Drawing draw_compare_table(const CompareLook& look, Rect area, const CompareTable& table, TableForm form,
                           std::size_t first = 0);
// The height that the table wants at that width.
float compare_table_height(const CompareLook& look, float width, const CompareTable& table, TableForm form);

// Where columns and table lie in `area`, the same for the window and for pictures. One of the two may be empty: then
// `front` decides which is shown.
struct ComparePlan {
    std::vector<Rect> columns;
    Rect table;
    TableForm form = TableForm::whole;
};
// `folded`: of the table only the sentences.
ComparePlan plan_compare(const CompareLook& look, Rect area, std::size_t columns, const CompareTable& table,
                         ComparePart front, bool folded = false);

// The whole picture on its background.
Drawing compose_compare(const CompareLook& look, float width, float height, std::span<const CompareColumn> columns,
                        const CompareTable& table);

} // namespace warptree::scene
