#include "app/run/remedy/text_edit.hpp"

#include "app/base/identifier.hpp"
#include "app/base/trimmed.hpp"

#include <algorithm>
#include <utility>

namespace warptree::runs {

std::string edited(std::string text, std::vector<TextEdit> edits) {
    std::sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) { return a.begin > b.begin; });
    for (const TextEdit& e : edits) {
        text.replace(e.begin, e.end - e.begin, e.with);
    }
    return text;
}

std::size_t find_word(const std::string& text, std::string_view word, std::size_t from, std::size_t end) {
    for (std::size_t at = text.find(word, from); at < end; at = text.find(word, at + 1)) {
        if ((at == 0 || !in_identifier(text[at - 1])) &&
            (at + word.size() >= text.size() || !in_identifier(text[at + word.size()]))) {
            return at;
        }
    }
    return std::string::npos;
}

std::string trimmed_part(const std::string& text, std::size_t begin, std::size_t end) {
    return std::string(trimmed(std::string_view(text).substr(begin, end - begin)));
}

bool is_one_term(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && (in_identifier(text[at]) || text[at] == '.')) {
        ++at;
    }
    return at == text.size() || (text[at] == '[' && past_bracket(text, at) == text.size());
}

// A name follows a name before the first "=".
bool declares(const Statements& code, const Statement& s) {
    const std::size_t equals = std::min(code.bare().find('=', s.begin), s.end);
    const std::string left = trimmed_part(code.bare(), s.begin, equals);
    const std::size_t space = left.find_last_of(" *&");
    return space != std::string::npos && space > 0 && left[0] != '*' && in_identifier(left[0]) &&
           left.find('[') == std::string::npos && left.find('.') == std::string::npos;
}

std::size_t assignment(const std::string& bare, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
        if (bare[at] == '(' || bare[at] == '[') {
            at = past_bracket(bare, at) - 1;
        } else if (bare[at] == '=' && bare[at + 1] == '=') {
            ++at;
        } else if (bare[at] == '=' && std::string_view("<>!").find(bare[at - 1]) == std::string_view::npos) {
            return at;
        }
    }
    return std::string::npos;
}

TextEdit line_before(const Statements& code, std::size_t at, const std::string& line) {
    return {at, at, line + "\n" + code.indent_at(at)};
}

TextEdit line_after(const Statements& code, const Statement& s, const std::string& line) {
    return {s.end, s.end, "\n" + code.indent_at(s.begin) + line};
}

TextEdit without(const Statements& code, const Statement& s) {
    const std::string& bare = code.bare();
    const std::size_t from = code.line_begin(code.line_of(s.begin)), to = code.line_begin(code.line_of(s.end - 1) + 1);
    const bool alone = trimmed_part(bare, from, to) == trimmed_part(bare, s.begin, s.end);
    return alone ? TextEdit{from, to, ""} : TextEdit{s.begin, s.end, ""};
}

} // namespace warptree::runs
