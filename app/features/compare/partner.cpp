#include "app/features/compare/partner.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/trace/explain/values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warptree::session {

namespace {
// "softmax(columns)" as "softmax".
std::string_view base(std::string_view expected) { return expected.substr(0, expected.find_first_of("( ")); }

bool is_total(std::string_view word) {
    constexpr std::array<std::string_view, 6> kTotals{"sum", "product", "min", "max", "xor", "sum-of-squares"};
    return std::ranges::find(kTotals, word) != kTotals.end();
}

// Of what says itself what it computes: by what is expected, or by what its output was found to be.
std::string of_result(const Trace& t) {
    const std::string_view expected = base(t.expected);
    if (expected.find("scan") != std::string_view::npos || t.equals.find("scan") != std::string::npos) {
        return "scan-shared";
    }
    if (is_total(expected)) {
        return "interleaved-strided";
    }
    for (const StrategyInfo& s : strategies()) {
        if (!expected.empty() && expected != "none" && base(s.header.expect) == expected) {
            return s.id;
        }
    }
    return "";
}
} // namespace

std::string partner_of(const Trace& t, std::uint32_t launch) {
    std::string partner = of_result(t);
    if (!partner.empty() || launch >= t.launches.size()) {
        return partner;
    }
    const Launch& l = t.launches[launch];
    const bool combines = std::ranges::any_of(l.nodes, [](const Node& n) { return n.kind == NodeKind::combine; });
    const bool multiplies = std::ranges::any_of(l.nodes, [&](const Node& n) { return is_product(t, l, n); });
    return !combines                                                   ? ""
           : multiplies && l.block_shape[1] > 1                        ? "tiled-matmul"
           : l.outputs_total <= l.grid && l.elements > l.outputs_total ? "interleaved-strided"
                                                                       : "";
}

} // namespace warptree::session
