#include "app/run/remedy/statements.hpp"

#include "app/base/identifier.hpp"

#include <algorithm>
#include <cctype>

namespace warptree::runs {

namespace {
constexpr int kMostNested = 200; // deeper, a text is taken as it stands

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Past a comment, a text in quotes or a preprocessor line that begins at `at`; `at`: none does.
std::size_t past_what_is_no_code(const std::string& text, std::size_t at, bool line_begins) {
    const auto end_of = [&](std::string_view what, std::size_t from) {
        const std::size_t found = text.find(what, from);
        return found == std::string::npos ? text.size() : found + what.size();
    };
    if (text.compare(at, 2, "//") == 0) {
        return std::min(text.find('\n', at), text.size());
    }
    if (text.compare(at, 2, "/*") == 0) {
        return end_of("*/", at + 2);
    }
    if (text[at] == '#' && line_begins) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        while (end < text.size() && text[end - 1] == '\\') {
            end = std::min(text.find('\n', end + 1), text.size());
        }
        return end;
    }
    const bool digits = text[at] == '\'' && at > 0 && in_identifier(text[at - 1]); // 1'000
    if (text[at] == '"' || (text[at] == '\'' && !digits)) {
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
            end += text[end] == '\\' ? 2 : 1;
        }
        return std::min(end + 1, text.size());
    }
    return at;
}

std::string without_words(const std::string& text) {
    std::string bare = text;
    bool line_begins = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = past_what_is_no_code(text, at, line_begins);
        if (end == at) {
            line_begins = text[at] == '\n' || (line_begins && is_space(text[at]));
            ++at;
            continue;
        }
        for (; at < end; ++at) {
            bare[at] = text[at] == '\n' ? '\n' : ' ';
        }
    }
    return bare;
}

class Reader {
  public:
    explicit Reader(const std::string& bare) : bare_(bare) {}

    // Every body of a function: a block that follows parentheses, outside of any other.
    std::vector<Statement> bodies() {
        std::vector<Statement> all;
        char last = 0;
        for (std::size_t at = 0; at < bare_.size();) {
            if (bare_[at] == '{' && last == ')') {
                all.push_back(statement(at, 0));
                at = all.back().end;
                last = '}';
            } else {
                last = is_space(bare_[at]) ? last : bare_[at];
                ++at;
            }
        }
        return all;
    }

  private:
    std::size_t blanks(std::size_t at) const {
        while (at < bare_.size() && is_space(bare_[at])) {
            ++at;
        }
        return at;
    }
    bool word_at(std::size_t at, std::string_view word) const {
        return bare_.compare(at, word.size(), word) == 0 && (at == 0 || !in_identifier(bare_[at - 1])) &&
               (at + word.size() >= bare_.size() || !in_identifier(bare_[at + word.size()]));
    }

    Statement statement(std::size_t at, int depth) {
        Statement s;
        s.begin = s.end = blanks(at);
        if (s.begin >= bare_.size() || depth > kMostNested) {
            s.end = bare_.size();
            return s;
        }
        if (bare_[s.begin] == '{') {
            block(s, depth);
        } else if (word_at(s.begin, "if") || word_at(s.begin, "for") || word_at(s.begin, "while") ||
                   word_at(s.begin, "switch")) {
            headed(s, depth);
        } else if (word_at(s.begin, "do")) {
            s.kind = Statement::Kind::loop;
            s.parts.push_back(statement(s.begin + 2, depth + 1));
            s.end = plain_end(s.parts.back().end);
        } else {
            s.end = plain_end(s.begin);
        }
        return s;
    }

    void block(Statement& s, int depth) {
        s.kind = Statement::Kind::block;
        std::size_t at = blanks(s.begin + 1);
        while (at < bare_.size() && bare_[at] != '}') {
            s.parts.push_back(statement(at, depth + 1));
            at = blanks(std::max(s.parts.back().end, at + 1));
        }
        s.end = std::min(at + 1, bare_.size());
    }

    void headed(Statement& s, int depth) {
        s.kind = word_at(s.begin, "if") || word_at(s.begin, "switch") ? Statement::Kind::branch : Statement::Kind::loop;
        std::size_t at = s.begin;
        while (at < bare_.size() && bare_[at] != '(' && bare_[at] != ';' && bare_[at] != '{') { // "if constexpr ("
            ++at;
        }
        if (at >= bare_.size() || bare_[at] != '(') {
            s.end = plain_end(s.begin);
            return;
        }
        s.end = past_bracket(bare_, at);
        s.condition_begin = at + 1;
        s.condition_end = s.end - 1;
        s.parts.push_back(statement(s.end, depth + 1));
        s.end = s.parts.back().end;
        if (const std::size_t next = blanks(s.end); word_at(next, "else")) {
            s.parts.push_back(statement(next + 4, depth + 1));
            s.end = s.parts.back().end;
        }
    }

    // Past the semicolon.
    std::size_t plain_end(std::size_t at) const {
        while (at < bare_.size()) {
            const char c = bare_[at];
            if (c == '}') {
                return at;
            }
            if (c == ';') {
                return at + 1;
            }
            at = c == '(' || c == '[' || c == '{' ? past_bracket(bare_, at) : at + 1;
        }
        return at;
    }

    const std::string& bare_;
};

void find(const Statement& s, std::size_t at, std::vector<const Statement*>& out) {
    out.push_back(&s);
    for (const Statement& part : s.parts) {
        if (part.holds(at)) {
            return find(part, at, out);
        }
    }
}
} // namespace

Statements::Statements(std::string text) : text_(std::move(text)), bare_(without_words(text_)), lines_{0} {
    for (std::size_t at = 0; at < text_.size(); ++at) {
        if (text_[at] == '\n') {
            lines_.push_back(at + 1);
        }
    }
    bodies_ = Reader(bare_).bodies();
}

std::size_t past_bracket(const std::string& bare, std::size_t at) {
    int depth = 0;
    for (; at < bare.size(); ++at) {
        depth += bare[at] == '(' || bare[at] == '[' || bare[at] == '{';
        depth -= bare[at] == ')' || bare[at] == ']' || bare[at] == '}';
        if (depth == 0) {
            return at + 1;
        }
    }
    return at;
}

std::size_t Statements::line_begin(std::uint32_t line) const {
    return line == 0 || line > lines_.size() ? text_.size() : lines_[line - 1];
}

std::uint32_t Statements::line_of(std::size_t at) const {
    return static_cast<std::uint32_t>(std::upper_bound(lines_.begin(), lines_.end(), at) - lines_.begin());
}

std::vector<const Statement*> Statements::around(std::size_t at) const {
    std::vector<const Statement*> all;
    for (const Statement& body : bodies_) {
        if (body.holds(at)) {
            find(body, at, all);
        }
    }
    return all;
}

const Statement* Statements::innermost(std::size_t at) const {
    const auto all = around(at);
    return all.empty() || all.back()->kind == Statement::Kind::block ? nullptr : all.back();
}

std::string Statements::indent_at(std::size_t at) const {
    const std::size_t begin = line_begin(line_of(at));
    std::size_t end = begin;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) {
        ++end;
    }
    return text_.substr(begin, end - begin);
}

std::size_t outside_brackets(const std::string& bare, char sign, std::size_t from) {
    for (std::size_t at = from; at < bare.size(); ++at) {
        if (bare[at] == '(' || bare[at] == '[') {
            at = past_bracket(bare, at) - 1;
        } else if (bare[at] == sign) {
            return at;
        }
    }
    return std::string::npos;
}

} // namespace warptree::runs
