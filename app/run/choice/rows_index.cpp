#include "app/run/choice/rows_index.hpp"

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace warptree::runs {

namespace {
std::vector<std::string> parts_at(const std::string& text, char sign) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = outside_brackets(text, sign); at != std::string::npos;
         at = outside_brackets(text, sign, from)) {
        parts.push_back(trimmed_part(text, from, at));
        from = at + 1;
    }
    parts.push_back(trimmed_part(text, from, text.size()));
    return parts;
}

std::string without_brackets(const std::string& text) {
    return text.starts_with('(') && past_bracket(text, 0) == text.size() ? trimmed_part(text, 1, text.size() - 1)
                                                                         : text;
}
} // namespace

std::optional<RowsIndex> rows_of(const std::string& index, const std::vector<std::string>& widths) {
    std::vector<std::string> terms = parts_at(index, '+');
    if (terms.size() < 2 || outside_brackets(index, '?') != std::string::npos) {
        return std::nullopt;
    }
    for (auto term = terms.begin(); term != terms.end(); ++term) {
        std::vector<std::string> factors = parts_at(*term, '*');
        if (factors.size() != 2 || outside_brackets(*term, '-') != std::string::npos) {
            continue;
        }
        const auto width = std::find_first_of(factors.rbegin(), factors.rend(), widths.begin(),
                                              widths.end()); // the second, if both are
        if (width == factors.rend()) {
            continue;
        }
        RowsIndex rows{"", *width, ""};
        rows.row = without_brackets(width == factors.rbegin() ? factors.front() : factors.back());
        terms.erase(term);
        rows.column = fmt::format("{}", fmt::join(terms, " + "));
        return rows;
    }
    return std::nullopt;
}

} // namespace warptree::runs
