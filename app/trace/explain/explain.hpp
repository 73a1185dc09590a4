// Races and deadlocks of a trace in words: which threads, where, and in which order the result is wrong.
#pragma once

#include "app/trace/model/trace.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree {

// One access of a race.
struct RaceSide {
    std::uint32_t thread = 0; // in the block
    std::uint32_t step = 0;   // of the launch
    bool writes = false;
    SourceLine line = SourceLine::none();
};
// `first` has to come first: it is in the earlier step, or before the shuffle between the two, or, in one step, writes what a
// later line reads, or else reads what the other writes.
struct Race {
    std::uint32_t block = 0, word = 0;
    RaceSide first, second;
    bool across_shuffle = false; // Hazard::across_shuffle
};
Race race_of(const Hazard& hazard);

// The orders of the interpreter in which `second` comes first; with random it depends on the seed. None across a
// shuffle, nor within a warp of a kernel file, which runs in lockstep unless the file declares a race between lanes.
std::vector<WarpOrder> wrong_orders(const Trace& trace, const Race& race);
// "Thread 0 reads s[64] in step s = 64, line 41; thread 64, of another warp, writes it in step s = 128, line 41. The write
// has to come first, but nothing orders the two: with the warp schedules in-order and lockstep the read comes first." Of
// two updates no order is right, and it says that.
std::string explain(const Trace& trace, const Launch& launch, const Hazard& hazard);
// The race to report for the step, in `block`: preferably between two warps, then that of the lowest thread; nullptr
// if the step has none.
const Hazard* leading_hazard(const Launch& launch, std::uint32_t step, std::uint32_t block);

// Threads of one block that wait at one barrier.
struct StallGroup {
    std::uint32_t block = 0, step = 0;
    StallKind kind = StallKind::barrier;
    SourceLine line = SourceLine::none();
    std::uint32_t expected = 0;                                   // threads that would have to arrive
    std::uint32_t waiting = 0;                                    // threads that have arrived
    std::vector<std::pair<std::uint32_t, std::uint32_t>> threads; // first and last of each run of consecutive threads
};
// Sorted by (block, step, line); for the blocks traced in full.
std::vector<StallGroup> stall_groups(const Launch& launch);
std::string thread_ranges(const StallGroup& group); // "thread 3", "threads 0-63", "threads 0, 2-5"
// "In block 0 threads 0-63 wait at line 41 (s = 64) and threads 64-127 wait at line 47 (store). A barrier completes
// only when all 128 threads of the block arrive." Empty without stalls.
std::string explain_stalls(const Trace& trace, const Launch& launch);

// "A GPU has no instruction for an atomic product of double: each is a loop of compare-and-swap." Empty if the blocks
// do not finish with atomics, or if the hardware has the instruction.
std::string explain_atomics(const Trace& trace);

// Why the result cannot be compared with the reference: "nothing was written to the output", "element 100
// of the output was not written". Empty: it can.
std::string missing_result(const Trace& trace);

// "line 41", or "line 18 of reduce/warp_reduce.hpp" outside the kernel's own file.
std::string place_of(const Trace& trace, SourceLine line);

} // namespace warptree
