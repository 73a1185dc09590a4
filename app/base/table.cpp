#include "app/base/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warptree {

namespace {
std::size_t letters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    return lines;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string text_of(const Table& table) {
    std::vector<std::vector<std::string>> titles;
    std::vector<std::size_t> widths;
    std::size_t high = 1;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        titles.push_back(lines_of(table.columns[c].title));
        high = std::max(high, titles.back().size());
        std::size_t most = 0;
        for (const std::string& line : titles.back()) {
            most = std::max(most, letters(line));
        }
        for (const auto& row : table.rows) {
            most = std::max(most, letters(row[c].text));
        }
        widths.push_back(most);
    }
    std::string out;
    const auto put_row = [&](auto cell) {
        std::string row;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const std::string text = cell(c), pad(widths[c] - letters(text), ' ');
            row += (c == 0 ? "" : "  ") + (table.columns[c].number ? pad + text : text + pad);
        }
        out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    };
    for (std::size_t line = 0; line < high; ++line) {
        put_row([&](std::size_t c) { return line < titles[c].size() ? titles[c][line] : std::string(); });
    }
    for (const auto& row : table.rows) {
        put_row([&](std::size_t c) { return row[c].text; });
    }
    return out;
}

std::string markdown_of(const Table& table) {
    const auto cell = [](const std::string& text) {
        std::string out;
        for (const char c : one_line(text)) {
            out += c == '|' ? "\\|" : std::string(1, c);
        }
        return out;
    };
    std::string out = "|", rule = "|";
    for (const TableColumn& column : table.columns) {
        out += " " + cell(column.title) + " |";
        rule += column.number ? "---:|" : "---|";
    }
    out += "\n" + rule + "\n";
    for (const auto& row : table.rows) {
        out += "|";
        for (const TableCell& c : row) {
            out += " " + cell(c.text) + " |";
        }
        out += "\n";
    }
    return out;
}

std::string csv_of(const Table& table) {
    const auto quoted = [](const std::string& text) {
        if (text.find_first_of(",\"\r\n") == std::string::npos) {
            return text;
        }
        std::string out = "\"";
        for (const char c : text) {
            out += c == '"' ? "\"\"" : std::string(1, c);
        }
        return out + "\"";
    };
    std::string out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const TableColumn& column = table.columns[c];
        out += (c == 0 ? "" : ",") + quoted(column.id.empty() ? one_line(column.title) : column.id);
    }
    out += "\n";
    for (const auto& row : table.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            out += (c == 0 ? "" : ",") + quoted(row[c].exact.value_or(row[c].text));
        }
        out += "\n";
    }
    return out;
}
} // namespace

std::string TableCell::shortest(double value) { return fmt::format("{}", value); }

std::string table_text(const Table& table, TableFormat as) {
    switch (as) {
    case TableFormat::markdown: return markdown_of(table);
    case TableFormat::csv: return csv_of(table);
    case TableFormat::text: break;
    }
    return text_of(table);
}

std::string table_text(const std::vector<Table>& tables, TableFormat as) {
    std::string out;
    for (const Table& table : tables) {
        out += (out.empty() ? "" : "\n") + table_text(table, as);
    }
    return out;
}

} // namespace warptree
