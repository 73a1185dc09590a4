// Runs a launch of a compiled kernel: all its blocks, in parallel if they are independent, with the same result for any
// number of cores.
#pragma once

#include "app/simt/block_run.hpp"
#include "app/simt/launch_setup.hpp"
#include "app/trace/model/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warptree::simt {

// By allocation, whether a launch has loaded from it, and stored to it. Atomics do both.
struct Touched {
    std::vector<bool> loaded, stored;
    // What was in small arrays that it has loaded from and stored to, if all of that had been written.
    std::map<std::uint32_t, std::vector<std::byte>> before;
};

struct LaunchSummary {
    std::uint64_t instructions = 0, lane_instructions = 0;                 // counted per warp; per lane
    std::uint64_t leaves = 0, depth = 0, atomics = 0, padding_atomics = 0; // see record::LaunchRecorder
    // Elements into which atomics combined values that are made of elements, and how many the most of one.
    std::uint64_t joined_elements = 0, most_joined = 0;
    std::vector<bool> stores_data;  // see record::LaunchRecorder
    bool completed = true;          // false: a finding ended it, or its threads wait forever
    bool doubted = false;           // it was attempted in vain
    bool memory_is_chance = false;  // one block ended it, and how far the others had come depends on how fast they were
    std::optional<Touched> touched; // known if its attempt was not in vain
};

// Fills `launch`: steps, counters, the tables of the window, findings, printed text, allocations and variables, but not
// the roles of its arguments. Throws OptionError if the launch is impossible (threads, shared memory), Cancelled.
LaunchSummary run(const LaunchSetup& setup, Launch& launch);

unsigned default_workers(); // one per core

inline constexpr std::uint32_t kMostThreads = 1024;             // per block
inline constexpr std::uint32_t kMostSharedBytes = 227U * 1024U; // per block: cc 9.0, with the opt-in attribute
inline constexpr std::uint32_t kMostFixedShared = 48U * 1024U;  // of arrays of a fixed size: ptxas refuses more
// Why a kernel with so many bytes of these does not compile; empty: it does.
std::string too_much_fixed_shared(std::uint64_t bytes);

} // namespace warptree::simt
