#include "app/trace/explain/lost_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warptree {

namespace {
using Element = std::pair<std::uint16_t, std::uint32_t>; // by allocation

// Each block stores one result, or all the same one, and one is of several levels: not what a test of a sum stores now and then.
bool is_reduction(const Launch& launch) {
    std::set<Element> stored;
    std::set<std::uint32_t> blocks;
    for (const Output& o : launch.outputs) {
        stored.insert({o.allocation, o.index});
        blocks.insert(o.block);
    }
    constexpr std::uint32_t kLevels = 3;
    std::vector<std::uint32_t> levels(launch.nodes.size(), 0); // operands come before what combines them
    bool deep = false;
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& n = launch.nodes[k];
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (n.kind == NodeKind::combine && operand < k) {
                levels[k] = std::max(levels[k], levels[operand] + 1);
            }
        }
        deep = deep || (n.useful && levels[k] >= kLevels);
    }
    return deep && blocks.size() == launch.window_count && stored.size() <= blocks.size() && launch.votes.empty();
}
} // namespace

std::optional<Finding> lost_elements(const Launch& launch) {
    const bool faulty = std::ranges::any_of(
        launch.findings, [](const Finding& f) { return f.severity == Severity::fault; }); // which may be why
    if (!launch.completed() || faulty || !is_reduction(launch)) {
        return std::nullopt;
    }
    // Operands come before what combines them, so that the last of a node is the deepest combine that it is part of.
    std::vector<std::uint32_t> last(launch.nodes.size(), kNone);
    for (std::uint32_t k = static_cast<std::uint32_t>(launch.nodes.size()); k-- > 0;) {
        const Node& n = launch.nodes[k];
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (n.kind == NodeKind::combine && !n.padding && operand < k && last[operand] == kNone) {
                last[operand] = last[k] == kNone ? k : last[k];
            }
        }
    }
    std::map<Element, std::uint32_t> lost; // and a node of it
    std::set<Element> combined, reached;
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& n = launch.nodes[k];
        if (n.kind != NodeKind::leaf || last[k] == kNone) {
            continue;
        }
        const Element element{n.allocation, n.element()};
        combined.insert(element);
        if (n.useful) {
            reached.insert(element);
        } else {
            lost.emplace(element, k);
        }
    }
    std::erase_if(lost, [&](const auto& one) { return reached.contains(one.first); });
    if (lost.empty() || reached.empty() || lost.begin()->first.first >= launch.allocations.size()) {
        return std::nullopt;
    }
    const auto& [element, leaf] = *lost.begin();
    const Node& by = launch.nodes[last[leaf]];
    Finding f;
    f.kind = FindingKind::lost_elements;
    f.severity = Severity::risk;
    f.block = by.block;
    f.thread = by.thread;
    f.step = by.step;
    f.line = by.line;
    f.array = launch.allocations[element.first].name;
    f.index = element.second;
    f.text = fmt::format("{} of the {} elements that are combined reach no result; the first is {}[{}]", lost.size(),
                         combined.size(), f.array, element.second);
    return f;
}

} // namespace warptree
