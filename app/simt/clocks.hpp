// Vector clocks of the warps of a block: whether two accesses to the same memory are ordered.
//
// Each warp counts its synchronisations with others (its clock) and knows, for each other warp, up to which clock that
// warp's accesses are ordered before its own next ones. A block barrier or named barrier joins the clocks of the warps
// that arrive; a fence followed by a volatile or atomic store releases, a later volatile or atomic load acquires.
// Within a warp only __syncwarp and barriers order lanes; a shuffle does not (CUDA C++ Programming Guide, "Warp Shuffle
// Functions": no memory ordering).
#pragma once

#include "app/simt/lanes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warptree::simt {

class Clocks {
  public:
    // Clocks of earlier blocks are below those of later ones, so that an earlier block's records are known as stale.
    void begin_block(unsigned warps) {
        warps_ = warps;
        start_ = settled_ = ++latest_;
        clock_.assign(warps, start_);
        known_.assign(std::size_t{warps} * warps, 0);
        released_.assign(warps, 0);
        syncs_.assign(warps, {});
        shuffles_.assign(warps, 0);
    }
    // Clocks below it belong to earlier blocks.
    std::uint32_t start() const { return start_; }
    // Accesses at clocks below this are ordered before all later ones.
    std::uint32_t settled() const { return settled_; }
    std::uint32_t now(unsigned warp) const { return clock_[warp]; }
    // How often the warp has executed __syncwarp since its clock last advanced.
    std::uint16_t syncs(unsigned warp) const { return static_cast<std::uint16_t>(syncs_[warp].size()); }

    void shuffle(unsigned warp) { ++shuffles_[warp]; }
    std::uint32_t shuffles(unsigned warp) const { return shuffles_[warp]; } // of the block, so far

    // A barrier completes for these warps (one bit each).
    void join(std::uint32_t warps) {
        each_active(warps, [&](unsigned a) {
            each_active(warps, [&](unsigned b) {
                std::uint32_t& k = known_[a * warps_ + b];
                k = k < clock_[b] ? clock_[b] : k;
            });
        });
        // Each now knows what any of them knew.
        for (unsigned of = 0; of < warps_; ++of) {
            std::uint32_t most = 0;
            each_active(warps,
                        [&](unsigned a) { most = known_[a * warps_ + of] > most ? known_[a * warps_ + of] : most; });
            each_active(warps, [&](unsigned a) { known_[a * warps_ + of] = most; });
        }
        each_active(warps, [&](unsigned a) { tick(a); });
        if (warps ==
            (warps_ == kLanes ? kAllLanes : (1U << warps_) - 1)) { // the whole block: its clocks advance together
            settled_ = ++latest_;
            for (std::uint32_t& clock : clock_) {
                clock = settled_;
            }
        }
    }
    void sync_warp(unsigned warp, std::uint32_t mask) {
        if (syncs_[warp].size() < kMostSyncs) {
            syncs_[warp].push_back(mask);
        } else { // treat earlier accesses as ordered
            tick(warp);
        }
    }
    void release(unsigned warp) { released_[warp] = clock_[warp]; }
    void acquire(unsigned warp) {
        for (unsigned of = 0; of < warps_; ++of) {
            std::uint32_t& k = known_[warp * warps_ + of];
            k = k < released_[of] ? released_[of] : k;
        }
    }

    // Whether an access by `thread` at (clock, sync) is ordered before an access by `now_thread` now.
    bool ordered(std::uint32_t thread, std::uint32_t clock, std::uint32_t sync, std::uint32_t now_thread) const {
        const unsigned warp = thread / kLanes, here = now_thread / kLanes;
        if (warp != here) {
            return known_[here * warps_ + warp] >= clock;
        }
        if (clock != clock_[here]) {
            return true;
        }
        const std::vector<std::uint32_t>& masks = syncs_[here];
        const std::uint32_t both = 1U << thread % kLanes | 1U << now_thread % kLanes;
        for (std::size_t s = masks.size(); s > sync; --s) {
            if ((masks[s - 1] & both) == both) {
                return true;
            }
        }
        return false;
    }

  private:
    std::vector<std::uint32_t> shuffles_;
    static constexpr std::size_t kMostSyncs = 0xFFFF;

    void tick(unsigned warp) {
        ++clock_[warp];
        syncs_[warp].clear();
        latest_ = clock_[warp] > latest_ ? clock_[warp] : latest_;
    }
    unsigned warps_ = 0;
    std::uint32_t start_ = 0, settled_ = 0, latest_ = 0;
    std::vector<std::uint32_t> clock_, known_, released_;
    std::vector<std::vector<std::uint32_t>> syncs_; // by warp: masks since its clock last advanced, in order
};

} // namespace warptree::simt
