#include "app/trace/model/trace.hpp"

namespace warptree {

const std::vector<CounterField>& counter_fields() {
    using C = Counters;
    static const std::vector<CounterField> fields{
        {"active_threads", &C::active_threads},
        {"active_warps", &C::active_warps},
        {"divergent_warps", &C::divergent_warps},
        {"combines", &C::combines},
        {"useful_combines", &C::useful_combines},
        {"padding_combines", &C::padding_combines},
        {"barriers", &C::barriers},
        {"shared_load_requests", &C::shared_load_requests},
        {"shared_load_wavefronts", &C::shared_load_wavefronts},
        {"shared_load_ideal", &C::shared_load_ideal},
        {"shared_store_requests", &C::shared_store_requests},
        {"shared_store_wavefronts", &C::shared_store_wavefronts},
        {"shared_store_ideal", &C::shared_store_ideal},
        {"global_load_requests", &C::global_load_requests},
        {"global_load_sectors", &C::global_load_sectors},
        {"global_store_requests", &C::global_store_requests},
        {"global_store_sectors", &C::global_store_sectors},
        {"shuffles", &C::shuffles},
        {"atomics", &C::atomics},
        {"hazards", &C::hazards},
    };
    return fields;
}

std::string_view name(Operation operation) {
    switch (operation) {
    case Operation::none: return "";
    case Operation::add: return "sum";
    case Operation::subtract: return "difference";
    case Operation::multiply: return "product";
    case Operation::divide: return "quotient";
    case Operation::remainder: return "remainder";
    case Operation::minimum: return "min";
    case Operation::maximum: return "max";
    case Operation::and_: return "and";
    case Operation::or_: return "or";
    case Operation::xor_: return "xor";
    case Operation::shift_left: return "left shift";
    case Operation::shift_right: return "right shift";
    case Operation::fused_multiply_add: return "product and sum";
    case Operation::function: return "function";
    case Operation::merge: return "merge";
    }
    return "";
}

Counters& Counters::operator+=(const Counters& other) {
    for (const CounterField& field : counter_fields()) {
        this->*field.member += other.*field.member;
    }
    return *this;
}

Trace launch_alone(const Trace& program, std::uint32_t launch) {
    Trace alone = program;
    alone.launches.assign(1, program.launches.at(launch));
    alone.program = {};
    const Launch& only = alone.launches.front();
    alone.kernel = only.kernel;
    alone.arguments = only.arguments;
    alone.options.block = only.block;
    const Counters all = only.totals();
    std::vector<std::uint64_t> depths; // of nodes: combines on the longest path to each
    TreeTotals& tree = alone.tree = {
        .combines = all.combines, .useful_combines = all.useful_combines, .padding_combines = all.padding_combines};
    for (const Node& node : only.nodes) {
        const auto depth_of = [&](std::uint32_t operand) { return operand < depths.size() ? depths[operand] : 0; };
        depths.push_back(std::max(depth_of(node.left), depth_of(node.right())) +
                         (node.kind == NodeKind::combine ? 1 : 0));
        tree.depth = std::max(tree.depth, depths.back());
        tree.leaves += node.kind == NodeKind::leaf ? 1 : 0;
    }
    return alone;
}

Counters Launch::totals() const {
    Counters sum;
    for (const Step& step : steps) {
        sum += step.counters;
    }
    return sum;
}

} // namespace warptree
