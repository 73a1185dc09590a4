#include "app/base/parser.hpp"

#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace warptree {

namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }
} // namespace

const std::array<ExpressionParser::Operator, 18> ExpressionParser::kOperators{{{"||", Code::logical_or, 0},
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

void ExpressionParser::parse() {
    if (text_.size() > kMostCharacters) {
        throw OptionError(fmt::format("an expression is longer than {} characters", kMostCharacters));
    }
    out_.root_ = choice();
    skip();
    if (at_ != text_.size()) {
        fail("an operator or the end");
    }
}

void ExpressionParser::fail(const std::string& expected) const {
    const bool shown = text_.size() <= 80;
    throw OptionError(fmt::format(
        "expected {} at character {}{}{}", expected, at_ + 1, shown ? fmt::format(" of '{}'", printable(text_)) : "",
        at_ < text_.size() ? fmt::format(", before '{}'", printable(text_.substr(at_, 12))) : ", where it ends"));
}

void ExpressionParser::skip() {
    while (at_ < text_.size() && text_[at_] == ' ') {
        ++at_;
    }
}

bool ExpressionParser::take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) {
        return false;
    }
    at_ += token.size();
    return true;
}

void ExpressionParser::need(std::string_view token) {
    if (!take(token)) {
        fail(fmt::format("'{}'", token));
    }
}

std::uint32_t ExpressionParser::add(Code code, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    out_.nodes_.push_back({code, 0, a, b, c, {}});
    return static_cast<std::uint32_t>(out_.nodes_.size() - 1);
}

std::uint32_t ExpressionParser::choice() {
    deeper();
    std::uint32_t value = binary(0);
    if (take("?")) {
        const std::uint32_t yes = choice();
        need(":");
        const std::uint32_t no = choice();
        value = add(Code::choose, value, yes, no);
    }
    --depth_;
    return value;
}

const ExpressionParser::Operator* ExpressionParser::operator_at(int level) {
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

// One level of precedence at a time.
std::uint32_t ExpressionParser::binary(int level) {
    if (level == kLevels) {
        return unary();
    }
    std::uint32_t left = binary(level + 1);
    while (const Operator* o = operator_at(level)) {
        left = add(o->code, left, binary(level + 1));
    }
    return left;
}

std::uint32_t ExpressionParser::unary() {
    deeper();
    const std::uint32_t made = take("-")   ? add(Code::negate, unary())
                               : take("~") ? add(Code::invert, unary())
                               : take("!") ? add(Code::logical_not, unary())
                               : take("+") ? unary()
                                           : primary();
    --depth_;
    return made;
}

std::string_view ExpressionParser::word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_name(text_[at_])) {
        ++at_;
    }
    return text_.substr(from, at_ - from);
}

std::uint32_t ExpressionParser::primary() {
    if (take("(")) {
        const std::uint32_t inside = choice();
        need(")");
        return inside;
    }
    skip();
    const std::size_t start = at_;
    std::string_view name = word(), scope;
    if (!name.empty() && is_digit(name[0])) {
        return number(name, start);
    }
    if (at_ < text_.size() && text_[at_] == '.' && !grammar_.scopes.empty()) {
        scope = name;
        if (std::find(grammar_.scopes.begin(), grammar_.scopes.end(), scope) == grammar_.scopes.end()) {
            at_ = start;
            fail("the name of a trace before the dot");
        }
        ++at_;
        name = word();
    } else if (const auto bound = std::find(bound_.begin(), bound_.end(), name); bound != bound_.end()) {
        const std::uint32_t made = add(Code::bound);
        out_.nodes_[made].number = bound - bound_.begin();
        return made;
    } else if (const auto code = range_of(name)) {
        return range(*code);
    }
    const auto found = name.empty() ? std::nullopt : grammar_.find(scope, name);
    if (!found) {
        at_ = start;
        fail(grammar_.operand);
    }
    return call(*found, name);
}

std::uint32_t ExpressionParser::number(std::string_view word, std::size_t start) {
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = hex ? word.substr(2) : word;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
        at_ = start;
        fail(grammar_.operand);
    }
    const std::uint32_t made = add(Code::number);
    out_.nodes_[made].number = value;
    return made;
}

std::optional<ExpressionParser::Code> ExpressionParser::range_of(std::string_view name) const {
    for (const auto& [word, code] :
         {std::pair{"count", Code::count}, std::pair{"sum", Code::sum}, std::pair{"highest", Code::highest},
          std::pair{"lowest", Code::lowest}, std::pair{"first", Code::first}}) {
        if (grammar_.ranges && name == word) {
            return code;
        }
    }
    return std::nullopt;
}

std::uint32_t ExpressionParser::range(Code code) {
    need("(");
    const std::string name(word());
    if (name.empty() || is_digit(name[0])) {
        fail("a name that runs over the range");
    }
    if (std::find(bound_.begin(), bound_.end(), name) != bound_.end() || grammar_.find("", name)) {
        fail(fmt::format("a name other than '{}', which is already in use", name));
    }
    need(",");
    const std::uint32_t from = choice();
    need(",");
    const std::uint32_t to = choice();
    need(",");
    bound_.push_back(name);
    out_.slots_ = std::max(out_.slots_, bound_.size());
    const std::uint32_t each = choice();
    bound_.pop_back();
    need(")");
    const std::uint32_t made = add(code, from, to, each);
    out_.nodes_[made].number = static_cast<std::int64_t>(bound_.size());
    return made;
}

std::uint32_t ExpressionParser::call(const ExpressionName& name, std::string_view written) {
    std::vector<std::uint32_t> arguments;
    if (name.most > 0 && take("(")) {
        do {
            arguments.push_back(choice());
        } while (take(","));
        need(")");
    }
    if (arguments.size() < name.least || arguments.size() > name.most) {
        fail(name.least == name.most ? fmt::format("{} in parentheses after {}", name.least, written)
                                     : fmt::format("{} to {} in parentheses after {}", name.least, name.most, written));
    }
    const std::uint32_t made = add(Code::name);
    out_.nodes_[made].number = name.id;
    out_.nodes_[made].arguments = std::move(arguments);
    return made;
}

void ExpressionParser::deeper() {
    if (++depth_ > kDeepest) {
        fail("less nesting");
    }
}

IntegerExpression::IntegerExpression(std::string_view text, const ExpressionGrammar& grammar) {
    ExpressionParser(text, grammar, *this).parse();
}

} // namespace warptree
