// Syntax highlighting of CUDA C++.
#pragma once

#include "app/drawing/theme.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warptree::scene {

enum class Token : std::uint8_t { plain, keyword, comment, literal, cuda };

// By byte of the line. `in_comment`: it begins within /* */; `ends_in_comment` is set if the next one does.
std::vector<Token> tokens_of(std::string_view line, bool in_comment = false, bool* ends_in_comment = nullptr);

Color token_color(const Theme& theme, Token token);

} // namespace warptree::scene
