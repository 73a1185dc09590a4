// The comment at the top of a kernel file, in which the file describes itself. Every part is optional.
//
//   // title: Interleaved addressing, modulo
//   // launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
//   // expect: sum
//   // lesson: A text may continue on the next line,
//   //   as long as that does not begin with a key.
//
// A key stands at the beginning of a line and ends in a colon. Text before the first key is an ordinary comment, and so is what
// follows a key that is no text.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

// The launch configuration and arguments, as expressions over n, B (threads per block), G (blocks), the parameters'
// names (stop_at for stop-at) and sizeof(T).
struct LaunchText {
    std::string kernel;                 // "reduce", "reduce<B>", "scan<exclusive, batch>"
    std::string grid, block, shared;    // each "x" or "x, y, z" in dim3(…); empty: left to the program
    std::vector<std::string> arguments; // of the call, in order; empty: matched by the parameters' names
    friend bool operator==(const LaunchText&, const LaunchText&) = default;
};

// Which block sizes the kernel takes: "powers of two, 64 to 1024", "multiples of 32, 32 to 1024", "32".
struct BlocksText {
    std::uint32_t least = 1, most = 1024, multiple = 1;
    bool power_of_two = false;
    std::uint32_t factor = 2; // from one power to the next, starting at `least`: 2 or 4
    friend bool operator==(const BlocksText&, const BlocksText&) = default;
};

// Whether the kernel can run with a block of that many threads.
bool takes(const BlocksText& blocks, std::uint32_t threads);
// "a power of two, 64 to 1024", "a multiple of 32, 32 to 1024", "32 or 64", "32".
std::string in_words(const BlocksText& blocks);

// A parameter of the kernel beside n and the block: "batch = 4, powers of two, 1 to 16: elements a thread scans".
struct ParameterText {
    std::string name, help;
    std::uint32_t fallback = 1, least = 1, most = 1;
    bool power_of_two = false;
    bool flag = false; // "exclusive = off: leave a thread's own element out"
    bool as_n = false; // "rows = n, 1 to 4096: rows of A": n stands for the -n of the request
    friend bool operator==(const ParameterText&, const ParameterText&) = default;
};

// What must hold for a launch: "stop_at <= B: fewer threads than the values it stops at; take a larger --block".
struct NeedText {
    std::string condition, otherwise;
    friend bool operator==(const NeedText&, const NeedText&) = default;
};

inline constexpr std::size_t kMostParameters = 16; // of a file; more are an error

struct ArgumentText { // "in = random:1000", "alpha = 0.5"
    std::string name, value;
    friend bool operator==(const ArgumentText&, const ArgumentText&) = default;
};

struct KernelHeader {
    std::string title, family, lesson, result, hazard, on_gpu, next;
    std::optional<LaunchText> launch;
    std::optional<BlocksText> blocks;
    std::optional<std::uint32_t> block;                  // threads per block unless the user states it
    std::string expect;                                  // empty: not stated
    std::vector<std::string> types, operators, finishes; // that it supports; empty: all
    std::vector<ParameterText> parameters;
    std::vector<ArgumentText> arguments;
    std::vector<ArgumentText> definitions; // "where: tile = B * batch": names for the expressions that follow
    std::vector<NeedText> needs;
    std::optional<std::string> relaunch_block; // expression: threads per block of the launches after the first
    std::string outputs;                       // expression: elements that a launch writes out; empty: one per block
    std::string tile; // expression: elements of a block's tile in a scan; empty: one per thread
    std::string n;    // elements unless the user states it
    // "goes wrong: race", "goes wrong: race between lanes" (of one warp, which lockstep hides), "goes wrong: deadlock"
    bool racy = false, lanes_race = false, deadlocks = false;
    friend bool operator==(const KernelHeader&, const KernelHeader&) = default;
};

// The header has a syntax error; what() names the line.
struct HeaderError : OptionError {
    HeaderError(std::uint32_t at, const std::string& text) : OptionError(text), line(at) {}
    std::uint32_t line = 0;
};

// Throws HeaderError.
KernelHeader read_header(std::string_view text);

// Splits at top-level commas: "a, f(b, c)" is "a" and "f(b, c)".
std::vector<std::string> listed(std::string_view text);

// "powers of two, 64 to 1024". Throws OptionError.
BlocksText blocks_from(std::string_view text);

} // namespace warptree::catalogue
