// Text of a lesson with numbers in it: "{E}" is a value, "{E|warp|warps}" a value with the word for one or for many,
// "{if E|this|that}" one of two texts, "{{" a brace. A single bar ends the expression: "|" is no operator here.
#pragma once

#include "app/features/lessons/lesson_expression.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

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
