#include "app/trace/explain/costs.hpp"

#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace warptree {

namespace {
struct Cost {
    SourceLine line;
    AccessKind kind = AccessKind::global_load;
    bool banks = false; // else sectors
    std::uint64_t done = 0, ideal = 0;
    double times() const { return static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(ideal, 1)); }
};

std::string words(const Trace& trace, const Cost& cost) {
    const bool whole = std::ranges::all_of(trace.launches, [](const Launch& l) { return l.window_count == l.grid; });
    const std::string where = place(trace, cost.line), in = whole ? "" : ", in the blocks traced";
    return cost.banks
               ? fmt::format("{}: bank conflicts: {} wavefronts where {} would do{}", where, cost.done, cost.ideal, in)
               : fmt::format("{}: lanes do not {} neighbouring elements: {} sectors of global memory where {} "
                             "would hold what they use{}",
                             where, cost.kind == AccessKind::global_store ? "store" : "load", cost.done, cost.ideal,
                             in);
}
} // namespace

std::uint64_t fewest_sectors(const Launch& launch, const Request& request) {
    constexpr std::uint64_t kSectorBytes = 32;
    std::array<std::uint32_t, kWarpSize> index{};
    auto end = index.begin();
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        *end++ = launch.index_of(request, static_cast<unsigned>(std::countr_zero(rest)));
    }
    std::sort(index.begin(), end);
    const auto used = static_cast<std::uint64_t>(std::unique(index.begin(), end) - index.begin()) * request.bytes;
    const std::uint64_t ideal = (used + kSectorBytes - 1) / kSectorBytes;
    return request.sectors <= ideal + 1 ? request.sectors : ideal;
}

std::vector<std::string> costs(const Trace& trace) {
    constexpr double kBanks = 2, kSectors = 3; // times what would do; of pairs each line takes every other element
    constexpr std::uint64_t kMore = 64;
    constexpr std::size_t kMost = 3;
    std::map<std::pair<std::uint32_t, AccessKind>, Cost> by_line;
    for (const Launch& launch : trace.launches) {
        for (const Request& r : launch.requests) {
            const bool banks = r.wavefronts != 0;
            if (!r.line.known() || r.kind == AccessKind::atomic || is_remote(r.kind) || (!banks && r.sectors == 0)) {
                continue;
            }
            Cost& cost = by_line.try_emplace({r.line.packed, r.kind}, Cost{r.line, r.kind, banks}).first->second;
            cost.done += banks ? r.wavefronts : r.sectors;
            cost.ideal += banks ? r.ideal : fewest_sectors(launch, r);
        }
    }
    std::vector<Cost> found;
    for (const auto& [key, cost] : by_line) {
        if (cost.times() >= (cost.banks ? kBanks : kSectors) && cost.done >= cost.ideal + kMore) {
            found.push_back(cost);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Cost& a, const Cost& b) { return a.times() > b.times(); });
    std::vector<std::string> told;
    for (std::size_t k = 0; k < std::min(kMost, found.size()); ++k) {
        told.push_back(words(trace, found[k]));
    }
    return told;
}

} // namespace warptree
