#include "app/views/branches.hpp"
#include "app/views/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace warptree::scene {

namespace {
bool splits(const Branch& b, std::uint32_t step) { return b.step == step && b.taken != 0 && b.not_taken != 0; }
} // namespace

SplitWarps split_by_branches(const Launch& launch, std::uint32_t step) {
    SplitWarps found;
    std::set<std::pair<std::uint32_t, std::uint16_t>> split;
    for (const Branch& b : launch.branches) {
        if (splits(b, step)) {
            split.insert({b.block, b.warp});
            if (std::find(found.lines.begin(), found.lines.end(), b.line) == found.lines.end()) {
                found.lines.push_back(b.line);
            }
        }
    }
    std::sort(found.lines.begin(), found.lines.end(), [](const SourceLine& a, const SourceLine& b) {
        return std::pair(a.file(), a.line()) < std::pair(b.file(), b.line());
    });
    found.warps = split.size();
    found.traced = std::size_t{launch.window_count} * launch.warps();
    return found;
}

bool splits_unseen(const Launch& launch, std::uint32_t step) {
    return launch.steps[step].counters.divergent_warps == 0 &&
           std::any_of(launch.branches.begin(), launch.branches.end(),
                       [&](const Branch& b) { return splits(b, step); });
}

std::string written_lines(const Trace& trace, const std::vector<SourceLine>& lines) {
    constexpr std::size_t kMost = 3;
    if (lines.empty()) {
        return {};
    }
    std::string text = written_at(trace, lines.front());
    const std::size_t shown = std::min(lines.size(), kMost);
    for (std::size_t k = 1; k < shown; ++k) {
        const bool last = k + 1 == lines.size();
        text += (last ? " and " : ", ") + std::to_string(lines[k].line());
    }
    if (lines.size() > 1 && text.starts_with("line ")) {
        text.insert(4, "s");
    }
    return text + (lines.size() > shown ? fmt::format(" and {} more", lines.size() - shown) : "");
}

std::string first_split(const Trace& trace, const Launch& launch, std::uint32_t step) {
    const auto first = std::find_if(launch.branches.begin(), launch.branches.end(),
                                    [&](const Branch& b) { return b.block == launch.window_first && splits(b, step); });
    if (first == launch.branches.end()) {
        return {};
    }
    std::string line = written_at(trace, first->line);
    line.front() = 'L';
    const int one = std::popcount(first->taken), other = std::popcount(first->not_taken);
    return fmt::format(" {} splits warp {}: {} of its {} lanes {} one way, and after that the other{}.", line,
                       first->warp, one, one + other, one == 1 ? "goes" : "go",
                       other == 1 ? "" : fmt::format(" {}", other));
}

} // namespace warptree::scene
