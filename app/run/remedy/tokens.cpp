#include "app/run/remedy/tokens.hpp"

#include "app/base/identifier.hpp"
#include "app/run/program/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
class TokenChanges {
  public:
    TokenChanges(const Statements& code, std::uint32_t line) : code_(code), bare_(code.bare()) {
        begin_ = std::min(bare_.find_first_not_of(kBlanks, code.line_begin(line)), bare_.size());
        end_ = code.line_begin(line + 1);
        const std::vector<const Statement*> around = code.around(begin_);
        if (!around.empty()) {
            body_ = around.front();
            numbers_ = whole_parameters();
        }
    }

    std::vector<Change> all() {
        if (body_ != nullptr) {
            row_lengths();
            bounds_exchanged();
            wrap();
            rest_of_a_part();
            parts_left();
            halves();
            orders();
            lower_indices();
        }
        return std::move(found_);
    }

    std::vector<Change> wrapped() {
        if (body_ != nullptr) {
            wrap();
        }
        return std::move(found_);
    }

  private:
    void wrap() {
        masks();
        remainders();
    }

    // Names of the function's parameters that are integers: "int n", "const unsigned rows".
    std::vector<std::string> whole_parameters() const {
        std::vector<std::string> names;
        const std::size_t close = bare_.rfind(')', body_->begin);
        std::size_t open = close;
        for (int depth = 0; open != std::string::npos && open > 0; --open) {
            depth += bare_[open] == ')' ? 1 : bare_[open] == '(' ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        if (close == std::string::npos || open == std::string::npos || bare_[open] != '(') {
            return names;
        }
        for (const TextRange& word : words_between(bare_, open + 1, close)) {
            const std::string text = trimmed_part(bare_, word.first, word.second);
            const std::size_t last = text.find_last_of(" \t");
            constexpr std::array<std::string_view, 3> kWhole = {"int", "unsigned", "size_t"};
            const auto names_it = [&](std::string_view type) {
                return find_word(text, type, 0, text.size()) != std::string::npos;
            };
            if (last != std::string::npos && text.find_first_of("*&[") == std::string::npos &&
                std::any_of(kWhole.begin(), kWhole.end(), names_it)) {
                names.push_back(text.substr(last + 1));
            }
        }
        return names;
    }

    bool is_number(const std::string& name) const { return std::ranges::find(numbers_, name) != numbers_.end(); }
    void add(std::string words, std::vector<TextEdit> edits) { found_.push_back({std::move(words), std::move(edits)}); }

    // The name that begins at `at`, or behind blanks.
    TextRange name_from(std::size_t at) const {
        at = std::min(bare_.find_first_not_of(kBlanks, at), bare_.size());
        std::size_t end = at;
        while (end < bare_.size() && in_identifier(bare_[end])) {
            ++end;
        }
        return {at, end};
    }
    std::string word(TextRange range) const { return bare_.substr(range.first, range.second - range.first); }

    // a[r * rows + c]: of another side's length.
    void row_lengths() {
        for (std::size_t at = bare_.find('*', begin_); at < end_; at = bare_.find('*', at + 1)) {
            const TextRange by = name_from(at + 1);
            if (!is_number(word(by))) {
                continue;
            }
            for (const std::string& other : numbers_) {
                if (other != word(by)) {
                    add(fmt::format("{} as the length of a row", other), {{by.first, by.second, other}});
                }
            }
        }
    }

    // r < cols && c < rows.
    void bounds_exchanged() {
        std::vector<TextRange> bounds;
        for (std::size_t at = bare_.find_first_of("<>", body_->begin); at < body_->end;
             at = bare_.find_first_of("<>", at + 1)) {
            const TextRange bound = name_from(at + (bare_[at + 1] == '=' ? 2 : 1));
            if (is_number(word(bound))) {
                bounds.push_back(bound);
            }
        }
        for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
            const std::string a = word(bounds[i]), b = word(bounds[i + 1]);
            const std::size_t between = bare_.find_first_of(";{", bounds[i].second);
            if (a != b && between > bounds[i + 1].first) {
                add("the two bounds the other way round",
                    {{bounds[i].first, bounds[i].second, b}, {bounds[i + 1].first, bounds[i + 1].second, a}});
            }
        }
    }

    // key & RADIX, which has one bit.
    void masks() {
        for (std::size_t at = bare_.find('&', body_->begin); at < body_->end; at = bare_.find('&', at + 1)) {
            const TextRange mask = name_from(at + 1);
            const bool single = bare_[at + 1] != '&' && bare_[at - 1] != '&' && mask.second > mask.first;
            const std::size_t behind = bare_.find_first_not_of(kBlanks, mask.second);
            if (single && behind != std::string::npos &&
                (bare_[behind] == ']' || bare_[behind] == ')' || bare_[behind] == ';')) {
                add("a mask of all lower bits", {{mask.first, mask.second, fmt::format("({} - 1)", word(mask))}});
            }
        }
    }

    // (x - 1) % w, which is negative where x is 0.
    void remainders() {
        std::vector<TextEdit> edits;
        for (std::size_t at = bare_.find('%', begin_); at < end_; at = bare_.find('%', at + 1)) {
            const std::size_t close = at == 0 ? std::string::npos : bare_.find_last_not_of(kBlanks, at - 1);
            const TextRange by = name_from(at + 1);
            if (close != std::string::npos && bare_[close] == ')' && by.second > by.first) {
                edits.push_back({close, close, " + " + word(by)});
            }
        }
        if (!edits.empty()) {
            add("a remainder of what is not negative", std::move(edits));
        }
    }

    // Of "i < n" in the body: the name on the left, "" where something else stands there, and the bound.
    struct Bound {
        std::string name;
        TextRange bound;
        std::size_t order = 0; // where "<" stands
    };
    std::vector<Bound> upper_bounds() const {
        std::vector<Bound> all;
        for (std::size_t at = bare_.find('<', body_->begin); at < body_->end; at = bare_.find('<', at + 1)) {
            const TextRange bound = name_from(at + 1);
            std::size_t end = bare_.find_last_not_of(kBlanks, at - 1) + 1, begin = end;
            while (begin > body_->begin && in_identifier(bare_[begin - 1])) {
                --begin;
            }
            if (is_number(word(bound)) && begin < end) {
                all.push_back({bare_.substr(begin, end - begin), bound, at});
            }
        }
        return all;
    }

    // i < n of a thread that takes k elements from its own on.
    void parts_left() {
        for (const Bound& bound : upper_bounds()) {
            for (const std::string& other : numbers_) {
                if (other != word(bound.bound) && other != bound.name) {
                    add(fmt::format("only where {} elements are left", other),
                        {{bound.order, bound.order + 1, fmt::format("+ {} <=", other)}});
                }
            }
        }
    }

    // a[b + k] in a loop to a part's length: of the last part the elements that are left.
    void rest_of_a_part() {
        for (const Bound& outer : upper_bounds()) {
            for (std::size_t at = bare_.find('[', begin_); at < end_; at = bare_.find('[', at + 1)) {
                const std::string index = trimmed_part(bare_, at + 1, past_bracket(bare_, at) - 1);
                const std::size_t sum = index.find(outer.name + " + ");
                if (sum == std::string::npos) {
                    continue;
                }
                const std::string inner = index.substr(sum + outer.name.size() + 3);
                const std::size_t loop = bare_.find(inner + " < ", body_->begin);
                const std::size_t ends = loop >= body_->end ? loop : bare_.find(';', loop);
                if (is_name(inner) && ends < body_->end) {
                    add("as many as are left",
                        {{ends, ends, fmt::format(" && {} + {} < {}", outer.name, inner, word(outer.bound))}});
                }
            }
        }
    }

    // i < n of threads that exchange two elements each.
    void halves() {
        for (const Bound& bound : upper_bounds()) {
            add("each pair by one thread", {{bound.bound.second, bound.bound.second, " / 2"}});
        }
    }

    void orders() {
        for (std::size_t at = bare_.find_first_of("<>", body_->begin); at < body_->end;
             at = bare_.find_first_of("<>", at + 1)) {
            const bool shifts = bare_[at + 1] == bare_[at] || bare_[at - 1] == bare_[at] || bare_[at - 1] == '-';
            if (shifts) {
                continue;
            }
            const bool equal = bare_[at + 1] == '=';
            add(equal ? fmt::format("{} for {}=", bare_[at], bare_[at])
                      : fmt::format("{}= for {}", bare_[at], bare_[at]),
                {equal ? TextEdit{at + 1, at + 2, ""} : TextEdit{at + 1, at + 1, "="}});
        }
    }

    // a[k] for one that counts from 1.
    void lower_indices() {
        for (std::size_t open = bare_.find('[', begin_); open < end_; open = bare_.find('[', open + 1)) {
            const std::size_t close = past_bracket(bare_, open) - 1;
            const std::string index = trimmed_part(bare_, open + 1, close);
            if (close < bare_.size() && !index.empty() && index.find_first_of("[,") == std::string::npos) {
                add("the element before", {{close, close, " - 1"}});
            }
        }
    }

    const Statements& code_;
    const std::string& bare_;
    std::size_t begin_ = 0, end_ = 0; // of the line
    const Statement* body_ = nullptr;
    std::vector<std::string> numbers_;
    std::vector<Change> found_;
};
} // namespace

std::vector<Change> wrapped_indices(const Statements& code, std::uint32_t line) {
    return TokenChanges(code, line).wrapped();
}

std::vector<Change> first_extremes(const Statements& code) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const auto has = [&](std::string_view name) { return find_word(bare, name, 0, bare.size()) != std::string::npos; };
    const bool most = has("fmaxf") || has("max") || has("fmax"), least = has("fminf") || has("min") || has("fmin");
    for (const bool maximum : {true, false}) {
        for (std::size_t at = bare.find_first_of("=:"); (maximum ? most : least) && at != std::string::npos;
             at = bare.find_first_of("=:", at + 1)) {
            const std::size_t begin = bare.find_first_not_of(kBlanks, at + 1);
            std::size_t end = begin;
            while (end < bare.size() && (in_identifier(bare[end]) || bare[end] == '.')) {
                ++end;
            }
            const std::string zero = begin == std::string::npos ? "" : bare.substr(begin, end - begin);
            const bool real = zero == "0.0f" || zero == "0.f" || zero == "0.0" || zero == "0.", whole = zero == "0";
            if ((real || whole) && (bare[end] == ';' || bare[end] == ',' || bare[end] == ')')) {
                const std::string_view sign = maximum ? "-" : "";
                const std::string value = real      ? std::string(sign) + "INFINITY"
                                          : maximum ? "(-2147483647 - 1)"
                                                    : "2147483647";
                found.push_back(
                    {maximum ? "a maximum that begins below all elements" : "a minimum that begins above all elements",
                     {{begin, end, value}}});
                if (whole) {
                    found.push_back({found.back().words, {{begin, end, std::string(sign) + "INFINITY"}}});
                }
            }
        }
    }
    return found;
}

std::vector<Change> token_changes(const Statements& code, std::uint32_t line) { return TokenChanges(code, line).all(); }

} // namespace warptree::runs
