// Expressions of a lesson over facts of its traces: "divergent_warps(stage(8))", "modulo.total_barriers - 2".
//
// Whole numbers of 64 bits; ?: || && == != < <= > >= + - * / % unary - and !, parentheses, as in C. A name is a fact
// (lesson_facts.hpp) of the trace that is shown, or with "NAME." before it of the trace of that name. Over a range
// from A to B, without B:
//   count(K, A, B, E)    how many K make E true       sum(K, A, B, E)   the sum of E
//   highest(K, A, B, E)  the greatest E               lowest(…)         the least
//   first(K, A, B, E)    the first K that makes E true; no answer when none does
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class LessonFacts;

class LessonExpression {
  public:
    // What names may stand in an expression, beside facts.
    struct Scope {
        std::vector<std::string> traces;
        std::vector<std::string> bound; // "warp" of what is clicked
    };

    LessonExpression() = default;
    // Throws OptionError naming the place and what was expected there.
    LessonExpression(std::string_view text, const Scope& scope);
    bool empty() const { return root_ == nullptr; }
    const std::string& text() const { return text_; }
    // Throws OptionError when there is no such value: division by zero, overflow, a step or warp the trace lacks.
    std::int64_t value(const LessonFacts& facts) const;

    struct Node; // of the parsed expression

  private:
    std::string text_;
    std::shared_ptr<const Node> root_;
};

// Text with numbers in it: "{E}" is a value, "{E|warp|warps}" a value with the word for one or for many, "{if E|this|
// that}" one of two texts, "{{" a brace.
class LessonText {
  public:
    LessonText() = default;
    LessonText(std::string_view text, const LessonExpression::Scope& scope); // throws OptionError
    bool empty() const { return pieces_.empty(); }
    std::string filled(const LessonFacts& facts) const; // throws OptionError

  private:
    struct Piece {
        std::string text; // before the value
        LessonExpression value;
        bool condition = false, counted = false;
        std::string one, many;
    };
    std::vector<Piece> pieces_;
};

} // namespace warptree::session
