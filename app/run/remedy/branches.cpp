#include "app/run/remedy/branches.hpp"

#include "app/base/identifier.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace warptree::runs {

namespace {
bool joins(const std::string& bare, std::size_t begin, std::size_t end) {
    constexpr std::array<std::string_view, 3> kJoining = {"__syncthreads", "_sync(", ".sync("};
    return std::any_of(kJoining.begin(), kJoining.end(),
                       [&](std::string_view word) { return bare.find(word, begin) < end; });
}

// "i < n" of i >= n, "i < n && j < m" of i >= n || j >= m; else what is not.
std::string negated(const std::string& condition) {
    constexpr std::size_t kLongest = 200;
    if (condition.size() > kLongest) {
        return "!(" + condition + ')';
    }
    for (const auto& [either, both] : {std::pair<std::string_view, std::string_view>{"||", "&&"}, {"&&", "||"}}) {
        const std::size_t at = condition.find(either);
        if (at == std::string::npos || condition.find(both) != std::string::npos) {
            continue;
        }
        const std::string left = negated(trimmed_part(condition, 0, at)),
                          right = negated(trimmed_part(condition, at + 2, condition.size()));
        return left + ' ' + std::string(both) + ' ' + right;
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOpposites = {
        {{">=", "<"}, {"<=", ">"}, {"==", "!="}, {"!=", "=="}, {">", "<="}, {"<", ">="}}};
    for (const auto& [operation, opposite] : kOpposites) {
        const std::size_t at = condition.find(operation);
        if (at != std::string::npos && condition.find_first_of("<>=!&|", at + operation.size()) == std::string::npos &&
            condition.find_first_of("<>=!&|") == at) {
            return trimmed_part(condition, 0, at) + ' ' + std::string(opposite) + ' ' +
                   trimmed_part(condition, at + operation.size(), condition.size());
        }
    }
    if (condition.starts_with('!') && is_one_term(condition.substr(1))) {
        return condition.substr(1);
    }
    return is_one_term(condition) ? '!' + condition : "!(" + condition + ')';
}

class Conditions {
  public:
    // values: what is stored before all join is 0 elsewhere, instead of not stored. all: of statements, too, that use nothing that the
    // condition does.
    Conditions(const Statements& code, std::string condition, bool values, bool all)
        : code_(code), condition_(std::move(condition)), values_(values), all_(all) {}

    void of_parts(const Statement& block, std::size_t from) {
        for (const Statement& part : block.parts) {
            if (part.begin >= from) {
                of(part);
            }
        }
    }
    std::vector<TextEdit> edits;

  private:
    void of(const Statement& s) {
        const std::string& bare = code_.bare();
        if (joins(bare, s.begin, s.end)) {
            joined_ = true;
            if (s.kind == Statement::Kind::block) {
                of_parts(s, 0);
            } else {
                for (const Statement& part : s.parts) {
                    of(part);
                }
            }
            return;
        }
        const std::size_t equals =
            s.kind == Statement::Kind::plain ? assignment(bare, s.begin, s.end) : std::string::npos;
        const bool loads = equals != std::string::npos && bare.find('[', equals) < s.end;
        const bool plain = equals != std::string::npos && equals > s.begin &&
                           std::string_view("+-*/%&|^").find(bare[equals - 1]) == std::string_view::npos;
        if (declares(code_, s) || (values_ && !joined_ && loads && plain)) {
            if (loads) {
                edits.push_back({equals + 1, equals + 1, ' ' + condition_ + " ?"});
                edits.push_back({s.end - 1, s.end - 1, " : 0"});
            }
        } else if (bare.compare(s.begin, 6, "return") != 0 && s.end > s.begin + 1 && (all_ || uses(s))) {
            edits.push_back({s.begin, s.begin, "if (" + condition_ + ") "});
        }
    }

    // A variable of the condition.
    bool uses(const Statement& s) const {
        for (std::size_t at = 0; at < condition_.size();) {
            std::size_t end = at;
            while (end < condition_.size() && in_identifier(condition_[end])) {
                ++end;
            }
            if (end > at && std::isdigit(static_cast<unsigned char>(condition_[at])) == 0 &&
                find_word(code_.bare(), condition_.substr(at, end - at), s.begin, s.end) != std::string::npos) {
                return true;
            }
            at = std::max(end, at + 1);
        }
        return false;
    }

    const Statements& code_;
    std::string condition_;
    bool values_, all_, joined_ = false;
};

bool only_returns(const Statements& code, const Statement& branch) {
    if (branch.kind != Statement::Kind::branch || branch.parts.size() != 1) {
        return false;
    }
    const Statement* body = &branch.parts.front();
    if (body->kind == Statement::Kind::block && body->parts.size() == 1) {
        body = &body->parts.front();
    }
    return body->kind == Statement::Kind::plain && code.bare().compare(body->begin, 7, "return;") == 0;
}
} // namespace

std::vector<Change> conditions_of_statements(const Statements& code, std::uint32_t line) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t at = bare.find_first_not_of(" \t", code.line_begin(line));
    const auto around = code.around(at);
    const auto add = [&](const Statement& block, std::size_t from, const std::string& condition, TextEdit head) {
        for (const bool all : {false, true}) {
            for (const bool values : {true, false}) {
                Conditions conditions(code, condition, values, all);
                conditions.of_parts(block, from);
                conditions.edits.push_back(head);
                found.push_back(
                    {"all threads come to it, each statement has its own condition", std::move(conditions.edits)});
            }
        }
    };
    for (const Statement* s : around) {
        for (const Statement& part : s->parts) {
            if (s->kind == Statement::Kind::block && part.end <= at && only_returns(code, part)) {
                const std::string condition = trimmed_part(code.text(), part.condition_begin, part.condition_end);
                const std::size_t from = code.line_begin(code.line_of(part.begin)),
                                  to = code.line_begin(code.line_of(part.end - 1) + 1);
                const bool lines =
                    trimmed_part(bare, from, part.begin).empty() && trimmed_part(bare, part.end, to).empty();
                add(*s, part.end, negated(condition),
                    lines ? TextEdit{from, to, ""} : TextEdit{part.begin, part.end, ""});
            }
        }
        if (s->kind == Statement::Kind::branch && s->parts.size() == 1 &&
            s->parts.front().kind == Statement::Kind::block && s->parts.front().holds(at)) {
            add(s->parts.front(), 0, trimmed_part(code.text(), s->condition_begin, s->condition_end),
                {s->begin, s->parts.front().begin, ""});
        }
    }
    return found;
}

} // namespace warptree::runs
