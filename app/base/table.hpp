// A table of texts, and the three formats in which tables are printed, copied and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warptree {

struct TableColumn {
    std::string title;   // may have several lines
    bool number = false; // right-aligned
    int keep = 0;        // when drawn without enough room, columns with the lowest number are dropped first
    std::string id{};    // the heading in CSV; empty: the title
};

// The text to show and, if that is rounded or has a unit, the exact value for CSV.
struct TableCell {
    std::string text;
    std::optional<std::string> exact; // nullopt: the text
    TableCell() = default;
    TableCell(std::string shown) : text(std::move(shown)) {} // NOLINT: a text is a cell
    TableCell(const char* shown) : text(shown) {}            // NOLINT
    TableCell(std::string shown, std::string value) : text(std::move(shown)), exact(std::move(value)) {}
    template <class Number>
        requires std::is_arithmetic_v<Number> TableCell(std::string shown, Number value) : text(std::move(shown)) {
            if constexpr (std::is_floating_point_v<Number>) {
                exact = shortest(static_cast<double>(value));
            } else {
                exact = std::to_string(value);
            }
        }

      private:
        static std::string shortest(double value); // shortest text that reads back as the same number
};

struct Table {
    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows; // each as long as the columns
    std::vector<std::size_t> marked{};        // rows that are highlighted when drawn
};

enum class TableFormat : std::uint8_t { text, markdown, csv };

// text: aligned columns, two blanks between them. markdown: GitHub's, "|" escaped. csv: RFC 4180, but lines
// end in "\n"; exact values. Ends in a newline.
std::string table_text(const Table& table, TableFormat as = TableFormat::text);
// Several tables one below the other, separated by an empty line.
std::string table_text(const std::vector<Table>& tables, TableFormat as = TableFormat::text);

} // namespace warptree
