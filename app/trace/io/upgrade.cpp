#include "app/trace/io/upgrade.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace warptree {

namespace {
// By node: whether it stands for no element. Operands may come after their uses if a race read a later value.
// `empty_input`: elements of the input that stand for none.
std::vector<bool> empty_nodes(const Launch& launch, const std::unordered_set<std::uint32_t>& empty_input) {
    enum class State : std::uint8_t { unseen, waiting, known };
    const auto& nodes = launch.nodes;
    std::vector<State> state(nodes.size(), State::unseen);
    std::vector<bool> empty(nodes.size());
    std::vector<std::uint32_t> stack;
    for (std::uint32_t start = 0; start < nodes.size(); ++start) {
        stack.assign(state[start] == State::unseen ? 1 : 0, start);
        while (!stack.empty()) {
            const std::uint32_t at = stack.back();
            const Node& node = nodes[at];
            if (state[at] == State::unseen && has_operands(node.kind)) {
                state[at] = State::waiting;
                for (const std::uint32_t operand : {node.left, node.right}) {
                    if (operand != kNone && state[operand] == State::unseen) {
                        stack.push_back(operand);
                    }
                }
                continue;
            }
            stack.pop_back();
            const auto is_empty = [&](std::uint32_t operand) { return operand != kNone && empty[operand]; };
            empty[at] = node.kind == NodeKind::identity ||
                        (node.kind == NodeKind::leaf && empty_input.contains(node.element)) ||
                        (node.kind == NodeKind::combine && is_empty(node.left) && is_empty(node.right)) ||
                        (node.kind == NodeKind::product && (is_empty(node.left) || is_empty(node.right)));
            state[at] = State::known;
        }
    }
    return empty;
}
// For the one strategy of version 2 that multiplies: each product has two loaded operands and is added to one sum.
void tell_products(Trace& trace) {
    for (Launch& launch : trace.launches) {
        std::vector<std::uint32_t> products;
        for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
            const Node& node = launch.nodes[i];
            const auto loaded = [&](std::uint32_t operand) {
                return operand != kNone && !has_operands(launch.nodes[operand].kind);
            };
            if (node.kind == NodeKind::combine && loaded(node.left) && loaded(node.right)) {
                products.push_back(i);
            }
        }
        for (const std::uint32_t i : products) {
            launch.nodes[i].kind = NodeKind::product;
        }
        for (Step& step : launch.steps) {
            step.counters.combines /= 2;
            step.counters.useful_combines /= 2;
        }
    }
    trace.tree.combines /= 2;
    trace.tree.useful_combines /= 2;
    trace.tree.depth -= trace.tree.depth > 0 ? 1 : 0;
}

void tell_padding(Trace& trace) {
    std::unordered_set<std::uint32_t> empty_input;
    for (Launch& launch : trace.launches) {
        const std::vector<bool> empty = empty_nodes(launch, empty_input);
        empty_input.clear(); // for the next launch, whose input is this one's output
        for (const Output& output : launch.outputs) {
            if (output.node != kNone && empty[output.node]) {
                empty_input.insert(output.index);
            }
        }
        const bool whole = launch.window_count == launch.grid;
        for (Node& node : launch.nodes) {
            const auto is_empty = [&](std::uint32_t operand) { return operand != kNone && empty[operand]; };
            if (node.kind != NodeKind::combine || !(is_empty(node.left) || is_empty(node.right))) {
                continue;
            }
            node.padding = true;
            if (whole) {
                Counters& counters = launch.steps[node.step].counters;
                ++counters.padding_combines;
                counters.useful_combines -= node.useful && counters.useful_combines > 0 ? 1 : 0;
            }
            node.useful = false;
        }
    }
}
} // namespace

void upgrade_from_version_2(Trace& trace) {
    if (trace.options.strategy == "tiled-matmul") {
        tell_products(trace);
    }
    tell_padding(trace);
}

} // namespace warptree
