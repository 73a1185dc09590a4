#include "kernels/banks/expression.hpp"

#include "kernels/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace warptree::banks {

// Recursive descent, one level of binary operators at a time.
class Parser {
  public:
    Parser(std::string_view text, Expression& into) : text_(text), out_(into) {}

    std::uint32_t parse() {
        const std::uint32_t root = choice();
        skip();
        if (at_ != text_.size()) {
            fail("an operator or the end");
        }
        return root;
    }

  private:
    using Code = Expression::Code;
    struct Operator {
        std::string_view text;
        Code code;
        int level;
    };
    static constexpr int kLevels = 10;
    static constexpr int kDeepest = 200; // of nesting
    // Longer spellings first, so that "<" does not take half of "<<".
    static constexpr std::array<Operator, 18> kOperators{{{"||", Code::logical_or, 0},
                                                          {"&&", Code::logical_and, 1},
                                                          {"==", Code::equal, 5},
                                                          {"!=", Code::not_equal, 5},
                                                          {"<<", Code::shift_left, 7},
                                                          {">>", Code::shift_right, 7},
                                                          {"<=", Code::less_equal, 6},
                                                          {">=", Code::greater_equal, 6},
                                                          {"<", Code::less, 6},
                                                          {">", Code::greater, 6},
                                                          {"|", Code::bit_or, 2},
                                                          {"^", Code::bit_xor, 3},
                                                          {"&", Code::bit_and, 4},
                                                          {"+", Code::add, 8},
                                                          {"-", Code::subtract, 8},
                                                          {"*", Code::multiply, 9},
                                                          {"/", Code::divide, 9},
                                                          {"%", Code::remainder, 9}}};

    [[noreturn]] void fail(std::string_view expected) const {
        throw OptionError(
            fmt::format("index expression: expected {} at character {}{}", expected, at_ + 1,
                        at_ < text_.size() ? fmt::format(", before '{}'", text_.substr(at_, 12)) : ", where it ends"));
    }
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    bool take(std::string_view token) {
        skip();
        if (!text_.substr(at_).starts_with(token)) {
            return false;
        }
        at_ += token.size();
        return true;
    }
    std::uint32_t add(Expression::Node node) {
        out_.nodes_.push_back(node);
        return static_cast<std::uint32_t>(out_.nodes_.size() - 1);
    }

    std::uint32_t choice() {
        if (++depth_ > kDeepest) {
            fail("less nesting");
        }
        std::uint32_t condition = binary(0);
        if (take("?")) {
            const std::uint32_t yes = choice();
            if (!take(":")) {
                fail("':'");
            }
            const std::uint32_t no = choice();
            condition = add({Code::choose, 0, condition, yes, no});
        }
        --depth_;
        return condition;
    }

    const Operator* operator_at(int level) {
        skip();
        for (const Operator& o : kOperators) {
            if (text_.substr(at_).starts_with(o.text)) {
                if (o.level != level) {
                    return nullptr;
                }
                at_ += o.text.size();
                return &o;
            }
        }
        return nullptr;
    }

    std::uint32_t binary(int level) {
        if (level == kLevels) {
            return unary();
        }
        std::uint32_t left = binary(level + 1);
        while (const Operator* o = operator_at(level)) {
            const std::uint32_t right = binary(level + 1);
            left = add({o->code, 0, left, right, 0});
        }
        return left;
    }

    std::uint32_t unary() {
        if (++depth_ > kDeepest) {
            fail("less nesting");
        }
        std::uint32_t result = 0;
        if (take("-")) {
            result = add({Code::negate, 0, unary(), 0, 0});
        } else if (take("~")) {
            result = add({Code::invert, 0, unary(), 0, 0});
        } else if (take("!")) {
            result = add({Code::logical_not, 0, unary(), 0, 0});
        } else if (take("+")) {
            result = unary();
        } else {
            result = primary();
        }
        --depth_;
        return result;
    }

    std::uint32_t primary() {
        if (take("(")) {
            const std::uint32_t inside = choice();
            if (!take(")")) {
                fail("')'");
            }
            return inside;
        }
        skip();
        std::size_t end = at_;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
            ++end;
        }
        const std::string_view word = text_.substr(at_, end - at_);
        for (const auto& [name, code] : {std::pair{"t", Code::t}, std::pair{"lane", Code::lane},
                                         std::pair{"warp", Code::warp}, std::pair{"s", Code::s}}) {
            if (word == name) {
                at_ = end;
                return add({code, 0, 0, 0, 0});
            }
        }
        const bool hex = word.starts_with("0x") || word.starts_with("0X");
        const std::string_view digits = hex ? word.substr(2) : word;
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
        if (digits.empty() || error != std::errc{} || stop != digits.data() + digits.size()) {
            fail("a number, t, lane, warp, s or '('");
        }
        at_ = end;
        return add({Code::number, number, 0, 0, 0});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Expression& out_;
};

Expression::Expression(std::string_view text) {
    if (text.size() > 4096) {
        throw OptionError("index expression: longer than 4096 characters");
    }
    root_ = Parser(text, *this).parse();
}

std::int64_t Expression::value(const Variables& variables) const { return value_of(root_, variables); }

std::int64_t Expression::value_of(std::uint32_t index, const Variables& v) const {
    const Node& n = nodes_[index];
    switch (n.code) {
    case Code::number: return n.number;
    case Code::t: return v.t;
    case Code::lane: return v.lane;
    case Code::warp: return v.warp;
    case Code::s: return v.s;
    case Code::choose: return value_of(value_of(n.a, v) != 0 ? n.b : n.c, v);
    case Code::logical_and: return value_of(n.a, v) != 0 && value_of(n.b, v) != 0 ? 1 : 0;
    case Code::logical_or: return value_of(n.a, v) != 0 || value_of(n.b, v) != 0 ? 1 : 0;
    default: break;
    }
    const std::int64_t a = value_of(n.a, v);
    const auto ua = static_cast<std::uint64_t>(a);
    if (n.code == Code::negate) {
        return static_cast<std::int64_t>(0 - ua);
    }
    if (n.code == Code::invert) {
        return ~a;
    }
    if (n.code == Code::logical_not) {
        return a == 0 ? 1 : 0;
    }
    const std::int64_t b = value_of(n.b, v);
    const auto ub = static_cast<std::uint64_t>(b);
    const auto divisible = [&] {
        if (b == 0) {
            throw OptionError(fmt::format("index expression: division by zero in lane {} (t = {})", v.lane, v.t));
        }
        return !(a == std::numeric_limits<std::int64_t>::min() && b == -1);
    };
    const auto shiftable = [&] {
        if (b < 0 || b > 63) {
            throw OptionError(fmt::format("index expression: shift by {} in lane {} (t = {})", b, v.lane, v.t));
        }
    };
    switch (n.code) {
    case Code::multiply: return static_cast<std::int64_t>(ua * ub);
    case Code::divide: return divisible() ? a / b : a;
    case Code::remainder: return divisible() ? a % b : 0;
    case Code::add: return static_cast<std::int64_t>(ua + ub);
    case Code::subtract: return static_cast<std::int64_t>(ua - ub);
    case Code::shift_left: shiftable(); return static_cast<std::int64_t>(ua << ub);
    case Code::shift_right: shiftable(); return a >> b;
    case Code::less: return a < b ? 1 : 0;
    case Code::less_equal: return a <= b ? 1 : 0;
    case Code::greater: return a > b ? 1 : 0;
    case Code::greater_equal: return a >= b ? 1 : 0;
    case Code::equal: return a == b ? 1 : 0;
    case Code::not_equal: return a != b ? 1 : 0;
    case Code::bit_and: return a & b;
    case Code::bit_xor: return a ^ b;
    default: return a | b;
    }
}

} // namespace warptree::banks
