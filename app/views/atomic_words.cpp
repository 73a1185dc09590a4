#include "app/views/atomic_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <vector>

namespace warptree::scene {

AtomicWords atomic_words(const Launch& launch, std::optional<std::uint32_t> step) {
    AtomicWords all;
    if (step && launch.steps[*step].counters.atomics == 0) {
        return all;
    }
    std::vector<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>> words; // array, block of a shared one, element
    for (const Request& r : launch.requests) {
        const bool shared = r.kind == AccessKind::shared_atomic;
        if ((r.kind != AccessKind::atomic && !shared) || (step && r.step != *step)) {
            continue;
        }
        std::array<std::uint32_t, kWarpSize> lanes{};
        std::size_t count = 0;
        for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            lanes[count++] = launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest)));
        }
        std::sort(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t first = 0, end = 0; first < count; first = end) {
            while (end < count && lanes[end] == lanes[first]) {
                ++end;
            }
            all.most = std::max(all.most, static_cast<unsigned>(end - first));
            ++all.apart;
            if (step) {
                words.emplace_back(r.allocation, shared ? r.block : 0, lanes[first]);
            }
        }
        all.updates += count;
    }
    std::sort(words.begin(), words.end());
    all.words = static_cast<std::uint64_t>(std::unique(words.begin(), words.end()) - words.begin());
    return all;
}

} // namespace warptree::scene
