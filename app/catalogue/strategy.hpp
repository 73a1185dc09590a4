// The strategies that ship: the kernel files below kernels/ that have a title, as described by the comment at the top
// of each.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree {

enum class Family : std::uint8_t { shared_memory, shuffle_atomic, scan, applied, exhibit };

// What a strategy's output is.
enum class Answer : std::uint8_t {
    total,      // partial results, which the finish combines into one value
    segments,   // many independent results
    block_scan, // an output per input element: the scan of its block's tile
    scan,       // likewise, but the scan of the whole input
    listed,     // what the file expects by name: an index, moments, rows, counts
    matrix,     // the product of two matrices; parameters are its rows, its columns and the length of a dot product
};

using Parameter = catalogue::ParameterText;

struct StrategyInfo {
    std::string id;    // stable, from the file's name: "interleaved-modulo"
    std::string title; // "Interleaved addressing, modulo"
    Family family = Family::shared_memory;
    std::string lesson; // one paragraph: what it does, what it teaches, when to prefer the next
    std::string result; // which thread holds the block's valid result, and where
    catalogue::BlocksText blocks;
    std::uint32_t default_block = 256;
    std::uint64_t default_n = 1024; // unless the request states it
    std::string source;             // path of its file below kernels/
    std::vector<Parameter> parameters;
    std::vector<Finish> finishes; // the default first
    Answer answer = Answer::total;
    bool strides = false; // a grid-stride loop: a grid of any size covers the input

    // For kernels that go wrong on purpose:
    bool racy = false;      // its result depends on the order of threads
    bool deadlocks = false; // never completes: refused on a GPU
    std::string hazard;     // what goes wrong, and where
    std::string on_gpu;     // what may happen on a GPU

    catalogue::KernelHeader header;
    std::string text; // of its file
};

// What determines the configuration of a launch.
struct LaunchSize {
    std::uint64_t n = 1; // elements of the launch's input
    std::uint32_t block = 1;
    ElementType type = ElementType::i32;
    ParameterValues parameters; // absent: their defaults
};

std::string_view
title(Family family); // "Shared memory", "Shuffles and atomics", "Scans", "Applied reductions", "What goes wrong"
std::string_view name(Family family); // "shared-memory", "shuffle-atomic", "scan", "applied", "exhibit"

// All strategies, in curriculum order, read on first use. Throws MissingResource if they are not found.
std::span<const StrategyInfo> strategies();
// nullptr when there is none with that id.
const StrategyInfo* find_strategy(std::string_view id);
// Like find_strategy, but throws an OptionError that names the nearest id.
const StrategyInfo& require_strategy(std::string_view id);

// `type`, or the first of the types that it takes if that is not one of them.
ElementType taken_type(const StrategyInfo& info, ElementType type = ElementType::i32);
// The types and operators that it can be asked for; of what its file names itself, only sum.
std::vector<ElementType> taken_types(const StrategyInfo& info);
std::vector<Operator> taken_operators(const StrategyInfo& info);
// What a run of it computes: "sum", or where the file expects something else by name, that: "argmax", "softmax".
std::string computed(const StrategyInfo& info, Operator op);
// The input unless another is asked for: random where the file says so of its first array, else ones.
InputKind usual_input(const StrategyInfo& info);
std::string limits(const StrategyInfo& info); // "block: a power of two, 64 to 1024; finish: host, relaunch, atomic"
// The strategy's parameters, requested or default; `n` is the default of those with Parameter::as_n. Throws OptionError
// for one that it does not have or that is out of range.
ParameterValues arguments(const StrategyInfo& info, const ParameterValues& asked, std::uint64_t n);
// Those of the values that the strategy also has and that are in range there, for switching to it.
ParameterValues parameters_of(const StrategyInfo& info, const ParameterValues& values);
// Whether the output is a scan, of tiles or of the whole.
inline bool is_scan(const StrategyInfo& info) {
    return info.answer == Answer::block_scan || info.answer == Answer::scan;
}
// Elements that a block writes out. This and the next four throw OptionError if a header's expression has no value.
std::uint64_t outputs_per_block(const StrategyInfo& info, const LaunchSize& size);
// Blocks of a launch; 64 bits, as a request may ask for more than a grid holds.
std::uint64_t grid_for(const StrategyInfo& info, const LaunchSize& size);
std::uint64_t outputs_for(const StrategyInfo& info, const LaunchSize& size);
// Partials that relaunching leaves to the host.
std::uint64_t left_for_host(const StrategyInfo& info, const LaunchSize& size, const RunOptions& options);
// Threads per block of the launches after the first.
std::uint32_t relaunch_block_for(const StrategyInfo& info, const LaunchSize& size);

// Why `options` cannot run, as one line with what would work; nullopt when they can. The strategy must exist.
std::optional<std::string> refusal(const RunOptions& options);
// The options with every default filled in. Throws OptionError when refused.
RunOptions resolve(RunOptions options);
// The file with that id in the user's own folder, if no shipped strategy has it; empty: none.
std::string own_kernel(std::string_view id);
// The same run, from the strategy's kernel file.
RunOptions of_its_file(RunOptions options);

} // namespace warptree
