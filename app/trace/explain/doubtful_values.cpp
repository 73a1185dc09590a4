#include "app/trace/explain/doubtful_values.hpp"

#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace warptree {

namespace {
// What an element holds in the end.
std::map<std::pair<std::uint16_t, std::uint32_t>, const Output*> last_stores(const Launch& launch) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, const Output*> stored;
    for (const Output& o : launch.outputs) {
        if (o.node < launch.nodes.size()) {
            stored[{o.allocation, o.index}] = &o;
        }
    }
    return stored;
}

// Of the nodes that those marked are made of; operands come before what they are part of.
void mark_operands(const Launch& launch, std::vector<bool>& marked) {
    for (auto k = static_cast<std::uint32_t>(launch.nodes.size()); k-- > 0;) {
        const Node& n = launch.nodes[k];
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (marked[k] && has_operands(n.kind) && operand < k) {
                marked[operand] = true;
            }
        }
    }
}

// That gives what a node combines, in its line or shortly before.
const Shuffle* shuffle_of(const Launch& launch, const Node& n) {
    constexpr std::uint32_t kLines = 2;
    const auto found = std::ranges::find_if(launch.shuffles, [&](const Shuffle& s) {
        const bool near =
            s.line == n.line || (s.line.known() && n.line.known() && s.line.file() == n.line.file() &&
                                 s.line.line() <= n.line.line() && s.line.line() + kLines >= n.line.line());
        return s.block == n.block && near && s.warp == n.thread / kWarpSize &&
               (s.mask >> n.thread % kWarpSize & 1U) != 0 && (s.kind == ShuffleKind::down || s.kind == ShuffleKind::up);
    });
    return found == launch.shuffles.end() ? nullptr : &*found;
}

double number(const Node& n, ValueType element) {
    return visit_value(n.type == ValueType::none ? element : n.type, n.bits,
                       [](auto value) { return static_cast<double>(value); });
}
} // namespace

std::optional<Finding> own_value(const Launch& launch) {
    if (launch.shuffles.empty() || !launch.completed()) {
        return std::nullopt;
    }
    std::vector<bool> used(launch.nodes.size(), false);
    for (const auto& [element, o] : last_stores(launch)) {
        used[o->node] = true;
    }
    mark_operands(launch, used);
    std::optional<Finding> told;
    std::uint64_t times = 0;
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& n = launch.nodes[k];
        const bool changes = n.operation == Operation::add || n.operation == Operation::multiply;
        if (!used[k] || n.kind != NodeKind::combine || !changes || n.left >= k || n.left != n.right()) {
            continue;
        }
        const Shuffle* const by = told && told->line == n.line ? nullptr : shuffle_of(launch, n);
        if (!told && by == nullptr) {
            continue;
        }
        if (!told) {
            told = risk_at(FindingKind::own_value, n);
            told->text = fmt::format(
                "gets its own value from a shuffle {} by {}, as no lane is so far {} it, and {} it, which the "
                "result depends on,",
                by->kind == ShuffleKind::up ? "up" : "down", by->delta, by->kind == ShuffleKind::up ? "below" : "above",
                n.operation == Operation::add ? "adds" : "multiplies by");
        }
        times += told->line == n.line ? 1 : 0;
    }
    if (told) {
        told->times = times;
    }
    return told;
}

std::optional<Finding> not_a_number(const Launch& launch, ValueType element, bool overflows_only) {
    if (!launch.completed()) {
        return std::nullopt;
    }
    std::vector<bool> part(launch.nodes.size(), false); // of what is stored and no number
    std::uint64_t elements = 0, nan = 0;
    const Output* first = nullptr;
    for (const auto& [place, o] : last_stores(launch)) {
        ++elements;
        if (std::isnan(number(launch.nodes[o->node], element))) {
            ++nan;
            part[o->node] = true;
            first = first == nullptr ? o : first;
        }
    }
    if (first == nullptr) {
        return std::nullopt;
    }
    mark_operands(launch, part);
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& n = launch.nodes[k];
        const double value = number(n, element);
        const auto fine = [&](std::uint32_t operand) {
            return operand >= k || std::isfinite(number(launch.nodes[operand], element));
        };
        if (!part[k] || std::isfinite(value)) {
            continue;
        }
        if (!has_operands(n.kind) || !fine(n.left) || !fine(n.right()) || (overflows_only && std::isnan(value))) {
            return std::nullopt; // it was loaded so, or may come of a constant
        }
        Finding f = risk_at(FindingKind::not_a_number, n);
        f.array = first->allocation < launch.allocations.size() ? launch.allocations[first->allocation].name : "";
        f.index = first->index;
        f.text = fmt::format("{} of the {} elements of {} that are stored are nan, first {}[{}]", nan, elements,
                             f.array, f.array, first->index);
        f.writes = std::isinf(value);
        return f;
    }
    return std::nullopt;
}

} // namespace warptree
