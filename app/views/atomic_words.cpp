#include "app/views/atomic_words.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace warptree::scene {

AtomicWords atomic_words(const Launch& launch, std::optional<std::uint32_t> step) {
    AtomicWords all;
    std::set<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>> words; // array, block of a shared one, element
    for (const Request& r : launch.requests) {
        const bool shared = r.kind == AccessKind::shared_atomic;
        if ((r.kind != AccessKind::atomic && !shared) || (step && r.step != *step)) {
            continue;
        }
        std::map<std::uint32_t, unsigned> lanes;
        for (int i = 0; i < std::popcount(r.mask); ++i) {
            const std::uint32_t element = launch.indices[r.first_index + static_cast<std::uint32_t>(i)];
            all.most = std::max(all.most, ++lanes[element]);
            words.insert({r.allocation, shared ? r.block : 0, element});
        }
        all.updates += static_cast<std::uint64_t>(std::popcount(r.mask));
        all.apart += lanes.size();
    }
    all.words = words.size();
    return all;
}

} // namespace warptree::scene
