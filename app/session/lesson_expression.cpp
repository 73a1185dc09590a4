#include "app/session/lesson_expression.hpp"

#include "app/scene/parts.hpp"
#include "app/session/lesson_facts.hpp"
#include "kernels/error.hpp"
#include "kernels/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace warptree::session {

namespace {
enum class Code : std::uint8_t {
    number,
    bound,
    fact,
    range,
    negate,
    logical_not,
    multiply,
    divide,
    remainder,
    add,
    subtract,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    choose
};
enum class Range : std::uint8_t { count, sum, highest, lowest, first };
constexpr std::array kRanges{std::pair{"count", Range::count}, std::pair{"sum", Range::sum},
                             std::pair{"highest", Range::highest}, std::pair{"lowest", Range::lowest},
                             std::pair{"first", Range::first}};
constexpr int kDeepest = 60;                // of nesting
constexpr std::int64_t kMostWork = 1 << 20; // values of one evaluation

[[noreturn]] void no_value(const std::string& why) { throw OptionError("no answer: " + why); }
} // namespace

struct LessonExpression::Node {
    Code code = Code::number;
    std::int64_t number = 0;
    std::string name;  // of a bound name, or a range's
    std::string trace; // of a fact; empty: the shown one
    const LessonFact* fact = nullptr;
    Range range = Range::count;
    std::vector<std::shared_ptr<const Node>> operands;
};

namespace {
using Node = LessonExpression::Node;
using NodePointer = std::shared_ptr<const Node>;

// Recursive descent, one level of binary operators at a time.
class Parser {
  public:
    Parser(std::string_view text, const LessonExpression::Scope& scope)
        : text_(text), traces_(scope.traces), bound_(scope.bound) {}

    NodePointer parse() {
        NodePointer root = choice();
        skip();
        if (at_ != text_.size()) {
            fail("an operator or the end");
        }
        return root;
    }

  private:
    struct Operator {
        std::string_view text;
        Code code;
        int level;
    };
    static constexpr int kLevels = 6;
    // Longer spellings first, so that "<" does not take half of "<=".
    static constexpr std::array<Operator, 13> kOperators{{{"||", Code::logical_or, 0},
                                                          {"&&", Code::logical_and, 1},
                                                          {"==", Code::equal, 2},
                                                          {"!=", Code::not_equal, 2},
                                                          {"<=", Code::less_equal, 3},
                                                          {">=", Code::greater_equal, 3},
                                                          {"<", Code::less, 3},
                                                          {">", Code::greater, 3},
                                                          {"+", Code::add, 4},
                                                          {"-", Code::subtract, 4},
                                                          {"*", Code::multiply, 5},
                                                          {"/", Code::divide, 5},
                                                          {"%", Code::remainder, 5}}};

    [[noreturn]] void fail(const std::string& expected) const {
        throw OptionError(fmt::format(
            "expected {} at character {} of '{}'{}", expected, at_ + 1, printable(text_),
            at_ < text_.size() ? fmt::format(", before '{}'", printable(text_.substr(at_, 12))) : ", where it ends"));
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
    void need(std::string_view token) {
        if (!take(token)) {
            fail(fmt::format("'{}'", token));
        }
    }
    static NodePointer node(Code code, std::vector<NodePointer> operands) {
        auto made = std::make_shared<Node>();
        made->code = code;
        made->operands = std::move(operands);
        return made;
    }

    NodePointer choice() {
        if (++depth_ > kDeepest) {
            fail("less nesting");
        }
        NodePointer value = binary(0);
        if (take("?")) {
            NodePointer yes = choice();
            need(":");
            value = node(Code::choose, {value, yes, choice()});
        }
        --depth_;
        return value;
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

    NodePointer binary(int level) {
        if (level == kLevels) {
            return unary();
        }
        NodePointer left = binary(level + 1);
        while (const Operator* o = operator_at(level)) {
            left = node(o->code, {left, binary(level + 1)});
        }
        return left;
    }

    NodePointer unary() {
        if (++depth_ > kDeepest) {
            fail("less nesting");
        }
        NodePointer made = take("-")   ? node(Code::negate, {unary()})
                           : take("!") ? node(Code::logical_not, {unary()})
                                       : primary();
        --depth_;
        return made;
    }

    std::string word() {
        skip();
        std::size_t end = at_;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
            ++end;
        }
        const std::string found(text_.substr(at_, end - at_));
        at_ = end;
        return found;
    }

    NodePointer primary() {
        if (take("(")) {
            NodePointer inside = choice();
            need(")");
            return inside;
        }
        skip();
        const std::size_t start = at_;
        std::string name = word();
        if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
            auto made = std::make_shared<Node>();
            const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), made->number);
            if (error != std::errc{} || end != name.data() + name.size()) {
                at_ = start;
                fail("a number");
            }
            return made;
        }
        std::string trace;
        if (at_ < text_.size() && text_[at_] == '.') {
            trace = std::exchange(name, {});
            if (std::find(traces_.begin(), traces_.end(), trace) == traces_.end()) {
                at_ = start;
                fail("the name of a trace before the dot");
            }
            ++at_;
            name = word();
        }
        if (trace.empty()) {
            if (std::find(bound_.begin(), bound_.end(), name) != bound_.end()) {
                auto made = std::make_shared<Node>();
                made->code = Code::bound;
                made->name = name;
                return made;
            }
            for (const auto& [word, range] : kRanges) {
                if (name == word) {
                    return over(range);
                }
            }
        }
        const LessonFact* fact = find_lesson_fact(name);
        if (fact == nullptr) {
            at_ = start;
            fail("a number, a fact ('warptree lessons --facts' lists them) or '('");
        }
        return call(*fact, std::move(trace));
    }

    NodePointer over(Range range) {
        auto made = std::make_shared<Node>();
        made->code = Code::range;
        made->range = range;
        need("(");
        made->name = word();
        if (made->name.empty() || (made->name[0] >= '0' && made->name[0] <= '9')) {
            fail("a name that runs over the range");
        }
        if (std::find(bound_.begin(), bound_.end(), made->name) != bound_.end()) {
            fail(fmt::format("another name than '{}', which already stands for something", made->name));
        }
        need(",");
        made->operands.push_back(choice());
        need(",");
        made->operands.push_back(choice());
        need(",");
        bound_.push_back(made->name);
        made->operands.push_back(choice());
        bound_.pop_back();
        need(")");
        return made;
    }

    NodePointer call(const LessonFact& fact, std::string trace) {
        auto made = std::make_shared<Node>();
        made->code = Code::fact;
        made->fact = &fact;
        made->trace = std::move(trace);
        if (take("(")) {
            do {
                made->operands.push_back(choice());
            } while (take(","));
            need(")");
        }
        const auto given = made->operands.size();
        if (given < fact.least || given > fact.most) {
            fail(fact.least == fact.most
                     ? fmt::format("{} in parentheses after {}", fact.least, fact.name)
                     : fmt::format("{} to {} in parentheses after {}", fact.least, fact.most, fact.name));
        }
        return made;
    }

    std::string_view text_;
    std::vector<std::string> traces_, bound_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

class Evaluation {
  public:
    explicit Evaluation(const LessonFacts& facts) : facts_(facts), bound_(facts.bound) {}

    std::int64_t value(const Node& n) {
        if (++work_ > kMostWork) {
            no_value("the expression runs over too many values");
        }
        const auto operand = [&](std::size_t i) { return value(*n.operands[i]); };
        switch (n.code) {
        case Code::number: return n.number;
        case Code::bound: return bound_.at(n.name);
        case Code::fact: return fact(n);
        case Code::range: return range(n);
        case Code::choose: return operand(operand(0) != 0 ? 1 : 2);
        case Code::logical_and: return operand(0) != 0 && operand(1) != 0 ? 1 : 0;
        case Code::logical_or: return operand(0) != 0 || operand(1) != 0 ? 1 : 0;
        case Code::logical_not: return operand(0) == 0 ? 1 : 0;
        case Code::negate: return arithmetic(Code::subtract, 0, operand(0));
        default: break;
        }
        const std::int64_t a = operand(0);
        return arithmetic(n.code, a, operand(1));
    }

  private:
    static std::int64_t arithmetic(Code code, std::int64_t a, std::int64_t b) {
        std::int64_t out = 0;
        bool fits = true;
        switch (code) {
        case Code::add: fits = !__builtin_add_overflow(a, b, &out); break;
        case Code::subtract: fits = !__builtin_sub_overflow(a, b, &out); break;
        case Code::multiply: fits = !__builtin_mul_overflow(a, b, &out); break;
        case Code::less: return a < b ? 1 : 0;
        case Code::less_equal: return a <= b ? 1 : 0;
        case Code::greater: return a > b ? 1 : 0;
        case Code::greater_equal: return a >= b ? 1 : 0;
        case Code::equal: return a == b ? 1 : 0;
        case Code::not_equal: return a != b ? 1 : 0;
        default:
            if (b == 0) {
                no_value("a division by zero");
            }
            if (b == -1) {
                fits = !__builtin_sub_overflow(std::int64_t{0}, a, &out);
                out = code == Code::divide ? out : 0;
            } else {
                out = code == Code::divide ? a / b : a % b;
            }
        }
        if (!fits) {
            no_value("a number beyond 64 bits");
        }
        return out;
    }

    std::int64_t fact(const Node& n) {
        std::vector<std::int64_t> arguments;
        for (const NodePointer& operand : n.operands) {
            arguments.push_back(value(*operand));
        }
        return n.fact->value(facts_.at(n.trace), arguments);
    }

    std::int64_t range(const Node& n) {
        const std::int64_t from = value(*n.operands[0]), to = value(*n.operands[1]);
        std::optional<std::int64_t> out;
        if (n.range == Range::count || n.range == Range::sum) {
            out = 0;
        }
        for (std::int64_t k = from; k < to; ++k) {
            bound_[n.name] = k;
            const std::int64_t v = value(*n.operands[2]);
            switch (n.range) {
            case Range::count: *out += v != 0 ? 1 : 0; break;
            case Range::sum: out = arithmetic(Code::add, *out, v); break;
            case Range::highest: out = out ? std::max(*out, v) : v; break;
            case Range::lowest: out = out ? std::min(*out, v) : v; break;
            case Range::first: out = v != 0 ? std::optional(k) : std::nullopt; break;
            }
            if (n.range == Range::first && out) {
                break;
            }
        }
        bound_.erase(n.name);
        if (!out) {
            no_value(fmt::format("nothing from {} to {} fulfils what is asked", from, to - 1));
        }
        return *out;
    }

    const LessonFacts& facts_;
    std::map<std::string, std::int64_t> bound_;
    std::int64_t work_ = 0;
};
} // namespace

LessonExpression::LessonExpression(std::string_view text, const Scope& scope)
    : text_(text), root_(Parser(text, scope).parse()) {}

std::int64_t LessonExpression::value(const LessonFacts& facts) const {
    return root_ == nullptr ? 0 : Evaluation(facts).value(*root_);
}

LessonText::LessonText(std::string_view text, const LessonExpression::Scope& scope) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{') {
            plain += text[i];
            continue;
        }
        if (i + 1 < text.size() && text[i + 1] == '{') {
            plain += '{';
            ++i;
            continue;
        }
        const std::size_t end = text.find('}', i);
        if (end == std::string_view::npos) {
            throw OptionError(
                fmt::format("'{}' has no closing brace; write {{{{ for a brace itself", printable(text.substr(i, 24))));
        }
        std::string_view inside = text.substr(i + 1, end - i - 1);
        Piece piece;
        piece.text = std::exchange(plain, {});
        piece.condition = inside.starts_with("if ");
        inside.remove_prefix(piece.condition ? 3 : 0);
        // "||" is the operator; a single bar ends the expression.
        std::size_t bar = inside.find('|');
        while (bar != std::string_view::npos && bar + 1 < inside.size() && inside[bar + 1] == '|') {
            bar = inside.find('|', bar + 2);
        }
        piece.value = LessonExpression(inside.substr(0, bar), scope);
        if (bar != std::string_view::npos) {
            const std::string_view words = inside.substr(bar + 1);
            const std::size_t second = words.find('|');
            if (second == std::string_view::npos) {
                throw OptionError(fmt::format("'{}' needs two texts, as in {{E|warp|warps}}", printable(inside)));
            }
            piece.counted = !piece.condition;
            piece.one = words.substr(0, second);
            piece.many = words.substr(second + 1);
        } else if (piece.condition) {
            throw OptionError(fmt::format("'if {}' needs two texts, as in {{if E|this|that}}", printable(inside)));
        }
        pieces_.push_back(std::move(piece));
        i = end;
    }
    if (!plain.empty()) {
        pieces_.push_back({plain, {}, false, false, {}, {}});
    }
}

std::string LessonText::filled(const LessonFacts& facts) const {
    std::string out;
    for (const Piece& piece : pieces_) {
        out += piece.text;
        if (piece.value.empty()) {
            continue;
        }
        const std::int64_t v = piece.value.value(facts);
        if (piece.condition) {
            out += v != 0 ? piece.one : piece.many;
            continue;
        }
        out += v < 0 ? "−" + scene::grouped(0 - static_cast<std::uint64_t>(v))
                     : scene::grouped(static_cast<std::uint64_t>(v));
        if (piece.counted) {
            out += " " + (v == 1 ? piece.one : piece.many);
        }
    }
    return out;
}

} // namespace warptree::session
