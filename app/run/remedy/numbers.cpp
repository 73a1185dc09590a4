#include "app/run/remedy/numbers.hpp"

#include "app/base/identifier.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Where the operand that ends at `end` begins: a name or number with its members, calls and indices, or what brackets hold.
std::size_t operand_begin(const std::string& bare, std::size_t end, std::size_t from) {
    std::size_t at = end;
    while (at > from) {
        const char c = bare[at - 1];
        if (c == ')' || c == ']') {
            int depth = 0;
            do {
                --at;
                depth += bare[at] == ')' || bare[at] == ']' ? 1 : bare[at] == '(' || bare[at] == '[' ? -1 : 0;
            } while (at > from && depth > 0);
        } else if (in_identifier(c) || (c == '.' && at - 1 > from)) {
            --at;
        } else if (c == '>' && at - 1 > from && bare[at - 2] == '-') {
            at -= 2;
        } else {
            break;
        }
    }
    return at;
}

// The operand left of each such sign of a line, where it stands between two.
template <class F> void each_left_operand(const Statements& code, std::uint32_t line, char sign, const F& f) {
    const std::string& bare = code.bare();
    const std::size_t begin = code.line_begin(line), end = code.line_begin(line + 1);
    for (std::size_t at = bare.find(sign, begin); at < end; at = bare.find(sign, at + 1)) {
        const std::size_t last = at == 0 ? std::string::npos : bare.find_last_not_of(kBlanks, at - 1);
        if (last == std::string::npos || last < begin || at + 1 >= end || bare[at + 1] == sign) {
            continue;
        }
        const char before = bare[last];
        if (const std::size_t from = operand_begin(bare, last + 1, begin);
            from <= last && (in_identifier(before) || before == ')' || before == ']')) {
            f(from, at);
        }
    }
}

// Whether a declaration's type stands at `at`, and which.
std::string_view integer_type_at(const std::string& bare, std::size_t at) {
    constexpr std::array<std::string_view, 3> kTypes = {"int", "long", "short"};
    for (const std::string_view type : kTypes) {
        if (bare.compare(at, type.size(), type) == 0 && at + type.size() < bare.size() &&
            bare[at + type.size()] == ' ') {
            return type;
        }
    }
    return {};
}
} // namespace

std::vector<Change> wider_integers(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    constexpr const char* kWords = "numbers of 64 bits";
    for (const char sign : {'*', '+', '-'}) {
        each_left_operand(code, line, sign, [&](std::size_t from, std::size_t) {
            const TextEdit cast{from, from, "(long long)"};
            const Statement* const s = code.innermost(from);
            if (s != nullptr) {
                const std::size_t constant = code.bare().compare(s->begin, 6, "const ") == 0 ? 6 : 0;
                if (const auto type = integer_type_at(code.bare(), s->begin + constant); !type.empty()) {
                    const std::size_t at = s->begin + constant;
                    found.push_back({kWords, {{at, at + type.size(), "long long"}, cast}});
                }
            }
            found.push_back({kWords, {cast}});
        });
    }
    return found;
}

std::vector<Change> quotients_with_fraction(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const bool wide = find_word(bare, "double", code.line_begin(line), code.line_begin(line + 1)) != std::string::npos;
    each_left_operand(code, line, '/', [&](std::size_t from, std::size_t) {
        std::size_t end = from;
        while (end < bare.size() && is_digit(bare[end])) {
            ++end;
        }
        const bool number = end > from && !in_identifier(bare[end]) && bare[end] != '.'; // 1 / n
        found.push_back(
            {"a quotient with its fraction",
             {number ? TextEdit{end, end, wide ? ".0" : ".0f"} : TextEdit{from, from, wide ? "(double)" : "(float)"}}});
    });
    return found;
}

std::vector<Change> first_values(const Statements& code, const Finding& finding) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t use = code.line_begin(finding.line.line());
    const std::string name = finding.text.substr(0, finding.text.find(' '));
    const auto around = code.around(bare.find_first_not_of(kBlanks, use));
    if (name.empty() || around.empty()) {
        return found;
    }
    const std::size_t body = around.front()->begin, end = code.line_begin(finding.line.line() + 1);
    for (std::size_t at = find_word(bare, name, body, end); at != std::string::npos;
         at = find_word(bare, name, at + 1, end)) {
        const Statement* const s = code.innermost(at);
        const std::size_t past = at + name.size(), next = bare.find_first_not_of(kBlanks, past);
        if (s == nullptr || s->kind != Statement::Kind::plain || next == std::string::npos ||
            (bare[next] != ';' && bare[next] != ',')) {
            continue;
        }
        const std::size_t word_end = bare.find(' ', s->begin);
        constexpr std::array<std::string_view, 8> kTypes = {"float", "double",   "int",    "unsigned",
                                                            "long",  "long int", "size_t", "half"};
        const std::string type = word_end < at ? bare.substr(s->begin, word_end - s->begin) : "";
        if (std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end()) {
            found.push_back({"it begins with 0", {{past, past, " = 0"}}});
        }
        break;
    }
    return found;
}

namespace {
std::string lanes_from(bool up, const std::string& by) {
    return up ? "if (threadIdx.x % 32 >= " + by + ") " : "if (threadIdx.x % 32 + " + by + " < 32) ";
}

// v += t; of a line, where a statement before it has set t by a shuffle.
void guard_what_is_added(const Statements& code, std::uint32_t line, std::vector<Change>& found) {
    const std::string& bare = code.bare();
    const std::size_t begin = std::min(bare.find_first_not_of(kBlanks, code.line_begin(line)), bare.size());
    const Statement* const s = code.innermost(begin);
    const std::size_t equals =
        s == nullptr || s->kind != Statement::Kind::plain ? std::string::npos : assignment(bare, s->begin, s->end);
    if (equals == std::string::npos || equals <= s->begin) {
        return;
    }
    std::string added = trimmed_part(bare, equals + 1, s->end - 1);
    if (added.find_first_of(" +*") != std::string::npos) { // v = v + t
        added = added.substr(added.find_last_of(" +*") + 1);
    }
    const std::size_t body = code.around(s->begin).empty() ? begin : code.around(s->begin).front()->begin;
    for (const bool up : {true, false}) {
        const std::string_view name = up ? "__shfl_up_sync" : "__shfl_down_sync";
        std::size_t call = bare.rfind(name, s->begin);
        if (added.empty() || call == std::string::npos || call < body) {
            continue;
        }
        const Statement* const shuffle = code.innermost(call);
        const std::size_t set = shuffle == nullptr ? std::string::npos : assignment(bare, shuffle->begin, call);
        const std::size_t target =
            set == std::string::npos ? set : bare.find_last_not_of(kBlanks, set - 1) + 1 - added.size();
        const std::size_t open = bare.find('(', call), close = past_bracket(bare, open) - 1;
        const std::size_t first = outside_brackets(bare, ',', open + 1);
        const std::size_t second = first < close ? outside_brackets(bare, ',', first + 1) : std::string::npos;
        if (target >= call || bare.compare(target, added.size(), added) != 0 || second >= close) {
            continue;
        }
        const std::size_t last = std::min(outside_brackets(bare, ',', second + 1), close); // before a width
        found.push_back({"only lanes that have a source",
                         {{s->begin, s->begin, lanes_from(up, trimmed_part(code.text(), second + 1, last))}}});
    }
}
} // namespace

std::vector<Change> lanes_with_a_source(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t begin = code.line_begin(line), end = code.line_begin(line + 1);
    guard_what_is_added(code, line, found);
    for (const bool up : {true, false}) {
        const std::string_view name = up ? "__shfl_up_sync" : "__shfl_down_sync";
        const std::size_t call = find_word(bare, name, begin, end);
        const std::size_t open = call == std::string::npos ? call : bare.find('(', call);
        const Statement* const s = call == std::string::npos ? nullptr : code.innermost(call);
        if (open >= end || s == nullptr || s->kind != Statement::Kind::plain) {
            continue;
        }
        const std::size_t equals = assignment(bare, s->begin, s->end);
        std::array<std::size_t, 2> commas{};
        std::size_t at = open;
        for (std::size_t& comma : commas) {
            at = at == std::string::npos ? at : outside_brackets(bare, ',', at + 1);
            comma = at;
        }
        const std::size_t close = past_bracket(bare, open) - 1;
        if (equals == std::string::npos || equals > call || equals <= s->begin ||
            (bare[equals - 1] != '+' && bare[equals - 1] != '*') || commas[1] >= close ||
            bare.find_first_not_of(kBlanks, close + 1) != s->end - 1) {
            continue;
        }
        const auto text = [&](std::size_t from, std::size_t to) { return trimmed_part(code.text(), from, to); };
        const std::size_t last = std::min(outside_brackets(bare, ',', commas[1] + 1), close); // before a width
        const std::string by = text(commas[1] + 1, last), target = text(s->begin, equals + 1);
        const std::string guard = lanes_from(up, by);
        std::string other = "other";
        while (find_word(bare, other, 0, bare.size()) != std::string::npos) {
            other += '_';
        }
        const auto around = code.around(call);
        const bool alone = around.size() < 2 || around[around.size() - 2]->kind != Statement::Kind::block;
        const std::string indent = code.indent_at(s->begin);
        found.push_back({"only lanes that have a source",
                         {{s->begin, s->end,
                           (alone ? "{ " : "") + ("const auto " + other + " = ") + text(call, close + 1) + ";\n" +
                               indent + guard + target + ' ' + other + ';' + (alone ? " }" : "")}}});
    }
    return found;
}

std::vector<Change> wider_tile(const Statements& code, const std::string& array) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    for (std::size_t at = find_word(bare, "__shared__", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "__shared__", at + 1, bare.size())) {
        const std::size_t end = bare.find(';', at), name = find_word(bare, array, at, std::min(end, bare.size()));
        const std::size_t open = name == std::string::npos ? name : bare.find('[', name);
        for (std::size_t from = open; from < end && bare[from] == '['; from = past_bracket(bare, from)) {
            const std::size_t plus = bare.find('+', from), close = past_bracket(bare, from) - 1;
            if (plus < close) {
                const std::string left = trimmed_part(bare, from + 1, plus),
                                  right = trimmed_part(bare, plus + 1, close);
                if (!left.empty() && !right.empty() && std::all_of(right.begin(), right.end(), in_identifier)) {
                    found.push_back({"a halo on either side", {{from + 1, close, left + " + 2 * " + right}}});
                }
            }
        }
    }
    return found;
}

} // namespace warptree::runs
