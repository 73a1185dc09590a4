// Expressions of a lesson over facts of its traces: "divergent_warps(stage(8))", "modulo.total_barriers - 2".
//
// Those of app/base/expression.hpp with ranges; no value may exceed 64 bits. A name is a fact
// (lesson_facts.hpp) of the trace that is shown, or with the prefix "NAME." of the trace of that name.
#pragma once

#include "app/base/expression.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class LessonFacts;
struct LessonFact;

class LessonExpression {
  public:
    // The names that an expression may use, besides facts.
    struct Scope {
        std::vector<std::string> traces;
        std::vector<std::string> bound; // "warp" of what is clicked
    };

    LessonExpression() = default;
    // Throws OptionError with the position and what was expected there.
    LessonExpression(std::string_view text, const Scope& scope);
    bool empty() const { return expression_.empty(); }
    // Throws OptionError when there is no such value: division by zero, overflow, a step or warp the trace lacks.
    std::int64_t value(const LessonFacts& facts) const;

  private:
    // A fact of a trace (empty: the shown one); if `fact` is null, a name bound to what is clicked.
    struct Name {
        std::string trace, bound;
        const LessonFact* fact = nullptr;
    };
    std::vector<Name> names_; // by id in the expression
    IntegerExpression expression_;
};

} // namespace warptree::session
