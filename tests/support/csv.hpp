// A CSV reader (RFC 4180) for checking writers.
#pragma once

#include <string>
#include <vector>

namespace warptree {

// Lines of fields; an empty line is one empty field.
inline std::vector<std::vector<std::string>> parse_csv(const std::string& csv) {
    std::vector<std::vector<std::string>> lines(1, {""});
    bool quotes = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (quotes && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
            lines.back().back() += csv[++i];
        } else if (c == '"') {
            quotes = !quotes;
        } else if (!quotes && c == ',') {
            lines.back().emplace_back();
        } else if (!quotes && c == '\n') {
            lines.push_back({""});
        } else {
            lines.back().back() += c;
        }
    }
    lines.pop_back();
    return lines;
}

} // namespace warptree
