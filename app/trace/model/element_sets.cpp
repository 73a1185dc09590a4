#include "app/trace/model/element_sets.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warptree {

namespace {
// The finalizer of splitmix64.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}
constexpr std::uint64_t kOfAnotherBlock = 1ULL << 40U;

// Keys of a launch's nodes; operands may come before or after their uses.
std::vector<std::uint64_t> keys_of(const Launch& launch) {
    const auto& nodes = launch.nodes;
    std::vector<std::uint64_t> keys(nodes.size());
    std::vector<std::uint8_t> state(nodes.size()); // 0: unseen, 1: its operands are on the stack, 2: known
    std::vector<std::uint32_t> stack;
    for (std::uint32_t start = 0; start < nodes.size(); ++start) {
        stack.push_back(start);
        while (!stack.empty()) {
            const std::uint32_t at = stack.back();
            const Node& node = nodes[at];
            const auto known = [&](std::uint32_t i) { return i >= nodes.size() || state[i] != 0; };
            const bool made = has_operands(node.kind) || node.left != kNone; // or taken from another block
            if (state[at] == 0 && made && !(known(node.left) && known(node.right()))) {
                state[at] = 1;
                for (const std::uint32_t operand : {node.left, node.right()}) {
                    if (!known(operand)) {
                        stack.push_back(operand);
                    }
                }
                continue;
            }
            stack.pop_back();
            if (state[at] == 2) {
                continue;
            }
            state[at] = 2;
            switch (node.kind) {
            case NodeKind::leaf: keys[at] = mix(node.element()); break;
            case NodeKind::partial:
                keys[at] = node.left < nodes.size() ? keys[node.left] : mix(kOfAnotherBlock + node.element());
                break;
            case NodeKind::identity: break;
            case NodeKind::combine:
            case NodeKind::product:
                for (const std::uint32_t operand : {node.left, node.right()}) {
                    keys[at] += operand < nodes.size() ? keys[operand] : 0;
                }
            }
        }
    }
    return keys;
}
} // namespace

ElementSets::ElementSets(const Launch& launch) : keys_(keys_of(launch)), by_key_(keys_.size()) {
    std::iota(by_key_.begin(), by_key_.end(), 0U);
    std::stable_sort(by_key_.begin(), by_key_.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; });
}

std::span<const std::uint32_t> ElementSets::with(std::uint64_t key) const {
    const auto first = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                        [this](std::uint32_t node, std::uint64_t k) { return keys_[node] < k; });
    const auto last = std::upper_bound(first, by_key_.end(), key,
                                       [this](std::uint64_t k, std::uint32_t node) { return k < keys_[node]; });
    return {by_key_.data() + (first - by_key_.begin()), static_cast<std::size_t>(last - first)};
}

namespace {
// A useful combine: launch, the two sets it joins, block and thread.
using Join = std::tuple<std::size_t, std::uint64_t, std::uint64_t, std::uint32_t, std::uint16_t>;

std::vector<Join> joins(const Trace& trace) {
    std::vector<Join> all;
    for (std::size_t l = 0; l < trace.launches.size(); ++l) {
        const Launch& launch = trace.launches[l];
        const ElementSets sets(launch);
        const auto key = [&](std::uint32_t node) { return node < launch.nodes.size() ? sets.key(node) : 0; };
        for (const Node& node : launch.nodes) {
            if (node.kind == NodeKind::combine && node.useful) {
                const auto [low, high] = std::minmax({key(node.left), key(node.right())}); // copies: a pair of values
                all.emplace_back(l, low, high, node.block, node.thread);
            }
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}
} // namespace

Trees compare_trees(const Trace& a, const Trace& b) {
    const auto first = joins(a), second = joins(b);
    const auto same_sets = [](const Join& x, const Join& y) {
        return std::tie(std::get<0>(x), std::get<1>(x), std::get<2>(x)) ==
               std::tie(std::get<0>(y), std::get<1>(y), std::get<2>(y));
    };
    if (first.empty() || !std::equal(first.begin(), first.end(), second.begin(), second.end(), same_sets)) {
        return Trees::different;
    }
    return first == second ? Trees::same_and_threads : Trees::same;
}

std::uint32_t counterpart(const Launch& from, const ElementSets& from_sets, std::uint32_t node, const Launch& to,
                          const ElementSets& to_sets) {
    if (node >= from.nodes.size()) {
        return kNone;
    }
    const Node& it = from.nodes[node];
    std::uint32_t best = kNone;
    for (const std::uint32_t i : to_sets.with(from_sets.key(node))) {
        const Node& other = to.nodes[i];
        if (other.kind != it.kind) {
            continue;
        }
        if (other.block == it.block && other.thread == it.thread) {
            return i;
        }
        best = best == kNone ? i : best;
    }
    return best;
}

} // namespace warptree
