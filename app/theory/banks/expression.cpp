#include "app/theory/banks/expression.hpp"

#include <fmt/format.h>

#include <array>

namespace warptree::banks {

namespace {
struct Variable {
    std::string_view name;
    std::int64_t Variables::*member;
};
constexpr std::array kVariables{Variable{"t", &Variables::t}, Variable{"lane", &Variables::lane},
                                Variable{"warp", &Variables::warp}, Variable{"s", &Variables::s}};

IntegerExpression parsed(std::string_view text) {
    ExpressionGrammar grammar;
    grammar.operand = "a number, t, lane, warp, s or '('";
    grammar.find = [](std::string_view, std::string_view name) -> std::optional<ExpressionName> {
        for (std::uint32_t i = 0; i < kVariables.size(); ++i) {
            if (kVariables[i].name == name) {
                return ExpressionName{i, 0, 0};
            }
        }
        return std::nullopt;
    };
    try {
        return {text, grammar};
    } catch (const OptionError& e) {
        throw OptionError(std::string("index expression: ") + e.what());
    }
}
} // namespace

Expression::Expression(std::string_view text) : expression_(parsed(text)) {}

std::int64_t Expression::value(const Variables& v) const {
    try {
        return expression_.value(Overflow::wraps, [&v](std::uint32_t id, std::span<const std::int64_t>) {
            return v.*kVariables[id].member;
        });
    } catch (const NoValue& e) {
        throw OptionError(fmt::format("index expression: {} in lane {} (t = {})", e.what(), v.lane, v.t));
    }
}

} // namespace warptree::banks
