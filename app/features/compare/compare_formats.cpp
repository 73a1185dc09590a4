// A comparison as text, Markdown, CSV and JSON.
#include "app/features/compare/compare_table.hpp"

#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/table.hpp"
#include "app/trace/explain/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warptree::scene {

namespace {
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

Table shown(const CompareTable& table) {
    Table out{{{"", false, 0, "metric"}}, {}};
    for (const std::string& column : table.columns) {
        out.columns.push_back({column, true});
    }
    for (const CompareRow* row : rows(table)) {
        auto& line = out.rows.emplace_back();
        line.push_back({row->label, row->id});
        for (const CompareCell& cell : row->cells) {
            line.push_back(cell.value ? TableCell(said(cell), *cell.value)
                                      : TableCell(said(cell), row->id == "step" ? cell.text : std::string()));
        }
    }
    return out;
}
} // namespace

std::string compare_text(const CompareTable& table) { return table_text(shown(table)) + "\n" + changes(table); }

std::string compare_markdown(const CompareTable& table) {
    return table_text(shown(table), TableFormat::markdown) + "\n" + changes(table);
}

std::string compare_csv(const CompareTable& table) { return table_text(shown(table), TableFormat::csv); }

std::string compare_json(std::span<const ComparedTrace> columns, const CompareTable& table) {
    nlohmann::ordered_json j{{"format", "warptree.comparison"}, {"version", 1}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        j["columns"].push_back({{"title", table.columns[c]}, {"note", columns[c].note}});
        j["reports"].push_back(parse_json(report_json(*columns[c].trace), UINT64_MAX));
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
    return json_text(j, 1) + "\n";
}

} // namespace warptree::scene
