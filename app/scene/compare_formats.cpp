// A comparison as text, Markdown, CSV and JSON.
#include "app/scene/compare_table.hpp"

#include "kernels/trace/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warptree::scene {

namespace {
std::size_t letters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string said(const CompareCell& cell) {
    const bool differs = !cell.delta.empty() && cell.delta != "=";
    const char* mark = cell.verdict == Verdict::worse ? " worse" : cell.verdict == Verdict::better ? " better" : "";
    return differs ? fmt::format("{} ({}{})", cell.text, cell.delta, mark) : cell.text;
}

std::vector<const CompareRow*> rows(const CompareTable& table) {
    std::vector<const CompareRow*> all;
    for (const auto* part : {&table.step, &table.run}) {
        for (const CompareRow& row : *part) {
            all.push_back(&row);
        }
    }
    return all;
}

std::string changes(const CompareTable& table) {
    std::string out;
    for (std::size_t i = 0; i < table.changes.size(); ++i) {
        out += fmt::format("{} after {}: {}\n", table.columns[i + 1], table.columns[i], table.changes[i]);
    }
    return out;
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}
} // namespace

std::string compare_text(const CompareTable& table) {
    std::vector<std::vector<std::string>> lines{{""}};
    lines[0].insert(lines[0].end(), table.columns.begin(), table.columns.end());
    for (const CompareRow* row : rows(table)) {
        auto& line = lines.emplace_back();
        line.push_back(row->label);
        for (const CompareCell& cell : row->cells) {
            line.push_back(said(cell));
        }
    }
    std::vector<std::size_t> widths(lines[0].size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], letters(line[i]));
        }
    }
    std::string out;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string pad(widths[i] - letters(line[i]), ' ');
            out += i == 0 ? line[i] + pad : "  " + pad + line[i];
        }
        out += "\n";
    }
    return out + "\n" + changes(table);
}

std::string compare_markdown(const CompareTable& table) {
    std::string out = "|  |", rule = "|---|";
    for (const std::string& column : table.columns) {
        out += " " + column + " |";
        rule += "---:|";
    }
    out += "\n" + rule + "\n";
    for (const CompareRow* row : rows(table)) {
        out += "| " + row->label + " |";
        for (const CompareCell& cell : row->cells) {
            out += " " + said(cell) + " |";
        }
        out += "\n";
    }
    return out + "\n" + changes(table);
}

std::string compare_csv(const CompareTable& table) {
    std::string out = "metric";
    for (const std::string& column : table.columns) {
        out += "," + quoted(column);
    }
    out += "\n";
    for (const CompareRow* row : rows(table)) {
        out += quoted(row->id);
        for (const CompareCell& cell : row->cells) {
            out += "," + (cell.value ? fmt::format("{}", *cell.value) : row->id == "step" ? quoted(cell.text) : "");
        }
        out += "\n";
    }
    return out;
}

std::string compare_json(std::span<const ComparedTrace> columns, const CompareTable& table) {
    nlohmann::ordered_json j{{"format", "warptree.comparison"}, {"version", 1}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        j["columns"].push_back({{"title", table.columns[c]}, {"note", columns[c].note}});
        j["reports"].push_back(nlohmann::ordered_json::parse(report_json(*columns[c].trace)));
    }
    j["metrics"] = nlohmann::ordered_json::array();
    for (const CompareRow* row : rows(table)) {
        nlohmann::ordered_json r{{"id", row->id}, {"label", row->label}, {"meaning", row->meaning}};
        r["values"] = nlohmann::ordered_json::array();
        for (const CompareCell& cell : row->cells) {
            r["values"].push_back(cell.value ? nlohmann::ordered_json(*cell.value) : nullptr);
        }
        j["metrics"].push_back(std::move(r));
    }
    j["changes"] = table.changes;
    return j.dump(1) + "\n";
}

} // namespace warptree::scene
