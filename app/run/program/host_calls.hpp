// Calls and launches of a program's host, as its text has them.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::runs {

using TextRange = std::pair<std::size_t, std::size_t>; // from and to

struct TextCall {
    std::size_t begin = 0; // of its name
    std::size_t end = 0;   // past its bracket
    std::vector<TextRange> words;
};
struct TextLaunch {
    std::size_t begin = 0;        // of "<<<"
    std::vector<TextRange> shape; // between <<< and >>>
    std::vector<TextRange> words; // its arguments
};

// As it is written there.
std::string text_of(const Statements& code, TextRange range);
bool is_name(const std::string& text);
// "h" of h, &h, h.data(), &h[0], (void**)&h.
std::string variable_in(const std::string& word);
// What commas part in [from, end).
std::vector<TextRange> words_between(const std::string& bare, std::size_t from, std::size_t end);
// The first call in a line of a function whose name begins so, as "cudaMalloc".
std::optional<TextCall> call_in(const Statements& code, std::uint32_t line, std::string_view name);
// All of a function whose name begins so.
std::vector<TextCall> calls_of(const Statements& code, std::string_view name);
std::vector<TextLaunch> launches_in(const Statements& code);

} // namespace warptree::runs
