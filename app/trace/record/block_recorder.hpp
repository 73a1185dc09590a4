// Records what one block of a launch does, warp by warp as it runs: steps, requests, exchanges, barriers, data flow.
// Everything in a trace is recorded here.
//
// Steps. A warp's events fall into segments, which end where an iteration of a combining loop or a hand-unrolled
// statement begins or ends, at block barriers, and before the first store to global memory after a load. Before anything
// is combined the iterations of a loop that loads and stores are told apart, too, by loads after stores. An iteration
// or statement is a step by itself, together with the reads before it since the last barrier and the writes after it.
// Of the other segments the first is "load"; later ones are "store" or "load" if they access global memory, else a
// step of their own if they follow a barrier.
// Between two barriers, steps of different warps that race are in the order in which they ran, as far as those of each warp
// stay in theirs.
//
// Every block is counted. For a block recorded in full, events are kept too.
#pragma once

#include "app/trace/model/trace.hpp"
#include "app/trace/record/data_flow.hpp"
#include "app/trace/record/events.hpp"
#include "app/trace/record/records.hpp"
#include "app/trace/record/step_sequence.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warptree::record {

// The number of lanes in a mask. std::popcount would be a library call, as not every processor has the instruction.
constexpr unsigned lanes_of(std::uint32_t mask) {
    mask -= mask >> 1 & 0x55555555U;
    mask = (mask & 0x33333333U) + (mask >> 2 & 0x33333333U);
    return ((mask + (mask >> 4)) & 0x0F0F0F0FU) * 0x01010101U >> 24;
}

class BlockRecorder {
  public:
    // threads: per block; banks: 32 or 16. named: by location, the location that stands for its step's name in the
    // source, or 0; empty: no names. Kept by reference. merges: whether to look for merges of records (records.hpp).
    BlockRecorder(std::uint32_t threads, int banks, const std::vector<std::uint32_t>& named, bool merges);

    void begin(std::uint32_t block, bool full);
    bool full() const { return full_; }
    // The most events, indices and values of a kind kept per block; later ones are only counted.
    static constexpr std::size_t kMostKept = 1U << 24;

    // Where a warp is in the program.
    void turn(unsigned warp, std::uint32_t loop, std::int64_t value, const OuterValue& outer);
    void statement(unsigned warp, std::uint32_t statement, std::uint32_t line);
    void leave(unsigned warp); // the loop or the statement
    std::uint32_t segment(unsigned warp) const { return warps_[warp].segment; }

    // One warp-level access. `index`: by lane, in units of `bytes` from the start of the allocation.
    struct Access {
        AccessKind kind = AccessKind::shared_load;
        std::uint8_t bytes = 4; // per lane and access
        std::uint16_t allocation = 0;
        std::uint32_t mask = 0;
        std::uint32_t location = 0, line = 0; // line: in the source, to distinguish statements
        bool in_loop = false;
        bool constant = false; // memory, which has a cache of its own: counts neither as a request nor in sectors
        const std::uint32_t* index = nullptr;
    };
    // Returns what the values of its lanes refer to; kNotKept: nothing is kept of it.
    std::uint32_t access(unsigned warp, const Access& access);
    static constexpr std::uint32_t kNotKept = 0xFFFFFFFFU;
    // One of a vector's parts, by lane. For a request that is kept.
    void stored(std::uint32_t request, unsigned part, unsigned parts, std::uint32_t mask,
                const std::array<std::uint64_t, kWarpSize>& by_lane);
    void stored_atomically(std::uint32_t request, unsigned lane, std::uint64_t bits, bool later = false) {
        events_.atomics.push_back({request, static_cast<std::uint8_t>(lane), later, bits});
    }
    void shuffle(unsigned warp, ShuffleEvent event, const std::uint8_t* source); // source: by lane
    void vote(unsigned warp, VoteEvent event);
    // Its lanes diverge: in the step of what the warp does next.
    void branch(unsigned warp, BranchEvent event);
    void sync_warp(unsigned warp, SyncEvent event);
    void watch(unsigned warp, std::uint32_t variable, std::uint32_t mask, const std::uint32_t* low,
               const std::uint64_t* wide); // one of the two, by lane
    void hazard(unsigned warp) { ++warps_[warp].counters.hazards; }
    void hazard(unsigned warp, HazardEvent event); // within the block: counted in the later of its two steps
    // What the warp does now races with what was done in an earlier segment of the block.
    void ran_after(unsigned warp, std::uint32_t earlier) {
        constexpr std::size_t kMost = 1U << 16;
        const std::pair pair(earlier, warps_[warp].segment);
        if (ran_.size() < kMost && earlier != pair.second && (ran_.empty() || ran_.back() != pair)) {
            ran_.push_back(pair);
        }
    }
    // A block or named barrier completes for the lanes in `arrived`, by warp.
    void barrier(std::span<const std::uint32_t> arrived, BarrierEvent event);

    // Lanes that combine at one instruction; `site` identifies the instruction; `padding`: lanes with an operand that
    // is only the identity.
    void combines(unsigned warp, std::uint32_t mask, std::uint32_t padding, std::uint32_t site) {
        Warp& w = warps_[warp];
        w.empty = false;
        w.counters.combines += lanes_of(mask);
        w.counters.padding_combines += lanes_of(padding);
        place_branches(w);
        w.site = w.lanes.combine == 0 ? site : w.site;
        w.lanes.other |= site != w.site ? mask & ~w.lanes.combine : 0;
        w.lanes.combine |= mask;
    }
    // Marks lanes as active in their step, even if other lanes perform the combine.
    void takes_part(unsigned warp, std::uint32_t mask) { warps_[warp].lanes.combine |= mask; }
    DataFlow& flow() { return flow_; }
    const DataFlow& flow() const { return flow_; }
    // Memory of what is kept of the block so far.
    std::uint64_t bytes() const {
        return flow_.bytes() + events_.bytes() + hazards_.size() * sizeof(HazardEvent) +
               tallies_.size() * sizeof(Counters) + masks_.size() * sizeof(LaneMasks) +
               step_of_.size() * sizeof(std::uint32_t);
    }

    // The block ends while these warps wait at a barrier, which would divide their iteration: pass_barrier().
    void cut_short(const std::vector<bool>& waiting);
    void end();

    // After end(): the block's steps in order, with the counters of all its warps.
    struct Step {
        StepKey key;
        Counters counters;
        OuterValue outer;
    };
    std::span<const Step> steps() const { return steps_; }
    const LaneMasks& lanes(std::size_t step, unsigned warp) const { return lanes_[step * warps_.size() + warp]; }
    std::uint32_t step_of(std::uint32_t segment) const { return step_of_[segment]; } // place in steps()
    std::span<const std::uint32_t> segments() const { return step_of_; }
    BlockEvents& events() { return events_; } // of a block recorded in full
    unsigned warps() const { return static_cast<unsigned>(warps_.size()); }
    std::uint32_t existing(unsigned warp) const;

  private:
    struct Warp {
        std::uint32_t segment = 0;
        std::uint32_t place = StepSequence::kBefore;        // of its last step
        std::uint32_t before_stage = StepSequence::kBefore; // the same, when the open stage began
        StepKey key;
        bool stage = false, first = true, empty = true;
        bool alone = true; // no step of combining so far
        bool after_barrier = false,
             barrier_last = false; // the segment began after a barrier; nothing has happened since the last one
        bool global_load = false, global_store = false, global_atomic = false, shared_store = false;
        std::uint32_t location = 0, line = 0; // of its first event; of the statement
        std::uint32_t site = 0, load_site = 0, store_site = 0;
        std::vector<std::uint32_t> branches; // of the events, those since it last did something
        LaneMasks lanes;
        Counters counters;
    };

    void open(Warp& warp);
    void step_to(Warp& warp, const StepKey& key);
    std::uint32_t pass_barrier(unsigned index, std::uint32_t location, bool all_idle);
    void close(unsigned index);
    void begin_stage(unsigned index, const StepKey& key, std::uint32_t line);
    void touch(Warp& warp, std::uint32_t mask, std::uint32_t location);
    void place_branches(Warp& w) {
        for (const std::uint32_t branch : w.branches) {
            events_.branches[branch].segment = w.segment;
        }
        w.branches.clear();
    }
    void join_others(std::span<const std::uint32_t> arrived);
    const std::vector<unsigned>& by_place();
    void fold_records();
    std::vector<std::uint32_t> steps_as_run();
    void order_between_barriers(std::span<std::uint32_t> steps, const std::vector<std::uint32_t>& place);
    void count_warps();

    std::uint32_t threads_;
    int banks_;
    const std::vector<std::uint32_t>& named_;
    bool merges_;
    std::uint32_t block_ = 0;
    bool full_ = false;
    std::vector<Warp> warps_;
    std::vector<unsigned> order_;                    // by_place()
    std::uint32_t furthest_ = StepSequence::kBefore; // furthest place of a warp, while all segments are closed
    StepSequence sequence_;
    std::vector<std::uint32_t> step_of_; // by segment: number in the sequence; after end(): place in steps()
    std::vector<Counters> tallies_;      // by number in the sequence
    std::vector<OuterValue> outers_;     // the same
    std::vector<LaneMasks> masks_;       // by number in the sequence, by warp
    std::vector<Step> steps_;
    std::vector<LaneMasks> lanes_;
    DataFlow flow_;
    Records records_;
    BlockEvents events_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ran_; // of segments that race, which ran first
    std::vector<HazardEvent> hazards_;                         // of the block, whether recorded in full or not
    std::vector<std::uint32_t> left_;                          // steps of iterations that cut_short() took loads from
    std::vector<std::uint32_t> watched_;                       // by variable and warp: its latest event
};

} // namespace warptree::record
