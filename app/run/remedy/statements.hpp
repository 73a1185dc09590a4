// The statements of a CUDA text, as far as its brackets and semicolons tell: where a line can be added without changing what
// the others mean. Nothing is expanded or looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

struct Statement {
    enum class Kind : std::uint8_t { plain, block, branch, loop };
    Kind kind = Kind::plain;
    std::size_t begin = 0, end = 0;                     // in the text; end: past its last character
    std::size_t condition_begin = 0, condition_end = 0; // of a branch or loop: between its parentheses
    std::vector<Statement> parts;                       // of a block its statements; of others their bodies
    bool holds(std::size_t at) const { return begin <= at && at < end; }
};

class Statements {
  public:
    explicit Statements(std::string text);

    const std::string& text() const { return text_; }
    // Without comments, strings and preprocessor lines, of which only blanks and line ends are left: as long as the text.
    const std::string& bare() const { return bare_; }
    // Where a line (1-based) begins; one past the last: the end.
    std::size_t line_begin(std::uint32_t line) const;
    std::uint32_t line_of(std::size_t at) const;
    // From the body of a function, which holds `at`, to the innermost statement that does. Empty: outside of functions.
    std::vector<const Statement*> around(std::size_t at) const;
    const Statement* innermost(std::size_t at) const; // that holds `at`; null: a block, or none
    std::string indent_at(std::size_t at) const;      // of the line

  private:
    std::string text_, bare_;
    std::vector<std::size_t> lines_; // where each begins
    std::vector<Statement> bodies_;
};

// Where `sign` stands in a text without words, outside of brackets, from `from` on; npos: it does not.
std::size_t outside_brackets(const std::string& bare, char sign, std::size_t from = 0);

// Past the bracket that closes the one at `at` of a text without words; the text's end: none does.
std::size_t past_bracket(const std::string& bare, std::size_t at);

} // namespace warptree::runs
