// The events kept for a block recorded in full. At the end of the block `segment` is mapped to its step.
#pragma once

#include "app/trace/model/kinds.hpp"
#include "app/trace/model/trace.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree::record {

// What lanes of a warp do in a step.
struct LaneMasks {
    std::uint32_t load = 0, store = 0; // of global memory
    std::uint32_t touch = 0;           // of any memory, or an exchange
    std::uint32_t combine = 0;
    std::uint32_t other = 0; // of these, those that combine at another instruction than the lowest lane
    // Lanes of an access that has none of those that loaded, or stored, before it at another place: the other side of an if.
    std::uint32_t load_other = 0, store_other = 0;
    // Those that do what the step is for.
    std::uint32_t active(StepKind kind) const {
        return kind == StepKind::stage   ? combine
               : kind == StepKind::load  ? load
               : kind == StepKind::store ? store
                                         : touch;
    }
};

struct RequestEvent {
    std::uint32_t segment = 0, mask = 0, location = 0, first_index = 0;
    AccessKind kind = AccessKind::shared_load;
    std::uint8_t bytes = 4;
    std::uint16_t warp = 0, allocation = 0, wavefronts = 0, ideal = 0, sectors = 0;
};

struct ShuffleEvent {
    std::uint32_t segment = 0, mask = 0, location = 0, first_source = 0; // 32 sources, by lane
    ShuffleKind kind = ShuffleKind::down;
    std::uint8_t width = 32;
    std::uint16_t delta = 0; // of the lowest lane
    std::uint16_t warp = 0;
};

struct VoteEvent {
    std::uint32_t segment = 0, mask = 0, location = 0;
    std::uint32_t asked = 0; // lanes for which the predicate holds
    VoteKind kind = VoteKind::any;
    std::uint16_t warp = 0;
};

struct BranchEvent {
    std::uint32_t segment = 0, location = 0, taken = 0, not_taken = 0;
    std::uint16_t warp = 0;
};

struct SyncEvent { // __syncwarp
    std::uint32_t segment = 0, mask = 0, location = 0;
    std::uint16_t warp = 0;
};

// Two unordered accesses of a word of shared memory; `other` is the one in the earlier step.
struct HazardEvent {
    std::uint32_t segment = 0, thread = 0, location = 0; // thread: in the block
    std::uint32_t word = 0;                              // in elements of its array, from the start of shared memory
    bool writes = false;
    std::uint32_t other_segment = 0, other_thread = 0, other_location = 0;
    bool other_writes = false;
    bool across_shuffle = false; // within one warp, with a shuffle between the two
};

struct BarrierEvent {
    std::uint32_t location = 0, number = 0; // number: 0 for __syncthreads
    std::uint32_t expected = 0;             // threads
    std::uint32_t step = 0;
    std::uint32_t first_mask = 0; // where its masks begin in `arrived`, one per warp
};

// The value of a source variable in a warp's lanes at the end of a step.
struct WatchEvent {
    std::uint32_t segment = 0, variable = 0, mask = 0, first_value = 0; // 32 values, by lane
    std::uint16_t warp = 0;
};

// The values of a request's lanes: of a store, or of a copy.
struct StoreEvent {
    std::uint32_t request = 0, mask = 0, first_value = 0; // those of the lanes in mask
    std::uint8_t part = 0, parts = 1;
    LaneShape shape = LaneShape::each;
};
// What one lane's atomic leaves in memory.
struct AtomicEvent {
    std::uint32_t request = 0;
    std::uint8_t lane = 0;
    bool later = false;     // what it leaves is known when the block has ended
    std::uint64_t bits = 0; // or, for the time being, what tells it from others that are `later`
};

struct BlockEvents {
    std::vector<RequestEvent> requests;
    std::vector<std::uint32_t> indices; // of the lanes in mask, lowest first
    std::vector<ShuffleEvent> shuffles;
    std::vector<std::uint8_t> sources;
    std::vector<VoteEvent> votes;
    std::vector<BranchEvent> branches;
    std::vector<SyncEvent> syncs;
    std::vector<HazardEvent> hazards;
    std::vector<BarrierEvent> barriers;
    std::vector<std::uint32_t> arrived;
    std::vector<WatchEvent> watches;
    std::vector<std::uint64_t> values;
    std::vector<StoreEvent> stores;
    std::vector<std::uint64_t> stored;
    std::vector<AtomicEvent> atomics;
    std::uint64_t bytes() const {
        const auto each = [](const auto&... lists) {
            return (std::uint64_t{0} + ... + (lists.size() * sizeof lists[0]));
        };
        return each(requests, indices, shuffles, sources, votes, branches, syncs, hazards, barriers, arrived, watches,
                    values, stores, stored, atomics);
    }
    void clear() { // keeps the allocated memory
        const auto each = [](auto&... lists) { (lists.clear(), ...); };
        each(requests, indices, shuffles, sources, votes, branches, syncs, hazards, barriers, arrived, watches, values,
             stores, stored, atomics);
    }
};

} // namespace warptree::record
