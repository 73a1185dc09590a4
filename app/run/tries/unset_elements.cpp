#include "app/run/tries/unset_elements.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace warptree::runs {

namespace {
using StoredElements = std::set<std::pair<std::string, std::uint64_t>>; // array, and where in it

StoredElements stored_elements(const Launch& launch, std::uint64_t end) {
    StoredElements found;
    for (const Request& r : launch.requests) {
        if (r.kind != AccessKind::global_store || r.allocation >= launch.allocations.size()) {
            continue;
        }
        for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t at = launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest)));
            if (at < end) {
                found.emplace(launch.allocations[r.allocation].name, at);
            }
        }
    }
    return found;
}
} // namespace

bool stores_fewer(const Trace& after, const Trace& before, const Finding& finding) {
    // Past where the access went outside, arrays of no stated size only seem to go on.
    const auto index = static_cast<std::uint64_t>(std::max<std::int64_t>(finding.index, 0));
    const std::uint64_t end =
        finding.elements == 0 || index == 0 ? std::max(finding.elements, index) : std::min(finding.elements, index);
    for (std::size_t l = 0; l < std::min(after.launches.size(), before.launches.size()); ++l) {
        const Launch &one = after.launches[l], &other = before.launches[l];
        if (!(one.kernel == other.kernel && one.grid_shape == other.grid_shape &&
              one.block_shape == other.block_shape && one.grid == other.grid && one.block == other.block &&
              one.window_first == other.window_first && one.window_count == other.window_count)) {
            continue;
        }
        const StoredElements now = stored_elements(one, end), then = stored_elements(other, end);
        // An edge whose opposite was left out before need not be stored.
        if (std::ranges::any_of(then, [&](const auto& element) {
                return !now.contains(element) && then.contains({element.first, end - 1 - element.second});
            })) {
            return true;
        }
    }
    return false;
}

} // namespace warptree::runs
