#include "app/run/remedy/atomics.hpp"

#include "app/base/identifier.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace warptree::runs {

namespace {
// "*best" or "bins[k]", as an atomic operation takes it.
std::string address_of(const std::string& element) {
    const bool pointer = element.starts_with("(*") && element.ends_with(')');
    return pointer                    ? element.substr(2, element.size() - 3)
           : element.starts_with('*') ? element.substr(1)
                                      : "&" + element;
}

// Where what "++" changes begins: a name with its indices, or what is between parentheses.
std::size_t operand_before(const std::string& bare, std::size_t at) {
    while (at > 0 && (bare[at - 1] == ']' || bare[at - 1] == ')')) {
        const char close = bare[at - 1], open = close == ']' ? '[' : '(';
        int depth = 0;
        do {
            --at;
            depth += bare[at] == close ? 1 : bare[at] == open ? -1 : 0;
        } while (at > 0 && depth > 0);
    }
    while (at > 0 && in_identifier(bare[at - 1])) {
        --at;
    }
    return at;
}

// A statement that does nothing but change an element.
struct Update {
    std::string operation, element, by; // "atomicAdd", "bins[k]", "1"
};

std::optional<Update> update_of(const Statements& code, const Statement& s) {
    const std::string& bare = code.bare();
    const std::size_t end = s.end - 1; // the semicolon
    const auto part = [&](std::size_t from, std::size_t to) { return trimmed_part(code.text(), from, to); };
    for (const auto& [op, name, sign] :
         {std::tuple{"+=", "atomicAdd", ""}, std::tuple{"-=", "atomicAdd", "-"}, std::tuple{"|=", "atomicOr", ""},
          std::tuple{"&=", "atomicAnd", ""}, std::tuple{"^=", "atomicXor", ""}}) {
        if (const std::size_t at = bare.find(op, s.begin); at < end) {
            const std::string by = part(at + 2, end);
            return Update{name, part(s.begin, at), *sign == 0 ? by : std::string(sign) + "(" + by + ")"};
        }
    }
    if (const std::size_t at = bare.find("++", s.begin); at < end) {
        return Update{"atomicAdd", at == s.begin ? part(at + 2, end) : part(s.begin, at), "1"};
    }
    const std::size_t equals = bare.find('=', s.begin);
    if (equals >= end) {
        return std::nullopt;
    }
    const std::string to = part(s.begin, equals), value = part(equals + 1, end);
    if (value.starts_with(to + " + ") || value.starts_with(to + "+")) {
        return Update{"atomicAdd", to, trimmed_part(value, value.find('+') + 1, value.size())};
    }
    for (const auto& [call, name] : {std::pair{"max(", "atomicMax"}, std::pair{"min(", "atomicMin"}}) {
        const std::size_t begin = value.find(call), comma = value.find(',');
        if (begin == std::string::npos || comma == std::string::npos || value.back() != ')') {
            continue;
        }
        const std::string first = trimmed_part(value, begin + 4, comma);
        const std::string second = trimmed_part(value, comma + 1, value.size() - 1);
        if (first == to || second == to) {
            return Update{name, to, first == to ? second : first};
        }
    }
    return std::nullopt;
}

// The innermost branch that `at` stands in; null: none.
const Statement* branch_around(const Statements& code, std::size_t at) {
    const Statement* branch = nullptr;
    for (const Statement* s : code.around(at)) {
        branch = s->kind == Statement::Kind::branch && at >= s->condition_end ? s : branch;
    }
    return branch;
}

// What a condition asks, all of which must hold.
std::vector<std::string> asked(const Statements& code, const Statement& branch) {
    std::vector<std::string> all;
    const std::string& bare = code.bare();
    for (std::size_t begin = branch.condition_begin; begin < branch.condition_end;) {
        std::size_t end = begin;
        while (end < branch.condition_end && bare.compare(end, 2, "&&") != 0) {
            end = bare[end] == '(' || bare[end] == '[' ? past_bracket(bare, end) : end + 1;
        }
        all.push_back(trimmed_part(code.text(), begin, end));
        begin = end + 2;
    }
    return all;
}

struct Comparison {
    std::string left, sign, right;
};
std::optional<Comparison> comparison(const std::string& text) {
    const std::size_t at = text.find_first_of("<>=!");
    if (at == std::string::npos || at + 1 >= text.size()) {
        return std::nullopt;
    }
    const std::size_t end = at + (text[at + 1] == '=' ? 2 : 1);
    return Comparison{trimmed_part(text, 0, at), text.substr(at, end - at), trimmed_part(text, end, text.size())};
}
} // namespace

bool is_tested_first(const Statements& code, const std::string& array, std::size_t at) {
    for (const Statement* s : code.around(at)) {
        if (s->kind == Statement::Kind::branch && at >= s->condition_end && !array.empty() &&
            find_word(code.bare(), array, s->condition_begin, s->condition_end) != std::string::npos) {
            return true;
        }
    }
    return false;
}

std::vector<Change> atomic_tests(const Statements& code, const std::string& array, std::size_t at) {
    std::vector<Change> found;
    const Statement* const s = code.innermost(at);
    const Statement* const branch = branch_around(code, at);
    const std::size_t equals = s == nullptr ? std::string::npos : assignment(code.bare(), s->begin, s->end);
    if (equals == std::string::npos || s->kind != Statement::Kind::plain || branch == nullptr ||
        branch->parts.size() != 1) { // two: what is done else
        return found;
    }
    const std::string to = trimmed_part(code.text(), s->begin, equals);
    const std::string value = trimmed_part(code.text(), equals + 1, s->end - 1);
    const Statement& body = branch->parts.front();
    const bool alone = &body == s || (body.parts.size() == 1 && &body.parts.front() == s);
    std::vector<std::string> others;
    std::string tested, swapped;
    for (const std::string& one : asked(code, *branch)) {
        const auto c = comparison(one);
        const std::string other = !c ? "" : c->left == to ? c->right : c->right == to ? c->left : "";
        if (other.empty()) {
            others.push_back(one);
        } else if (other == value && (c->sign[0] == '<' || c->sign[0] == '>')) {
            tested = fmt::format("{}({}, {})", (c->sign[0] == '>') == (c->left == value) ? "atomicMax" : "atomicMin",
                                 address_of(to), value);
        } else if (c->sign == "==") {
            tested = fmt::format("atomicCAS({}, {}, {})", address_of(to), other, value);
            swapped = tested + " == " + other;
        }
    }
    const std::string condition = fmt::format("{}", fmt::join(others, " && "));
    if (tested.empty() || find_word(condition, array, 0, condition.size()) != std::string::npos) {
        return found;
    }
    if (alone) {
        found.push_back({"an atomic operation, which tests and stores at once",
                         {{branch->begin, branch->end,
                           fmt::format("{}{};", condition.empty() ? "" : "if (" + condition + ") ", tested)}}});
    } else if (!swapped.empty() && !body.parts.empty() && &body.parts.front() == s) {
        std::size_t past = code.bare().find_first_not_of(" \t\n", s->end);
        found.push_back({"an atomic operation, which tests and stores at once",
                         {{branch->condition_begin, branch->condition_end,
                           condition.empty() ? swapped : condition + " && " + swapped},
                          {s->begin, past, ""}}});
    }
    return found;
}

namespace {
constexpr const char* kTakes = "an atomic operation, which takes a slot";

// int slot = *count; …; what changes *count: the slot is what the call gives, and the change goes.
void take_before(const Statements& code, const Statement& change, const std::string& element, const std::string& call,
                 std::vector<Change>& found) {
    const std::string& bare = code.bare();
    const auto around = code.around(change.begin);
    if (around.size() < 2) {
        return;
    }
    for (const Statement& before : around[around.size() - 2]->parts) {
        const std::size_t equals = before.kind == Statement::Kind::plain && before.end <= change.begin
                                       ? assignment(bare, before.begin, before.end)
                                       : std::string::npos;
        if (equals != std::string::npos && trimmed_part(bare, equals + 1, before.end - 1) == element) {
            found.push_back({kTakes,
                             {{equals + 1, before.end - 1, ' ' + call},
                              {bare.find_last_not_of(kBlanks, change.begin - 1) + 1, change.end, ""}}});
        }
    }
}
} // namespace

std::vector<Change> atomic_slots(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t at = find_word(bare, "atomicAdd", code.line_begin(line), code.line_begin(line + 1));
    const Statement* const s = at == std::string::npos ? nullptr : code.innermost(at);
    if (s == nullptr || s->kind != Statement::Kind::plain || s->begin != at) {
        return found;
    }
    const std::size_t open = bare.find('(', at), comma = outside_brackets(bare, ',', open + 1);
    if (comma >= s->end) {
        return found;
    }
    const std::string counter = trimmed_part(bare, open + 1, comma), call = trimmed_part(code.text(), at, s->end - 1);
    for (const std::string& element : counter.starts_with('&')
                                          ? std::vector<std::string>{trimmed_part(counter, 1, counter.size())}
                                          : std::vector<std::string>{"*" + counter, counter + "[0]"}) {
        take_before(code, *s, element, call, found);
    }
    return found;
}

std::vector<Change> atomic_updates(const Statements& code, std::size_t at) {
    std::vector<Change> found;
    const auto around = code.around(at);
    const Statement* const s = code.innermost(at);
    if (s == nullptr || s->kind != Statement::Kind::plain) {
        return found;
    }
    const std::string& bare = code.bare();
    if (const std::size_t plus = bare.find("++", s->begin);
        plus < s->end && assignment(bare, s->begin, plus) != std::string::npos) { // int slot = (*count)++
        const std::size_t begin = operand_before(bare, plus);
        found.push_back(
            {"an atomic operation",
             {{begin, plus + 2, "atomicAdd(" + address_of(trimmed_part(code.text(), begin, plus)) + ", 1)"}}});
        return found;
    }
    const auto update = update_of(code, *s);
    if (!update) {
        return found;
    }
    const std::string call = fmt::format("{}({}, {})", update->operation, address_of(update->element), update->by);
    // out[*count] = x; *count += 1;
    if (around.size() > 1) {
        const std::string slot = "[" + update->element + "]";
        for (const Statement& before : around[around.size() - 2]->parts) {
            const std::size_t used = bare.find(slot, before.begin);
            if (before.kind == Statement::Kind::plain && before.end <= s->begin && used < before.end) {
                found.push_back({kTakes,
                                 {{used + 1, used + slot.size() - 1, call},
                                  {bare.find_last_not_of(kBlanks, s->begin - 1) + 1, s->end, ""}}});
            }
        }
    }
    take_before(code, *s, update->element, call, found);
    found.push_back({"an atomic operation", {{s->begin, s->end - 1, call}}});
    return found;
}

} // namespace warptree::runs
