// Stores to shared memory that only the storing lane can see yet. Between two points where the warp synchronises
// (__syncwarp, a barrier, a shuffle or vote, a fence, an atomic) nothing orders the accesses of its lanes: each lane
// sees its own stores at once, but those of the others only after the next such point. Code that relies on lockstep
// fails.
#pragma once

#include "app/simt/lanes.hpp"
#include "app/trace/record/data_flow.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class LaneStores {
  public:
    // The low `bytes` bytes of `bits` (at most 8), at byte `place` of shared memory.
    struct Entry {
        std::uint32_t place = 0, bytes = 0;
        std::uint64_t bits = 0;
        record::Tag tag = record::kNoTag;
    };

    bool empty() const { return count_ == 0; }
    // Whether the lane has the maximum number of pending stores: drain before the next put().
    bool full(unsigned lane) const { return of_[lane].size() >= kMost; }
    void put(unsigned lane, const Entry& entry) {
        of_[lane].push_back(entry);
        ++count_;
    }
    // Overwrites `read`, its bits and tag as read from memory, with what the lane itself has stored there.
    void see(unsigned lane, Entry& read) const {
        for (const Entry& own : of_[lane]) {
            const std::uint32_t begin = std::max(own.place, read.place);
            const std::uint32_t end = std::min(own.place + own.bytes, read.place + read.bytes);
            for (std::uint32_t b = begin; b < end; ++b) {
                const std::uint64_t byte = own.bits >> (8 * (b - own.place)) & 0xFFU;
                const unsigned shift = 8 * (b - read.place);
                read.bits = (read.bits & ~(std::uint64_t{0xFF} << shift)) | byte << shift;
            }
            if (own.place <= read.place && read.place < own.place + own.bytes) {
                read.tag = own.place == read.place ? own.tag : record::kNoTag;
            }
        }
    }
    // Passes the stores to `tell` lane by lane, lowest or highest first, and clears them.
    template <class Tell> void drain(bool reverse, Tell tell) {
        for (unsigned k = 0; k < kLanes; ++k) {
            std::vector<Entry>& entries = of_[reverse ? kLanes - 1 - k : k];
            for (const Entry& entry : entries) {
                tell(entry);
            }
            entries.clear();
        }
        count_ = 0;
    }

  private:
    static constexpr std::size_t kMost = 64;
    std::array<std::vector<Entry>, kLanes> of_;
    std::size_t count_ = 0;
};

} // namespace warptree::simt
