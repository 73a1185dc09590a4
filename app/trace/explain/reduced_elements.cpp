#include "app/trace/explain/reduced_elements.hpp"

#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/merged_parts.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
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

std::string_view where_counted(const Launch& launch) {
    return launch.window_count == launch.grid ? "" : " in the blocks traced";
}

bool may_be_told(const Launch& launch) {
    const bool faulty =
        std::ranges::any_of(launch.findings, [](const Finding& f) { return f.severity == Severity::fault; });
    return launch.completed() && !faulty && is_reduction(launch);
}

// A value within sums.
struct Repeated {
    std::uint64_t times = 0;            // that the results count it
    std::uint32_t takers = 0;           // changes of the thread that adds it
    const Output* result = nullptr;     // one that it is part of
    std::uint16_t thread = 0, step = 0; // that adds it last
    SourceLine line = SourceLine::none();

    void take(std::uint64_t more, const Output& of, std::uint16_t by, std::uint16_t in, SourceLine at) {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
        takers += result == nullptr || thread != by ? 1 : 0;
        times = std::min(kMost, times + more);
        result = &of;
        thread = by;
        step = in;
        line = at;
    }
};
// Of atomic operations on one element the second of the first block, which another of its threads had done.
const Output& one_more(const Launch& launch, const Output& of) {
    const Output* first = nullptr;
    for (const Output& o : launch.outputs) {
        if (!of.atomic || !o.atomic || o.allocation != of.allocation || o.index != of.index) {
            continue;
        }
        if (first != nullptr && o.block == first->block && o.thread != first->thread) {
            return o;
        }
        first = first == nullptr ? &o : first;
    }
    return of;
}
// Whether a result of a minimum or maximum is as good as this leaf: under a lock the leaf was compared with it, so that it is not lost
// where nobody stores what was there before.
bool beaten(const Launch& launch, std::uint32_t leaf, std::uint32_t by) {
    std::vector<Operation> operations{launch.nodes[by].operation};
    for (const NodePart& part : parts_of(launch, by)) { // as of an argmax
        operations.push_back(part.operation);
    }
    const auto value = [&](const Node& of) {
        return visit_value(of.type, of.bits, [](auto v) { return static_cast<double>(v); });
    };
    const double its = value(launch.nodes[leaf]);
    return std::ranges::any_of(launch.outputs, [&](const Output& o) {
        if (o.node >= launch.nodes.size() || launch.nodes[o.node].type != launch.nodes[leaf].type) {
            return false;
        }
        const double stored = value(launch.nodes[o.node]);
        return std::ranges::any_of(operations, [&](Operation operation) {
            return (operation == Operation::minimum && stored <= its) ||
                   (operation == Operation::maximum && stored >= its);
        });
    });
}
} // namespace

std::optional<Finding> lost_elements(const Launch& launch) {
    if (!may_be_told(launch)) {
        return std::nullopt;
    }
    // Operands come before what combines them, so that the last of a node is the deepest combine that it is part of. What an
    // element is folded into at the beginning, as a 0, stands for the element.
    std::vector<std::uint32_t> last(launch.nodes.size(), kNone);
    for (std::uint32_t k = static_cast<std::uint32_t>(launch.nodes.size()); k-- > 0;) {
        const Node& n = launch.nodes[k];
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (n.kind == NodeKind::combine && operand < k && last[operand] == kNone) {
                last[operand] = last[k] == kNone && !n.padding ? k : last[k];
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
    const bool locks =
        std::ranges::any_of(launch.requests, [](const Request& r) { return r.kind == AccessKind::atomic; });
    const auto is_beaten = [&](const auto& one) { return beaten(launch, one.second, last[one.second]); };
    if (lost.empty() || (locks && std::ranges::all_of(lost, is_beaten)) || reached.empty() ||
        lost.begin()->first.first >= launch.allocations.size()) {
        return std::nullopt;
    }
    const auto& [element, leaf] = *lost.begin();
    const Node& by = launch.nodes[last[leaf]];
    Finding f = risk_at(FindingKind::lost_elements, by);
    f.array = launch.allocations[element.first].name;
    f.index = element.second;
    f.text = fmt::format("{} of the {} elements that are combined{} reach no result; the first is {}[{}]{}",
                         lost.size(), combined.size(), where_counted(launch), kernel_name(launch, f.array),
                         element.second, buffer_note(launch, f.array));
    return f;
}

namespace {
// Elements that several threads load and that all reach one sum, as where a loop over the grid's elements goes on by one block's.
std::optional<Finding> summed_by_several(const Launch& launch, const std::vector<Repeated>& values) {
    std::set<Element> sums; // that atomics add to
    for (const Output& o : launch.outputs) {
        if (!o.atomic) {
            return std::nullopt;
        }
        sums.insert({o.allocation, o.index});
    }
    std::map<Element, std::uint64_t> times;
    std::uint32_t last = kNone;
    for (std::uint32_t k = 0; k < launch.nodes.size(); ++k) {
        const Node& n = launch.nodes[k];
        if (n.kind == NodeKind::leaf && values[k].times == 1 && ++times[{n.allocation, n.element()}] > 1) {
            last = k;
        }
    }
    std::uint64_t repeated = 0, most = 0;
    for (const auto& [element, count] : times) {
        repeated += count > 1 ? 1 : 0;
        most = std::max(most, count);
    }
    if (sums.size() != 1 || last == kNone || 2 * repeated < times.size()) {
        return std::nullopt;
    }
    const Node& leaf = launch.nodes[last];
    Finding f = risk_at(FindingKind::repeated_elements, leaf);
    f.index = leaf.element();
    f.array = leaf.allocation < launch.allocations.size() ? launch.allocations[leaf.allocation].name : "";
    f.text = fmt::format("{} of the {} elements that are summed{} are in the result more than once, one {} times",
                         repeated, times.size(), where_counted(launch), most);
    return f;
}
} // namespace

std::optional<Finding> repeated_elements(const Launch& launch) {
    if (!may_be_told(launch)) {
        return std::nullopt;
    }
    // Operands come before what combines them.
    const auto adds = [&](std::uint32_t k) {
        return launch.nodes[k].kind == NodeKind::combine && launch.nodes[k].operation == Operation::add;
    };
    std::vector<Repeated> values(launch.nodes.size());
    std::map<Element, const Output*> stored; // what each holds in the end
    for (const Output& o : launch.outputs) {
        if (o.node >= values.size()) {
            continue;
        }
        if (!o.atomic) {
            stored[{o.allocation, o.index}] = &o;
        } else if (adds(o.node)) { // a minimum is the same whoever combines it once more
            values[o.node].take(1, o, o.thread, o.step, o.line);
        }
    }
    for (const auto& [element, o] : stored) {
        values[o->node].take(1, *o, o->thread, o->step, o->line);
    }
    std::uint64_t terms = 0, repeated = 0, most = 0, fewest = 0;
    const Repeated* shared = nullptr; // the value that several threads add, nearest to the result
    for (std::uint32_t k = static_cast<std::uint32_t>(launch.nodes.size()); k-- > 0;) {
        const Repeated& its = values[k];
        if (its.times == 0) {
            continue;
        }
        shared = shared == nullptr && its.takers > 1 ? &its : shared;
        if (!adds(k)) {
            terms += 1;
            repeated += its.times > 1 ? 1 : 0;
            most = std::max(most, its.times);
            fewest = fewest == 0 ? its.times : std::min(fewest, its.times);
            continue;
        }
        const Node& n = launch.nodes[k];
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (operand < k) {
                values[operand].take(its.times, *its.result, n.thread, n.step, n.line);
            }
        }
    }
    if (shared == nullptr || 2 * repeated < terms) {
        return summed_by_several(launch, values);
    }
    Finding f;
    f.kind = FindingKind::repeated_elements;
    f.severity = Severity::risk;
    const Output& result = one_more(launch, *shared->result);
    f.block = result.block;
    f.thread = result.atomic ? result.thread : shared->thread;
    f.step = result.atomic ? result.step : shared->step;
    f.line = result.atomic ? result.line : shared->line;
    f.index = result.index;
    f.array = result.allocation < launch.allocations.size() ? launch.allocations[result.allocation].name : "";
    f.text = fewest == most
                 ? fmt::format("each of the {} values that are summed{} is in the result {} times", terms,
                               where_counted(launch), most)
                 : fmt::format("{} of the {} values that are summed{} are in the result more than once, one {} times",
                               repeated, terms, where_counted(launch), most);
    return f;
}

std::optional<Finding> same_elements(const Launch& launch) {
    if (!may_be_told(launch) || launch.window_count < 2) {
        return std::nullopt;
    }
    std::vector<bool> used(launch.nodes.size(), false);
    std::set<Element> stored;
    std::set<std::uint64_t> values;
    bool atomic = true;
    for (const Output& o : launch.outputs) {
        if (o.node < used.size()) {
            used[o.node] = true;
            stored.insert({o.allocation, o.index});
            atomic = atomic && o.atomic;
            values.insert(launch.nodes[o.node].bits);
        }
    }
    if (!atomic && (stored.size() < launch.window_count || values.size() != 1)) {
        return std::nullopt;
    }
    std::map<std::uint32_t, std::set<Element>> loaded; // by block
    std::uint32_t first = kNone;
    for (auto k = static_cast<std::uint32_t>(launch.nodes.size()); k-- > 0;) {
        const Node& n = launch.nodes[k];
        if (used[k] && n.kind == NodeKind::leaf) {
            loaded[n.block].insert({n.allocation, n.element()});
            first = k;
        }
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (used[k] && has_operands(n.kind) && operand < k) {
                used[operand] = true;
            }
        }
    }
    const auto alike = [&](const auto& one) { return one.second == loaded.begin()->second; };
    if (loaded.size() != launch.window_count || !std::ranges::all_of(loaded, alike)) {
        return std::nullopt;
    }
    const Node& leaf = launch.nodes[first];
    const auto of_array = std::count_if(loaded.begin()->second.begin(), loaded.begin()->second.end(),
                                        [&](const Element& e) { return e.first == leaf.allocation; });
    if (leaf.allocation >= launch.allocations.size() ||
        launch.allocations[leaf.allocation].elements <= static_cast<std::uint64_t>(of_array)) {
        return std::nullopt;
    }
    const Allocation& array = launch.allocations[leaf.allocation];
    Finding f = risk_at(FindingKind::lost_elements, leaf);
    f.array = array.name;
    f.index = -1;
    f.elements = array.elements;
    f.text =
        fmt::format("each of the {} blocks{} reduces the same {} of the {} elements of {}, and no block the others",
                    launch.window_count, where_counted(launch), of_array, array.elements, array.name);
    return f;
}

std::optional<Finding> untouched_elements(const Launch& launch, std::uint64_t n, bool written, unsigned at_least,
                                          unsigned at_most) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 22U; // elements: each is looked at
    if (!launch.completed() || launch.window_count != launch.grid || n > kMost) {
        return std::nullopt;
    }
    std::optional<Finding> told;
    for (std::size_t a = 0; a < launch.allocations.size(); ++a) {
        const Allocation& array = launch.allocations[a];
        if (array.elements != n || array.element_bytes == 0 || !(array.input || (written && array.output))) {
            continue;
        }
        struct Access {
            const Request* request = nullptr;
            unsigned lane = 0;
        };
        std::vector<Access> touched(n);
        for (const Request& r : launch.requests) {
            const bool counts = r.kind == AccessKind::global_load || r.kind == AccessKind::atomic ||
                                (written && r.kind == AccessKind::global_store);
            if (r.allocation != a || !counts) {
                continue;
            }
            if (r.bytes % array.element_bytes != 0) {
                return std::nullopt;
            }
            const std::uint32_t each = r.bytes / array.element_bytes; // of a vector
            for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(rest));
                for (std::uint32_t e = 0; e < each; ++e) {
                    if (const std::uint64_t element = std::uint64_t{launch.index_of(r, lane)} * each + e; element < n) {
                        touched[element] = {&r, lane};
                    }
                }
            }
        }
        const auto none = [](const Access& one) { return one.request == nullptr; };
        const auto missing = static_cast<std::uint64_t>(std::count_if(touched.begin(), touched.end(), none));
        const auto first = std::ranges::find_if(touched, none);
        if (missing == n) { // as an array that the kernel never uses
            continue;
        }
        if (missing == 0 || 100 * missing < at_least * n || 100 * missing > at_most * n) {
            return std::nullopt;
        }
        if (told) {
            continue;
        }
        const Access& beside =
            first == touched.begin() ? *std::find_if_not(first, touched.end(), none) : *std::prev(first);
        const auto index = static_cast<std::uint64_t>(first - touched.begin());
        Finding f;
        f.kind = FindingKind::lost_elements;
        f.severity = Severity::risk;
        f.block = beside.request->block;
        f.thread = static_cast<std::uint16_t>(beside.request->warp * kWarpSize + beside.lane);
        f.step = beside.request->step;
        f.line = beside.request->line;
        f.array = array.name;
        f.index = static_cast<std::int64_t>(index);
        f.elements = n;
        const std::string name = kernel_name(launch, array.name);
        f.text = fmt::format("{} of the {} elements of {}{} {} {} by no thread{} {}[{}]", missing, n, name,
                             buffer_note(launch, array.name), missing == 1 ? "is" : "are", written ? "reached" : "read",
                             missing == 1 ? ":" : "; the first is", name, index);
        told = f;
    }
    return told;
}

} // namespace warptree
