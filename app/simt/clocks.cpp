#include "app/simt/clocks.hpp"

#include <algorithm>

namespace warptree::simt {

void Clocks::begin_block(unsigned warps) {
    warps_ = warps;
    settled_ = tick();
    known_.assign(std::size_t{warps} * warps, 0);
    synced_.assign(warps, 0);
    shuffled_.assign(warps, 0);
    partial_.resize(std::max<std::size_t>(partial_.size(), warps));
    for (std::vector<Sync>& syncs : partial_) {
        syncs.clear();
    }
}

void Clocks::join(std::uint32_t warps) {
    const std::uint32_t time = tick();
    if (warps == (warps_ == kLanes ? kAllLanes : (1U << warps_) - 1)) { // the usual case: the whole block
        settled_ = time;
    }
    for (unsigned of = 0; of < warps_; ++of) { // each now knows what any of them knew
        std::uint32_t most = 0;
        each_active(warps, [&](unsigned a) { most = std::max(most, known_[a * warps_ + of]); });
        most = (warps >> of & 1U) != 0 ? time : most;
        each_active(warps, [&](unsigned a) { known_[a * warps_ + of] = most; });
    }
    each_active(warps, [&](unsigned a) {
        synced_[a] = time;
        partial_[a].clear();
    });
}

void Clocks::learn(unsigned warp, unsigned of, std::uint32_t time) {
    for (unsigned other = 0; other < warps_; ++other) {
        std::uint32_t& mine = known_[warp * warps_ + other];
        mine = std::max(mine, other == of ? time : std::min(known_[of * warps_ + other], time));
    }
}

void Clocks::sync_warp(unsigned warp, std::uint32_t mask, std::uint32_t existing) {
    const std::uint32_t time = tick();
    std::vector<Sync>& syncs = partial_[warp];
    if ((existing & ~mask) == 0 || syncs.size() == kMostSyncs) {
        synced_[warp] = time;
        syncs.clear();
        return;
    }
    if (!syncs.empty() && syncs.back().mask == mask) {
        syncs.back().time = time;
    } else {
        syncs.push_back({time, mask});
    }
}

std::uint32_t Clocks::known(std::uint32_t by, std::uint32_t of) const {
    const unsigned here = by / kLanes, there = of / kLanes;
    if (here != there) {
        return std::max(settled_, known_[here * warps_ + there]);
    }
    if (by == of) {
        return now_ + 1;
    }
    const std::uint32_t wanted = 1U << of % kLanes;
    std::uint32_t reached = 1U << by % kLanes; // lanes whose accesses before the synchronisation at hand are known
    const std::vector<Sync>& syncs = partial_[here];
    for (auto s = syncs.rbegin(); s != syncs.rend(); ++s) {
        if ((s->mask & reached) != 0) {
            if ((s->mask & wanted) != 0) {
                return s->time;
            }
            reached |= s->mask;
        }
    }
    return std::max(settled_, synced_[here]);
}

} // namespace warptree::simt
