#include "app/features/lessons/lesson_lines.hpp"

#include "app/base/trimmed.hpp"

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
bool is_keyword_letter(char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || (c >= '0' && c <= '9'); }

// "why(n > 3): text", "trace modulo: …", "click warp: …"; false when the line is plain text.
bool as_entry(std::string_view line, LessonLine& entry) {
    std::size_t at = 0;
    const auto word = [&] {
        const std::size_t from = at;
        while (at < line.size() && is_keyword_letter(line[at])) {
            ++at;
        }
        return line.substr(from, at - from);
    };
    std::string keyword(word()), condition;
    if (keyword.empty() || keyword[0] < 'a') {
        return false;
    }
    if (at < line.size() && line[at] == ' ' && (keyword == "trace" || keyword == "click")) {
        ++at;
        keyword += " " + std::string(word());
    }
    if (at < line.size() && line[at] == '(') {
        int depth = 0;
        const std::size_t from = at + 1;
        do {
            depth += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
            ++at;
        } while (at < line.size() && depth > 0);
        if (depth > 0) {
            return false;
        }
        condition = line.substr(from, at - 1 - from);
    }
    if (at >= line.size() || line[at] != ':') {
        return false;
    }
    entry.keyword = keyword;
    entry.condition = condition;
    entry.text = trimmed(line.substr(at + 1));
    return true;
}
} // namespace

std::vector<LessonLine> lesson_lines(std::string_view text) {
    std::vector<LessonLine> all;
    bool open = false; // the next line may continue the last entry
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view raw = text.substr(0, end), line = trimmed(raw);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) {
            open = false;
            continue;
        }
        if (line.front() == '#') {
            continue;
        }
        const bool indented = raw.front() == ' ' || raw.front() == '\t';
        LessonLine entry;
        entry.line = number;
        if (!indented && as_entry(line, entry)) {
            all.push_back(std::move(entry));
            open = true;
        } else if (open && (indented || all.back().keyword.empty())) {
            all.back().text += (all.back().text.empty() ? "" : " ") + std::string(line);
        } else {
            entry.text = line;
            all.push_back(std::move(entry));
            open = true;
        }
    }
    return all;
}

} // namespace warptree::session
