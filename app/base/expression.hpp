// Integer expressions as in C, over names whose values the caller supplies.
//
// Numbers (decimal or 0x…), names, parentheses, ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~ and unary - and +. A
// name may take arguments in parentheses and, if the grammar has scopes, a scope and a dot before it. If it has
// ranges, these run over the numbers from A up to but not including B:
//   count(K, A, B, E)    how many K make E true       sum(K, A, B, E)   the sum of E
//   highest(K, A, B, E)  the greatest E               lowest(…)         the least
//   first(K, A, B, E)    the first K that makes E true; no value when none does
#pragma once

#include "app/base/error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree {

// The expression has no value: what() says why, e.g. "a division by zero".
struct NoValue : OptionError {
    using OptionError::OptionError;
};

// A name that may stand in an expression.
struct ExpressionName {
    std::uint32_t id = 0;            // passed to `resolve` on evaluation
    std::size_t least = 0, most = 0; // arguments
};

struct ExpressionGrammar {
    // `scope` is what stands before a dot, else empty. nullopt when there is no such name.
    std::function<std::optional<ExpressionName>(std::string_view scope, std::string_view name)> find;
    std::vector<std::string> scopes;  // that may stand before a dot
    std::string operand = "a number"; // what may stand where a value is expected, for errors
    bool ranges = false;
};

enum class Overflow : std::uint8_t { wraps, refused }; // of 64 bits

class IntegerExpression {
  public:
    // The value of a name with these arguments.
    using Resolve = std::function<std::int64_t(std::uint32_t id, std::span<const std::int64_t> arguments)>;

    IntegerExpression() = default; // empty
    // Throws OptionError: "expected … at character …".
    IntegerExpression(std::string_view text, const ExpressionGrammar& grammar);
    bool empty() const { return nodes_.empty(); }
    // Throws NoValue for a division by zero, a shift by less than 0 or more than 63, a number beyond 64 bits where that
    // is refused, a range without an answer, more than 2^20 operations; and what `resolve` throws.
    std::int64_t value(Overflow overflow, const Resolve& resolve) const;

  private:
    friend class ExpressionParser;
    friend class ExpressionEvaluation;
    enum class Code : std::uint8_t {
        number,
        name,
        bound,
        negate,
        invert,
        logical_not,
        multiply,
        divide,
        remainder,
        add,
        subtract,
        shift_left,
        shift_right,
        less,
        less_equal,
        greater,
        greater_equal,
        equal,
        not_equal,
        bit_and,
        bit_xor,
        bit_or,
        logical_and,
        logical_or,
        choose,
        count,
        sum,
        highest,
        lowest,
        first
    };
    struct Node {
        Code code = Code::number;
        std::int64_t number = 0;              // or the id of a name, or the slot of a range variable
        std::uint32_t a = 0, b = 0, c = 0;    // operands
        std::vector<std::uint32_t> arguments; // of a name
    };
    std::vector<Node> nodes_;
    std::uint32_t root_ = 0;
    std::size_t slots_ = 0; // for nested ranges
};

} // namespace warptree
