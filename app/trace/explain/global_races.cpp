#include "app/trace/explain/global_races.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace warptree {

namespace {
struct GlobalAccess {
    RacingAccess access;
    std::size_t finding = 0;
    bool stores = false;
};
} // namespace

std::vector<RacingAccess> global_races(const Launch& launch) {
    constexpr std::size_t kMost = 1U << 15; // of more no mark can be seen, and frames ask
    std::vector<GlobalAccess> all;
    for (std::size_t f = 0; f < launch.findings.size(); ++f) {
        const Finding& finding = launch.findings[f];
        for (const Request& r : launch.requests) {
            if (finding.kind != FindingKind::race_global || all.size() >= kMost) {
                break;
            }
            if (is_shared(r.kind) || is_remote(r.kind) || r.allocation >= launch.allocations.size() ||
                launch.allocations[r.allocation].name != finding.array ||
                (r.line != finding.line && r.line != finding.other_line)) {
                continue;
            }
            for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(rest));
                all.push_back({{r.block, r.step, static_cast<std::uint16_t>(r.warp * kWarpSize + lane), r.allocation,
                                launch.index_of(r, lane)},
                               f,
                               r.kind != AccessKind::global_load});
            }
        }
    }
    const auto element = [](const GlobalAccess& a) {
        return std::tuple(a.finding, a.access.allocation, a.access.index);
    };
    std::sort(all.begin(), all.end(), [&](const GlobalAccess& a, const GlobalAccess& b) {
        return std::pair(element(a), a.access) < std::pair(element(b), b.access);
    });
    std::vector<RacingAccess> found;
    for (auto first = all.begin(); first != all.end();) {
        const auto end = std::find_if(first, all.end(), [&](const auto& a) { return element(a) != element(*first); });
        for (auto a = first; a != end; ++a) {
            const bool races = std::any_of(first, end, [&](const GlobalAccess& b) {
                const bool other = a->access.block != b.access.block || a->access.thread != b.access.thread;
                const bool together = a->access.block != b.access.block || a->access.step == b.access.step;
                return other && together && (a->stores || b.stores);
            });
            if (races) {
                found.push_back(a->access);
            }
        }
        first = end;
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace warptree
