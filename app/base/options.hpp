// The options of a run: the trace options of the command line, typed.
#pragma once

#include "app/base/element.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree {

// How the blocks' partial results become one value.
// last_block: one block reduces all partials in the same launch: the last to arrive, or the first, which waits for all.
enum class Finish : std::uint8_t { host, relaunch, atomic, last_block };
enum class Backend : std::uint8_t { automatic, cpu, cuda };
// The order of blocks and warps where nothing in the kernel determines it. in_order, reverse: warp after warp up to the next
// block barrier; random: by the seed, warps shuffled again after each barrier. lockstep: in order; and if a file declares a race
// between lanes, they see each other's stores at once, as before Volta; in other orders only once they synchronise.
enum class WarpOrder : std::uint8_t { in_order, reverse, random, lockstep };
enum class InputKind : std::uint8_t { ones, iota, random, alternating, file };

std::string_view name(Finish finish);   // "host", "relaunch", "atomic", "last-block"
std::string_view name(Backend backend); // "auto", "cpu", "cuda"
std::string_view name(WarpOrder order); // "in-order", "reverse", "random", "lockstep"
std::string_view name(InputKind input); // "ones", "iota", "random", "alternating", "file"
std::optional<Finish> finish_from(std::string_view text);
std::optional<Backend> backend_from(std::string_view text);
inline constexpr std::array kWarpOrders{WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random,
                                        WarpOrder::lockstep};
std::optional<WarpOrder> warp_order_from(std::string_view text);

// Blocks of the first launch that are traced in full; clipped to the grid. Later launches use the same window.
struct Window {
    std::uint32_t first = 0;
    std::uint32_t count = 8;
    friend bool operator==(const Window&, const Window&) = default;
};

inline constexpr std::uint64_t kMaxElements = 1ULL << 31; // node and element indices are 32-bit in a trace

// Requested values of a strategy's parameters, by name.
using ParameterValues = std::map<std::string, std::uint32_t, std::less<>>;

// How a CUDA file's kernel is launched; what is left empty comes from the file's header or is chosen by the program.
struct KernelOptions {
    std::string file;                // its path; empty: the strategy of the catalogue that RunOptions names
    std::optional<std::string> text; // as edited; absent: as on disk
    std::string kernel;              // "reduce", "reduce<256>"
    std::string grid, block, shared; // "4", "16,16"; bytes
    std::map<std::string, std::string, std::less<>> arguments; // by name: "iota", "random:1000", "0.5", "weights.npy"
    std::string expect;                                        // "sum", "scan", …, "none"
    bool name_result = true; // look for what the output is, if nothing is expected, which takes more runs
    bool n_given = false, input_given = false; // RunOptions::n and input were stated by the user
    std::string fill; // contents of arrays that nobody stated, as in `arguments`; empty: the program chooses
    std::uint32_t usual_block = 256;                     // threads of a block in one dimension where nothing says any
    std::uint64_t most_instructions = 0;                 // warp instructions per block; 0: the interpreter's limit
    bool given() const { return !file.empty() || text; } // a file runs instead of a strategy
    friend bool operator==(const KernelOptions&, const KernelOptions&) = default;
};

inline constexpr std::uint64_t kMostPrinted = 4ULL << 20; // of RunLimits::printed

// What one run may take. A limit that is reached is told, by a finding or a refusal.
struct RunLimits {
    std::uint64_t memory = 2ULL << 30;  // bytes: arrays, the device heap, what is noted and recorded
    std::chrono::milliseconds time{0};  // of processor, on each thread; 0: any
    std::uint64_t printed = 1ULL << 20; // bytes that are kept of what a launch prints
    friend bool operator==(const RunLimits&, const RunLimits&) = default;
};

struct RunOptions {
    std::string strategy = "interleaved-modulo"; // stable id
    std::uint64_t n = 1024;                      // 1 … kMaxElements
    std::optional<std::uint32_t> block;          // threads per block; absent: the strategy's default
    ElementType type = ElementType::i32;
    Operator op = Operator::sum;
    std::optional<Finish> finish; // absent: the strategy's default
    std::uint64_t host_below = 1; // relaunch until at most this many partials are left
    ParameterValues parameters;   // the strategy's own; absent: their defaults
    // The block that arrives last under Finish::last_block, in the interpreter; absent: the one with the highest index.
    std::optional<std::uint32_t> last_block;
    InputKind input = InputKind::ones; // iota is 0, 1, 2 …; alternating is 1, -1, 1 … (unsigned: 1, 0)
    std::string input_file;            // for InputKind::file: .npy, or text (number_list.hpp)
    std::uint64_t seed = 1;
    Backend backend = Backend::automatic;
    int banks = 32; // 32, or 16 for the half-warp rule of cc 1.x
    Window window;
    WarpOrder order = WarpOrder::in_order;   // of the interpreter; a race-free kernel gives the same result in each
    std::optional<std::uint64_t> order_seed; // of WarpOrder::random; absent: seed
    unsigned workers = 0;                    // interpreter threads; 0: one per core
    KernelOptions kernel;
    RunLimits limits;
    friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// Partial results that relaunching leaves to the host, where a block leaves that many.
inline std::uint64_t left_for_host(const RunOptions& options, std::uint64_t of_a_block) {
    return std::max<std::uint64_t>({options.host_below, of_a_block, 1});
}

// Stated by the user: takes precedence over a kernel file's header.
void ask_for_elements(RunOptions& options, std::uint64_t n);
void ask_for_block(RunOptions& options, std::uint32_t block);
void ask_for_input(RunOptions& options, InputKind input);

// Progress and cancellation of long work. Both may be used from several threads.
struct Trace;
struct RunControl {
    std::atomic<bool> cancel{false};
    std::function<void(double fraction)> progress; // 0 … 1, may be empty
    // Called with a run that takes its time when it is done and other launches are still to be tried, whose findings and whose
    // better choice it then lacks. May be empty.
    std::function<void(const Trace&)> seen;
};

// "1000", "2^20", "4M" (2^22), "64K" (2^16), "1G" (2^30); nullopt when it is not a count or does not fit.
std::optional<std::uint64_t> parse_count(std::string_view text);

} // namespace warptree
