#include "app/views/sector_words.hpp"

#include "app/trace/explain/costs.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace warptree::scene {

namespace {
// Bytes from each active lane's access to the next one's; 0: they differ, or there is one lane.
std::int64_t distance(const Launch& launch, const Request& r) {
    std::int64_t found = 0, before = 0;
    bool first = true;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((r.mask >> lane & 1U) == 0) {
            continue;
        }
        const auto at = static_cast<std::int64_t>(launch.index_of(r, lane)) * r.bytes;
        if (!first) {
            if (at == before || (found != 0 && at - before != found)) {
                return 0;
            }
            found = at - before;
        }
        first = false;
        before = at;
    }
    return found;
}

struct Wasteful {
    std::uint64_t requests = 0, sectors = 0, fewest = 0; // sectors: of the request with most
};

std::string reason(const Launch& launch, std::uint32_t step, AccessKind kind) {
    std::map<std::int64_t, Wasteful> by_distance;
    for (const Request& r : launch.requests) {
        if (r.step != step || r.kind != kind || r.sectors == 0) {
            continue;
        }
        const std::uint64_t fewest = fewest_sectors(launch, r);
        if (r.sectors > fewest) {
            Wasteful& its = by_distance[std::abs(distance(launch, r))];
            ++its.requests;
            its.fewest = r.sectors > its.sectors ? fewest : its.fewest;
            its.sectors = std::max<std::uint64_t>(its.sectors, r.sectors);
        }
    }
    const auto most = std::max_element(by_distance.begin(), by_distance.end(), [](const auto& a, const auto& b) {
        return a.second.requests < b.second.requests;
    });
    if (most == by_distance.end() || most->first == 0) {
        return "";
    }
    const auto bytes = static_cast<std::uint64_t>(most->first);
    const std::string apart = bytes % 4 == 0 ? plural(bytes / 4, "word") : plural(bytes, "byte");
    return fmt::format(" Lanes {} {} apart: {} a request where {} would do.",
                       kind == AccessKind::global_load ? "load from addresses" : "store to addresses", apart,
                       plural(most->second.sectors, "sector"), grouped(most->second.fewest));
}
} // namespace

std::string sector_reason(const Launch& launch, std::uint32_t step) {
    constexpr std::size_t kMost = std::size_t{1} << 18; // requests, all of which are looked at
    return launch.requests.size() > kMost
               ? ""
               : reason(launch, step, AccessKind::global_load) + reason(launch, step, AccessKind::global_store);
}

} // namespace warptree::scene
