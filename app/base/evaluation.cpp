#include "app/base/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace warptree {

class ExpressionEvaluation {
  public:
    ExpressionEvaluation(const IntegerExpression& of, Overflow overflow, const IntegerExpression::Resolve& resolve)
        : of_(of), overflow_(overflow), resolve_(resolve), bound_(of.slots_) {}

    std::int64_t value(std::uint32_t index) {
        if (++work_ > kMostWork) {
            throw NoValue("the expression runs over too many values");
        }
        const Node& n = of_.nodes_[index];
        switch (n.code) {
        case Code::number: return n.number;
        case Code::bound: return bound_[static_cast<std::size_t>(n.number)];
        case Code::name: return name(n);
        case Code::choose: return value(value(n.a) != 0 ? n.b : n.c);
        case Code::logical_and: return value(n.a) != 0 && value(n.b) != 0 ? 1 : 0;
        case Code::logical_or: return value(n.a) != 0 || value(n.b) != 0 ? 1 : 0;
        case Code::logical_not: return value(n.a) == 0 ? 1 : 0;
        case Code::invert: return ~value(n.a);
        case Code::negate: return arithmetic(Code::subtract, 0, value(n.a));
        case Code::count:
        case Code::sum:
        case Code::highest:
        case Code::lowest:
        case Code::first: return range(n);
        default: break;
        }
        const std::int64_t a = value(n.a);
        return arithmetic(n.code, a, value(n.b));
    }

  private:
    using Code = IntegerExpression::Code;
    using Node = IntegerExpression::Node;
    static constexpr std::int64_t kMostWork = 1 << 20; // operations

    std::int64_t name(const Node& n) {
        std::vector<std::int64_t> arguments;
        for (const std::uint32_t argument : n.arguments) {
            arguments.push_back(value(argument));
        }
        return resolve_(static_cast<std::uint32_t>(n.number), arguments);
    }

    std::int64_t kept(bool overflowed, std::int64_t wrapped) const {
        if (overflowed && overflow_ == Overflow::refused) {
            throw NoValue("a number beyond 64 bits");
        }
        return wrapped;
    }
    std::int64_t quotient(Code code, std::int64_t a, std::int64_t b) const {
        if (b == 0) {
            throw NoValue("a division by zero");
        }
        if (b == -1) { // -INT64_MIN overflows; `arithmetic` handles that
            return code == Code::divide ? arithmetic(Code::subtract, 0, a) : 0;
        }
        return code == Code::divide ? a / b : a % b;
    }
    std::int64_t arithmetic(Code code, std::int64_t a, std::int64_t b) const {
        std::int64_t out = 0;
        bool over = false;
        const auto shift = [b] {
            if (b < 0 || b > 63) {
                throw NoValue(fmt::format("a shift by {}", b));
            }
        };
        switch (code) {
        case Code::add: over = __builtin_add_overflow(a, b, &out); return kept(over, out);
        case Code::subtract: over = __builtin_sub_overflow(a, b, &out); return kept(over, out);
        case Code::multiply: over = __builtin_mul_overflow(a, b, &out); return kept(over, out);
        case Code::shift_left: shift(); return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
        case Code::shift_right: shift(); return a >> b;
        case Code::less: return a < b ? 1 : 0;
        case Code::less_equal: return a <= b ? 1 : 0;
        case Code::greater: return a > b ? 1 : 0;
        case Code::greater_equal: return a >= b ? 1 : 0;
        case Code::equal: return a == b ? 1 : 0;
        case Code::not_equal: return a != b ? 1 : 0;
        case Code::bit_and: return a & b;
        case Code::bit_xor: return a ^ b;
        case Code::bit_or: return a | b;
        default: return quotient(code, a, b);
        }
    }

    std::int64_t range(const Node& n) {
        const std::int64_t from = value(n.a), to = value(n.b);
        std::int64_t& k = bound_[static_cast<std::size_t>(n.number)];
        std::optional<std::int64_t> out;
        if (n.code == Code::count || n.code == Code::sum) {
            out = 0;
        }
        for (std::int64_t at = from; at < to; ++at) {
            k = at;
            const std::int64_t v = value(n.c);
            switch (n.code) {
            case Code::count: *out += v != 0 ? 1 : 0; break;
            case Code::sum: out = arithmetic(Code::add, *out, v); break;
            case Code::highest: out = out ? std::max(*out, v) : v; break;
            case Code::lowest: out = out ? std::min(*out, v) : v; break;
            default: out = v != 0 ? std::optional(at) : std::nullopt; break;
            }
            if (n.code == Code::first && out) {
                break;
            }
        }
        if (!out) {
            throw NoValue(fmt::format("no value from {} to {} satisfies the condition", from, to - 1));
        }
        return *out;
    }

    const IntegerExpression& of_;
    Overflow overflow_;
    const IntegerExpression::Resolve& resolve_;
    std::vector<std::int64_t> bound_; // by slot
    std::int64_t work_ = 0;
};

std::int64_t IntegerExpression::value(Overflow overflow, const Resolve& resolve) const {
    return nodes_.empty() ? 0 : ExpressionEvaluation(*this, overflow, resolve).value(root_);
}

} // namespace warptree
