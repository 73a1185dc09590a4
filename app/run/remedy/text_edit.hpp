// Changes of a CUDA text, and what they are made of.
#pragma once

#include "app/run/remedy/statements.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

struct TextEdit {
    std::size_t begin, end; // is replaced
    std::string with;
};
struct Change {
    std::string words;
    std::vector<TextEdit> edits;
};
// Those must not overlap.
std::string edited(std::string text, std::vector<TextEdit> edits);

inline constexpr std::string_view kBlanks = " \t\n";

// A name as a whole word in [from, end); npos: it is not there.
std::size_t find_word(const std::string& text, std::string_view word, std::size_t from, std::size_t end);
std::string trimmed_part(const std::string& text, std::size_t begin, std::size_t end);
// A name, a number or an element: nothing in it is weaker than an operator beside it.
bool is_one_term(const std::string& text);

// "float x = …": whether a statement declares what it sets.
bool declares(const Statements& code, const Statement& s);

// Where an assignment's operator stands outside of brackets, at its "="; npos: none in [begin, end).
std::size_t assignment(const std::string& bare, std::size_t begin, std::size_t end);

// A line of its own at `at`, where a statement begins, or after one.
TextEdit line_before(const Statements& code, std::size_t at, const std::string& line);
TextEdit line_after(const Statements& code, const Statement& s, const std::string& line);
// The statement goes, with its line where nothing else stands there.
TextEdit without(const Statements& code, const Statement& s);

} // namespace warptree::runs
