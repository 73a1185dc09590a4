#include "app/views/source/highlight.hpp"

#include "app/base/identifier.hpp"
#include "app/views/parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace warptree::scene {

namespace {
bool is_keyword(std::string_view word) {
    static constexpr std::array<std::string_view, 43> kSorted{
        "alignas",  "auto",    "bool",     "break",  "case",   "char",      "class",    "const",    "constexpr",
        "continue", "default", "do",       "double", "else",   "enum",      "extern",   "false",    "float",
        "for",      "if",      "inline",   "int",    "long",   "namespace", "nullptr",  "operator", "return",
        "short",    "signed",  "sizeof",   "static", "struct", "switch",    "template", "true",     "typedef",
        "typename", "union",   "unsigned", "using",  "void",   "volatile",  "while"};
    return std::binary_search(kSorted.begin(), kSorted.end(), word);
}

// What CUDA adds: qualifiers, built-in variables, and warp, block and memory functions.
bool is_cuda(std::string_view word) {
    static constexpr std::array<std::string_view, 5> words{"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    return word.starts_with("__") || word.starts_with("atomic") ||
           std::find(words.begin(), words.end(), word) != words.end();
}

// One past a string or character literal that begins at `at`.
std::size_t end_of_quoted(std::string_view line, std::size_t at) {
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != line[at]) {
        end += line[end] == '\\' ? 2 : 1;
    }
    return std::min(line.size(), end + 1);
}
} // namespace

std::vector<Token> tokens_of(std::string_view line, bool in_comment, bool* ends_in_comment) {
    std::vector<Token> tokens(line.size(), Token::plain);
    bool comment = in_comment;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        Token token = Token::plain;
        const std::string_view rest = line.substr(i);
        if (comment || rest.starts_with("/*")) {
            const std::size_t close = line.find("*/", comment ? i : i + 2);
            comment = close == std::string_view::npos;
            end = comment ? line.size() : close + 2;
            token = Token::comment;
        } else if (rest.starts_with("//")) {
            end = line.size();
            token = Token::comment;
        } else if (line[i] == '"' || line[i] == '\'') {
            end = end_of_quoted(line, i);
            token = Token::literal;
        } else if (line[i] == '#') {
            while (end < line.size() && (in_identifier(line[end]) || line[end] == ' ') && line[end - 1] != ' ') {
                ++end;
            }
            token = Token::keyword;
        } else if (in_identifier(line[i])) {
            while (end < line.size() && in_identifier(line[end])) {
                ++end;
            }
            const std::string_view word = line.substr(i, end - i);
            token = std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? Token::literal
                    : is_keyword(word)                                     ? Token::keyword
                    : is_cuda(word)                                        ? Token::cuda
                                                                           : Token::plain;
        }
        std::fill(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin() + static_cast<std::ptrdiff_t>(end),
                  token);
        i = end;
    }
    if (ends_in_comment != nullptr) {
        *ends_in_comment = comment;
    }
    return tokens;
}

Color token_color(const Theme& theme, Token token) {
    switch (token) {
    case Token::keyword: return mix(theme.text, theme.accent, 0.75F);
    case Token::literal: return mix(theme.text, theme.agree, 0.75F);
    case Token::cuda: return mix(theme.text, theme.conflict, 0.6F);
    case Token::comment: return theme.muted;
    case Token::plain: break;
    }
    return theme.text;
}

} // namespace warptree::scene
