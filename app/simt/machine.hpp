// Runs a launch of a compiled kernel: all its blocks, on as many cores as they allow, with the same result whatever their
// number.
#pragma once

#include "app/simt/block_run.hpp"
#include "app/simt/launch_setup.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>

namespace warptree::simt {

struct LaunchSummary {
    std::uint64_t instructions = 0, lane_instructions = 0;                 // of warps; of lanes
    std::uint64_t leaves = 0, depth = 0, atomics = 0, padding_atomics = 0; // see record::LaunchRecorder
    bool completed = true; // false: a finding ended it, or its threads wait for ever
};

// Fills `launch`: steps, counters, the tables of the window, findings, what was printed. Its allocations and variables too,
// but not its arguments' roles. Throws OptionError when the launch cannot be made (threads, shared memory), Cancelled.
LaunchSummary run(const LaunchSetup& setup, Launch& launch);

unsigned default_workers(); // a core each

inline constexpr std::uint32_t kMostThreads = 1024; // of a block
inline constexpr std::uint32_t kMostSharedBytes =
    227U * 1024U; // of a block: cc 9.0, with the attribute that asks for it

} // namespace warptree::simt
