// What a strategy is, to everything that lists, explains or runs it.
#pragma once

#include "kernels/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree {

enum class Family : std::uint8_t { shared_memory, shuffle_atomic, exhibit };
std::string_view title(Family family); // "Shared memory", "Shuffles and atomics", "What goes wrong"
std::string_view name(Family family);  // "shared-memory", "shuffle-atomic", "exhibit"

// Which block sizes a strategy takes.
struct BlockRule {
    std::uint32_t least = 1;
    std::uint32_t most = 1024;
    bool power_of_two = true; // else any multiple of `multiple`
    std::uint32_t multiple = 1;
};

// Stated by each strategy in its own file; all text is static.
struct StrategyInfo {
    std::string_view id;    // stable: "interleaved-modulo"
    std::string_view title; // "Interleaved addressing, modulo"
    Family family;
    std::string_view lesson; // one paragraph: what it does, what it teaches, when to prefer the next
    std::string_view result; // which thread holds the block's valid result, and where
    BlockRule blocks;
    std::uint32_t default_block = 256;
    std::uint32_t elements_per_thread = 1; // loaded; for grid-stride loops per iteration
    std::uint32_t max_grid = 0;            // 0: one block per tile; else a grid-stride loop over at most this grid
    bool finishes_atomically = false;      // the kernel itself combines into one total: only Finish::atomic
    std::string_view source;               // path of its file below kernels/: key of strategy_source()
    // Of kernels that go wrong on purpose.
    bool racy = false;         // its result depends on the order of threads
    bool deadlocks = false;    // never completes: refused on a GPU
    std::string_view hazard{}; // what goes wrong, and where
    std::string_view on_gpu{}; // what a GPU may do with it
};

// All strategies, in curriculum order.
std::span<const StrategyInfo> strategies();
// nullptr when there is none of that id.
const StrategyInfo* find_strategy(std::string_view id);
// Like find_strategy, but throws OptionError that names the nearest ids.
const StrategyInfo& require_strategy(std::string_view id);

std::string limits(const StrategyInfo& info); // "block: power of two, 64 to 1024; finish: host, relaunch, atomic"
std::vector<Finish> finishes(const StrategyInfo& info);
// Blocks of a launch over n elements.
std::uint32_t grid_for(const StrategyInfo& info, std::uint32_t block, std::uint64_t n);

// Why `options` cannot run, as one line with what would work; nothing when it can. The strategy must exist.
std::optional<std::string> refusal(const RunOptions& options);
// The options with every default filled in. Throws OptionError when refused.
RunOptions resolve(RunOptions options);

} // namespace warptree
