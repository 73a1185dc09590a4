// Reads an expression by recursive descent.
#pragma once

#include "app/base/expression.hpp"

#include <array>

namespace warptree {

class ExpressionParser {
  public:
    ExpressionParser(std::string_view text, const ExpressionGrammar& grammar, IntegerExpression& into)
        : text_(text), grammar_(grammar), out_(into) {}
    void parse(); // throws OptionError naming the place and what was expected there

  private:
    using Code = IntegerExpression::Code;
    struct Operator {
        std::string_view text;
        Code code;
        int level;
    };
    static constexpr int kLevels = 10;
    static constexpr int kDeepest = 200; // levels of nesting
    static constexpr std::size_t kMostCharacters = 4096;
    static const std::array<Operator, 18> kOperators; // longer ones first: "<" must not match half of "<<"

    [[noreturn]] void fail(const std::string& expected) const;
    void skip();
    bool take(std::string_view token);
    void need(std::string_view token);
    std::uint32_t add(Code code, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);
    std::uint32_t choice();
    const Operator* operator_at(int level);
    std::uint32_t binary(int level);
    std::uint32_t unary();
    std::string_view word();
    std::uint32_t primary();
    std::uint32_t number(std::string_view word, std::size_t start);
    std::optional<Code> range_of(std::string_view name) const;
    std::uint32_t range(Code code);
    std::uint32_t call(const ExpressionName& name, std::string_view written);
    void deeper();

    std::string_view text_;
    const ExpressionGrammar& grammar_;
    IntegerExpression& out_;
    std::vector<std::string> bound_; // variables of the enclosing ranges
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace warptree
