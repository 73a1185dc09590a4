// Index expressions such as "2*s*t" or "t^s", as in C.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::banks {

struct Variables {
    std::int64_t t = 0, lane = 0, warp = 0, s = 1;
};

// Integers (decimal or 0x…), t, lane, warp, s, parentheses, ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~ and
// unary -. Evaluated in 64 bits, with wrap-around.
class Expression {
  public:
    // Throws OptionError naming the place and what was expected there.
    explicit Expression(std::string_view text);
    // Throws OptionError for a division by zero or a shift by less than 0 or more than 63.
    std::int64_t value(const Variables& variables) const;

  private:
    friend class Parser;
    enum class Code : std::uint8_t {
        number,
        t,
        lane,
        warp,
        s,
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
        choose
    };
    struct Node {
        Code code;
        std::int64_t number = 0;
        std::uint32_t a = 0, b = 0, c = 0; // operands
    };
    std::int64_t value_of(std::uint32_t node, const Variables& v) const;
    std::vector<Node> nodes_;
    std::uint32_t root_ = 0;
};

} // namespace warptree::banks
