#include "app/features/lessons/lesson_expression.hpp"

#include "app/features/lessons/lesson_facts.hpp"

#include <algorithm>

namespace warptree::session {

LessonExpression::LessonExpression(std::string_view text, const Scope& scope) {
    ExpressionGrammar grammar;
    grammar.scopes = scope.traces;
    grammar.ranges = true;
    grammar.operand = "a number, a fact ('warptree lessons --facts' lists them) or '('";
    grammar.find = [&](std::string_view trace, std::string_view name) -> std::optional<ExpressionName> {
        const auto id = static_cast<std::uint32_t>(names_.size());
        if (trace.empty() && std::find(scope.bound.begin(), scope.bound.end(), name) != scope.bound.end()) {
            names_.push_back({{}, std::string(name), nullptr});
            return ExpressionName{id, 0, 0};
        }
        const LessonFact* fact = find_lesson_fact(name);
        if (fact == nullptr) {
            return std::nullopt;
        }
        names_.push_back({std::string(trace), {}, fact});
        return ExpressionName{id, fact->least, fact->most};
    };
    expression_ = IntegerExpression(text, grammar);
}

std::int64_t LessonExpression::value(const LessonFacts& facts) const {
    try {
        return expression_.value(Overflow::refused, [&](std::uint32_t id, std::span<const std::int64_t> arguments) {
            const Name& name = names_[id];
            return name.fact == nullptr ? facts.bound.at(name.bound)
                                        : name.fact->value(facts.at(name.trace), arguments);
        });
    } catch (const NoValue& e) {
        throw OptionError(std::string("no answer: ") + e.what());
    }
}

} // namespace warptree::session
