#include "app/trace/explain/order_results.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warptree {

namespace {
// Whether atomics change floating-point numbers, and not only say where something is put; of the blocks that are traced.
bool combines_in_any_order(const Launch& launch) {
    return std::ranges::any_of(launch.requests, [&](const Request& r) {
        if (r.kind == AccessKind::atomic) {
            return r.allocation < launch.allocations.size() && is_floating(launch.allocations[r.allocation].element);
        }
        if ((r.kind != AccessKind::shared_atomic && r.kind != AccessKind::remote_atomic) || r.mask == 0) {
            return false;
        }
        const std::uint64_t at =
            std::uint64_t{launch.index_of(r, static_cast<unsigned>(std::countr_zero(r.mask)))} * r.bytes;
        const SharedArray* const array = launch.shared_array_at(at);
        return array != nullptr && is_floating(array->element);
    });
}
} // namespace

bool may_depend_on_order(const Trace& t) {
    return t.completed() && t.program.entry.empty() && t.device.compute_major == 0 && !t.outputs.empty() &&
           is_floating(t.outputs.front().type) && std::ranges::any_of(t.launches, combines_in_any_order) &&
           std::ranges::none_of(t.launches, [](const Launch& l) {
               return std::ranges::any_of(l.findings, [](const Finding& f) { return f.severity == Severity::fault; });
           });
}

std::string order_text(const OrderResults& r) {
    if (r.results.size() < 2) {
        return {};
    }
    std::string range;
    if (r.one) {
        range = fmt::format(", from {:.9g} to {:.9g}", r.results.front().value, r.results.back().value);
    }
    return fmt::format(
        "{} different {} in {} orders of blocks and warps{}: rounding depends on which addition comes first\n",
        r.results.size(), r.one ? "results" : "outputs", r.orders, range);
}

nlohmann::ordered_json order_json(const OrderResults& r) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const OrderResult& result : r.results) {
        const nlohmann::ordered_json value = std::isfinite(result.value)
                                                 ? nlohmann::ordered_json(result.value)
                                                 : nlohmann::ordered_json(fmt::format("{}", result.value));
        all.push_back({{"value", value}, {"orders", result.orders}});
    }
    return {{"tried", r.orders}, {"different", r.results.size()}, {"results", std::move(all)}};
}

} // namespace warptree
