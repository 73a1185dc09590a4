#include "app/trace/explain/values.hpp"

#include "app/base/type_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace warptree {

namespace {
ValueType type_of(const Trace& trace, const Node& node) {
    return node.type == ValueType::none ? value_type_of(trace.options.type) : node.type;
}
} // namespace

std::string value_text(ValueType type, std::uint64_t bits) {
    if (type == ValueType::pointer) {
        return fmt::format("{:#x}", bits);
    }
    return visit_value(type, bits, [](auto value) -> std::string {
        return std::isnan(static_cast<double>(value)) ? "nan" : fmt::format("{}", value); // without the sign of some
    });
}

std::string element_name(const SharedArray& array, std::uint64_t index) {
    return array.row == 0 ? fmt::format("{}[{}]", array.name, index)
                          : fmt::format("{}[{}][{}]", array.name, index / array.row, index % array.row);
}

std::vector<std::string> first_elements(const KernelOutput& output, std::size_t most) {
    std::vector<std::string> texts(output.records.begin(),
                                   output.records.begin() +
                                       static_cast<std::ptrdiff_t>(std::min(most, output.records.size())));
    for (std::size_t i = 0; output.records.empty() && i < std::min(most, output.values.size()); ++i) {
        texts.push_back(value_text(output.type, output.values[i]));
    }
    return texts;
}

std::string value_text(ValueType type, std::uint64_t bits, int digits) {
    if (!is_floating(type)) {
        return value_text(type, bits);
    }
    // More digits than tell its neighbours apart say nothing.
    digits = std::min(digits, type == ValueType::f64   ? 17
                              : type == ValueType::f32 ? 9
                              : type == ValueType::f16 ? 5
                                                       : 4);
    return visit_value(type, bits, [digits](auto value) -> std::string {
        const auto v = static_cast<double>(value);
        return std::isnan(v) ? "nan" : fmt::format("{:.{}g}", v, digits);
    });
}

bool is_product(const Trace& trace, const Launch& launch, const Node& node) {
    const auto number = [&](const Node& n) {
        return visit_value(type_of(trace, n), n.bits, [](auto value) { return static_cast<double>(value); });
    };
    if (node.kind != NodeKind::product || node.left >= launch.nodes.size() || node.right() >= launch.nodes.size()) {
        return false;
    }
    const double product = number(launch.nodes[node.left]) * number(launch.nodes[node.right()]);
    constexpr double kRounding = 1e-2; // of the narrowest type
    return std::fabs(product - number(node)) <= kRounding * std::fabs(product);
}

std::string value_text(const Trace& trace, const Node& node) { return value_text(type_of(trace, node), node.bits); }
std::string value_text(const Trace& trace, const Node& node, int digits) {
    return value_text(type_of(trace, node), node.bits, digits);
}

} // namespace warptree
