#include "app/run/program/host_calls.hpp"

#include "app/base/identifier.hpp"

#include <algorithm>

namespace warptree::runs {

std::string text_of(const Statements& code, TextRange range) {
    return trimmed_part(code.text(), range.first, range.second);
}

bool is_name(const std::string& text) { return !text.empty() && std::all_of(text.begin(), text.end(), in_identifier); }

std::string variable_in(const std::string& word) {
    std::size_t at = word.starts_with('(') ? past_bracket(word, 0) : 0;
    at = word.find_first_not_of(" &*", at);
    std::size_t end = at;
    while (end < word.size() && in_identifier(word[end])) {
        ++end;
    }
    return at == std::string::npos ? std::string() : word.substr(at, end - at);
}

std::vector<TextRange> words_between(const std::string& bare, std::size_t from, std::size_t end) {
    std::vector<TextRange> words;
    for (std::size_t at = from; at <= end && at < bare.size(); ++at) {
        if (at < end && (bare[at] == '(' || bare[at] == '[' || bare[at] == '{')) {
            at = past_bracket(bare, at) - 1;
        } else if (at == end || bare[at] == ',') {
            words.emplace_back(from, at);
            from = at + 1;
        }
    }
    return words;
}

namespace {
std::optional<TextCall> call_at(const std::string& bare, std::size_t begin) {
    std::size_t name_end = begin;
    while (name_end < bare.size() && in_identifier(bare[name_end])) {
        ++name_end;
    }
    const std::size_t open = bare.find_first_not_of(" \t\n", name_end);
    if (open == std::string::npos || bare[open] != '(') { // cudaMemcpyHostToDevice
        return std::nullopt;
    }
    const std::size_t end = past_bracket(bare, open);
    return TextCall{begin, end, words_between(bare, open + 1, end - 1)};
}
} // namespace

std::optional<TextCall> call_in(const Statements& code, std::uint32_t line, std::string_view name) {
    const std::size_t begin = code.bare().find(name, code.line_begin(line));
    return begin >= code.line_begin(line + 1) ? std::nullopt : call_at(code.bare(), begin);
}

std::vector<TextCall> calls_of(const Statements& code, std::string_view name) {
    std::vector<TextCall> all;
    for (std::size_t at = code.bare().find(name); at != std::string::npos; at = code.bare().find(name, at + 1)) {
        if (auto call = at == 0 || !in_identifier(code.bare()[at - 1]) ? call_at(code.bare(), at) : std::nullopt) {
            all.push_back(std::move(*call));
        }
    }
    return all;
}

std::vector<TextLaunch> launches_in(const Statements& code) {
    const std::string& bare = code.bare();
    std::vector<TextLaunch> all;
    for (std::size_t open = bare.find("<<<"); open != std::string::npos; open = bare.find("<<<", open + 3)) {
        const std::size_t close = bare.find(">>>", open);
        const std::size_t bracket = close == std::string::npos ? close : bare.find_first_not_of(" \t\n", close + 3);
        if (bracket != std::string::npos && bare[bracket] == '(') {
            all.push_back({open, words_between(bare, open + 3, close),
                           words_between(bare, bracket + 1, past_bracket(bare, bracket) - 1)});
        }
    }
    return all;
}

} // namespace warptree::runs
