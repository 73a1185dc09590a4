#include "app/trace/explain/merged_parts.hpp"

#include "app/trace/explain/sources.hpp"
#include "app/trace/explain/values.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace warptree {

namespace {
std::string_view line_of(std::string_view text, std::uint32_t line) {
    for (; line > 1; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name that ends at `end`, past subscripts: of "part[t].mean" mean, of "d[t + s]" d.
std::string name_before(std::string_view line, std::size_t end) {
    while (end > 0 && line[end - 1] == ' ') {
        --end;
    }
    while (end > 0 && line[end - 1] == ']') {
        int depth = 0;
        do {
            --end;
            depth += line[end] == ']' ? 1 : line[end] == '[' ? -1 : 0;
        } while (end > 0 && depth != 0);
    }
    std::size_t begin = end;
    while (begin > 0 && in_name(line[begin - 1])) {
        --begin;
    }
    return std::string(line.substr(begin, end - begin));
}

// What a line assigns to, from left to right.
std::vector<std::string> assigned(std::string_view line) {
    constexpr std::string_view kCompound = "+-*/%&|^", kComparisons = "=!<>";
    std::vector<std::string> names;
    for (std::size_t i = 1; i < line.size(); ++i) {
        if (line[i] != '=' || (i + 1 < line.size() && line[i + 1] == '=') ||
            kComparisons.find(line[i - 1]) != std::string_view::npos) {
            continue;
        }
        std::string name = name_before(line, kCompound.find(line[i - 1]) != std::string_view::npos ? i - 1 : i);
        if (!name.empty()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}
} // namespace

std::span<const NodePart> parts_of(const Launch& launch, std::uint32_t node) {
    const auto [first, last] = std::equal_range(launch.parts.begin(), launch.parts.end(), NodePart{node},
                                                [](const NodePart& a, const NodePart& b) { return a.node < b.node; });
    return std::span(launch.parts)
        .subspan(static_cast<std::size_t>(first - launch.parts.begin()), static_cast<std::size_t>(last - first));
}

std::vector<MergedPart> merged_parts(const Trace& trace, const Launch& launch, std::uint32_t node) {
    const std::span<const NodePart> all = parts_of(launch, node);
    std::vector<MergedPart> parts;
    for (auto part = all.begin(); part != all.end(); ++part) {
        std::string name(warptree::name(part->operation));
        if (part->line.known()) {
            const auto on_line = static_cast<std::size_t>(
                std::count_if(all.begin(), part, [&](const NodePart& other) { return other.line == part->line; }));
            const std::vector<std::string> names = assigned(line_of(text_of(trace, part->line), part->line.line()));
            const auto same_line = static_cast<std::size_t>(
                std::count_if(all.begin(), all.end(), [&](const NodePart& other) { return other.line == part->line; }));
            if (names.size() >= same_line) {
                name = names[names.size() - same_line + on_line];
            }
        }
        parts.push_back({name.empty() ? "value" : std::move(name), value_text(part->type, part->bits)});
    }
    return parts;
}

} // namespace warptree
