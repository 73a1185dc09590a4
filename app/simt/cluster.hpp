// The blocks of a thread-block cluster while they run. They reach one another's shared memory, and meet at a barrier in
// two halves: a thread arrives, and later waits until all threads of the cluster that have not exited have arrived
// (PTX ISA, barrier.cluster).
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/history.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warptree::simt {

class BlockRun;

// Of an address in shared memory: 0 if it is in the block's own, as the block itself addresses it; else 1 more than the
// rank of the block that it names.
constexpr std::uint64_t named_block(std::uint64_t address) {
    return (address - compile::kSharedBase + (1ULL << (compile::kRankShift - 1))) >> compile::kRankShift;
}

// By thread of a block: the time at which it arrived at a barrier; what it did before is known to whoever waits there.
using Arrivals = std::shared_ptr<const std::vector<std::uint32_t>>;

// What one block knows of the barrier.
struct ClusterSide {
    std::vector<std::uint32_t> arriving;  // by thread, at the barrier that is open
    std::vector<std::uint32_t> waits;     // by thread: barriers at which it has waited
    std::vector<std::uint32_t> waited_at; // by thread: when it last did
    std::array<Arrivals, 2> arrivals;     // at the last two barriers that have completed; number k is at k % 2
};

class Cluster {
  public:
    explicit Cluster(std::vector<BlockRun*> by_rank) : blocks_(std::move(by_rank)) {}
    const std::vector<BlockRun*>& blocks() const { return blocks_; }
    // Null: there is none of that rank; none with that number is among them.
    BlockRun* of_rank(std::uint64_t rank) const { return rank < blocks_.size() ? blocks_[rank] : nullptr; }
    BlockRun* of_number(std::uint32_t block) const;
    std::uint32_t completed() const { return completed_; } // barriers
    // Completes the open barrier if all have arrived that must.
    bool complete_barrier();
    // Whether all its blocks have ended.
    bool finished() const;
    // Whether what is noted comes before all that any thread of the cluster does from now on.
    bool settled(const Note& before) const;

  private:
    std::vector<BlockRun*> blocks_;
    std::uint32_t completed_ = 0;
};

} // namespace warptree::simt
