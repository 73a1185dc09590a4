// What a strategy states about itself. Every kernel is compiled with it, for every architecture: no heavy header here.
#pragma once

#include "app/base/parameter.hpp"

#include <bit>
#include <cstdint>
#include <iosfwd> // std::string, declared
#include <optional>
#include <span>
#include <string_view>

namespace warptree {

struct RunOptions;

// How the blocks' partial results become one value.
// last_block: one block reduces the partials of all in the same launch: the last to arrive, or the first, which waits.
enum class Finish : std::uint8_t { host, relaunch, atomic, last_block };

enum class Family : std::uint8_t { shared_memory, shuffle_atomic, scan, exhibit };

// Which block sizes a strategy takes.
struct BlockRule {
    std::uint32_t least = 1;
    std::uint32_t most = 1024;
    bool power_of_two = true; // else any multiple of `multiple`
    std::uint32_t multiple = 1;
    std::uint32_t factor = 2; // between one power of two and the next that it takes, from `least` on: 2 or 4
    bool takes(std::uint32_t block) const {
        const unsigned doublings = static_cast<unsigned>(std::bit_width(block) - std::bit_width(least));
        return block >= least && block <= most && block % multiple == 0 &&
               (!power_of_two || (std::has_single_bit(block) && (factor == 2 || doublings % 2 == 0)));
    }
};

// The size of a launch, as far as it decides its shape.
struct Geometry {
    std::uint64_t n = 1; // elements of the launch's input
    std::uint32_t block = 1;
    Arguments arguments{};
    std::uint32_t element_bytes = 4;
};

// What a strategy's output is.
enum class Answer : std::uint8_t {
    total,      // partials of one value, which the finish makes one
    segments,   // each element a result of its own
    block_scan, // an element for each of the input: the scan of its block's tile of outputs_per_block elements
    scan,       // the same of the whole input
    matrix,     // the product of two matrices; arguments are its rows, its columns and the length of a dot product
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

    std::span<const Parameter> parameters{}; // its own, in the order of Arguments
    Answer answer = Answer::total;
    // Blocks of a launch; null: a tile each (block × elements_per_thread), at most max_grid.
    std::uint64_t (*grid)(const Geometry&) = nullptr;
    // Elements a block puts out; null: one, or of a scan one a thread.
    std::uint32_t (*outputs_per_block)(const Geometry&) = nullptr;
    // Elements of the input and of the output, by arguments; null: n, and what the blocks put out.
    std::uint64_t (*inputs)(const Arguments&) = nullptr;
    std::uint64_t (*outputs)(const Arguments&) = nullptr;
    std::uint32_t relaunch_block = 0; // threads a block of the launches after the first; 0: as the first
    bool finishes_last = false;       // one block of the kernel itself reduces the partials: only Finish::last_block
    bool finishes_first = false;      // and that is not the last to arrive but the first, which waits (probe.hear)
    bool words_only = false;          // i32 and u32 with sum, min, max or xor: what the hardware's warp reduce takes
    Finish default_finish = Finish::host; // where the kernel leaves the choice
    // Why these options cannot run, beyond what the fields say; null: nothing.
    std::optional<std::string> (*refusal)(const RunOptions&, const Geometry&) = nullptr;
    std::uint64_t default_n = 1024; // where the request leaves it
    bool works_in_output = false;   // its blocks use their part of the output as memory (probe.array)
    bool looks_back = false;        // its blocks wait for what earlier ones publish (probe.tiles)

    // Of kernels that go wrong on purpose.
    bool racy = false;         // its result depends on the order of threads
    bool deadlocks = false;    // never completes: refused on a GPU
    std::string_view hazard{}; // what goes wrong, and where
    std::string_view on_gpu{}; // what a GPU may do with it
};

} // namespace warptree
