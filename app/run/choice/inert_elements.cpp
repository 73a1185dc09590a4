#include "app/run/choice/inert_elements.hpp"

#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace warptree::runs {

namespace {
// -1, 0 or 1.
int sign_of(const Node& n) {
    return visit_value(n.type, n.bits, [](auto value) { return value > 0 ? 1 : value < 0 ? -1 : 0; });
}

// Whether 0 wins over a value of that sign.
bool loses_to_zero(Operation operation, int sign) {
    return operation == Operation::minimum   ? sign > 0
           : operation == Operation::maximum ? sign < 0
                                             : operation == Operation::multiply && sign != 0;
}
} // namespace

void tell_inert_elements(Launch& launch) {
    const auto is_combine = [](const Node& n) { return n.kind == NodeKind::combine; };
    const auto first = std::ranges::find_if(launch.nodes, is_combine);
    if (first == launch.nodes.end() || !launch.completed()) {
        return;
    }
    const Operation operation = first->operation;
    std::size_t leaves = 0, combines = 0;
    const std::string* array = nullptr;
    for (const Node& n : launch.nodes) {
        if (n.kind == NodeKind::leaf && n.type != ValueType::none) {
            if (!loses_to_zero(operation, sign_of(n))) {
                return;
            }
            array = n.allocation < launch.allocations.size() ? &launch.allocations[n.allocation].name : array;
            ++leaves;
        } else if (has_operands(n.kind)) { // with what it begins with, an element is a product
            if (n.operation != operation || n.type == ValueType::none || sign_of(n) != 0) {
                return;
            }
            combines += is_combine(n) ? 1 : 0;
        } else if (n.kind != NodeKind::identity) {
            return; // of another block
        }
    }
    std::set<std::uint32_t> results;
    for (const Output& o : launch.outputs) {
        results.insert(o.index);
    }
    if (array == nullptr || leaves < 4 || combines + 1 < leaves || results.empty() || 2 * results.size() > leaves) {
        return;
    }
    Finding f;
    f.kind = FindingKind::doubtful_code;
    f.severity = Severity::risk;
    f.line = first->line;
    f.array = *array;
    const bool least = operation == Operation::minimum;
    f.text =
        operation == Operation::multiply
            ? fmt::format("the product is 0, though no element of {} is: what a product begins with must not be 0",
                          *array)
            : fmt::format("the {0} is 0, though all elements of {1} are {2} it: what a {0} begins with must not be {3} "
                          "any element",
                          least ? "minimum" : "maximum", *array, least ? "above" : "below", least ? "below" : "above");
    launch.findings.push_back(std::move(f));
}

} // namespace warptree::runs
