// What happens before what among the threads of one block, as far as barriers decide it; fences.hpp has the rest.
//
// Time is the number of synchronisations of the block so far. An access is noted with its time; a barrier lets a thread
// know the accesses of others up to its own time. Within a warp, __syncwarp and barriers order the lanes of their mask,
// also by way of a third lane; a shuffle does not (CUDA C++ Programming Guide, "Warp Shuffle Functions": no memory
// ordering).
#pragma once

#include "app/simt/lanes.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class Clocks {
  public:
    // Times of earlier blocks are below those of later ones, so that what an earlier one noted is known as stale.
    void begin_block(unsigned warps);
    std::uint32_t now() const { return now_; }
    std::uint32_t tick() { return ++now_; }
    // Accesses before this time are ordered before all later ones of the block.
    std::uint32_t settled() const { return settled_; }

    void shuffle(unsigned warp) { shuffled_[warp] = tick(); }
    bool shuffled_since(unsigned warp, std::uint32_t time) const { return shuffled_[warp] > time; }

    // A barrier completes for these warps (one bit each).
    void join(std::uint32_t warps);
    // `warp` learns what `of` had done, and knew, at `time`: it waited at a barrier at which `of` arrived then.
    void learn(unsigned warp, unsigned of, std::uint32_t time);
    // The lanes of `mask` synchronise; `existing`: the lanes that have a thread.
    void sync_warp(unsigned warp, std::uint32_t mask, std::uint32_t existing);

    // Accesses of thread `of` before this time are ordered before those that thread `by` now makes. Of thread `by`
    // itself: all so far.
    std::uint32_t known(std::uint32_t by, std::uint32_t of) const;
    bool ordered(std::uint32_t of, std::uint32_t time, std::uint32_t by) const {
        return time < settled_ || time < known(by, of);
    }
    // The same of accesses by any lanes of warp `of`.
    bool ordered_warp(unsigned of, std::uint32_t time, std::uint32_t by) const {
        const unsigned here = by / kLanes;
        return time < settled_ || time < (here == of ? synced_[here] : known_[here * warps_ + of]);
    }

  private:
    struct Sync { // of some lanes
        std::uint32_t time = 0, mask = 0;
    };
    static constexpr std::size_t kMostSyncs = 1024; // kept, per warp; older accesses then count as ordered

    unsigned warps_ = 0;
    std::uint32_t now_ = 0, settled_ = 0;
    std::vector<std::uint32_t> known_;       // by warp and warp
    std::vector<std::uint32_t> synced_;      // by warp: the latest synchronisation of all its lanes
    std::vector<std::uint32_t> shuffled_;    // by warp: its latest shuffle
    std::vector<std::vector<Sync>> partial_; // by warp: of some lanes, since synced_
};

} // namespace warptree::simt
