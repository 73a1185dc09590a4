// The comment at the top of a kernel file: what the file says of itself. All of it may be missing.
//
//   // title: Interleaved addressing, modulo
//   // launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
//   // expect: sum
//   // lesson: A text may go on in the next line,
//   //   as long as no key begins it.
//
// A key stands at the beginning of a line and ends in a colon. What is no key before the first one is the file's own comment.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

// What a launch is called with, as expressions over n, B (threads a block), G (blocks), the parameters' names (stop_at
// for stop-at) and sizeof(T).
struct LaunchText {
    std::string kernel;                 // "reduce", "reduce<B>", "scan<exclusive, batch>"
    std::string grid, block, shared;    // each "x" or "x, y, z" in dim3(…); empty: left to the program
    std::vector<std::string> arguments; // of the call, in order; empty: by the parameters' own names
    friend bool operator==(const LaunchText&, const LaunchText&) = default;
};

// Which block sizes the kernel takes: "powers of two, 64 to 1024", "multiples of 32, 32 to 1024", "32".
struct BlocksText {
    std::uint32_t least = 1, most = 1024, multiple = 1;
    bool power_of_two = false;
    std::uint32_t factor = 2; // between one power and the next, from `least` on: 2 or 4
    friend bool operator==(const BlocksText&, const BlocksText&) = default;
};

// Whether the kernel takes a block of so many threads.
bool takes(const BlocksText& blocks, std::uint32_t threads);
// "a power of two, 64 to 1024", "a multiple of 32, 32 to 1024", "32 or 64", "32".
std::string in_words(const BlocksText& blocks);

// A number that the kernel takes beside n and the block: "batch = 4, powers of two, 1 to 16: elements a thread scans".
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
    std::optional<std::uint32_t> block;                  // threads a block where nobody says
    std::string expect;                                  // empty: nothing is said
    std::vector<std::string> types, operators, finishes; // that it takes; empty: all
    std::vector<ParameterText> parameters;
    std::vector<ArgumentText> arguments;
    std::vector<ArgumentText> definitions; // "where: tile = B * batch": names for the expressions that follow
    std::vector<NeedText> needs;
    std::optional<std::string> relaunch_block; // expression: threads a block of the launches after the first
    std::string outputs;                       // expression: elements that a launch puts out; empty: one a block
    std::string tile;                          // expression: elements of a block's part of a scan; empty: one a thread
    std::string n;                             // elements where nobody says
    // "goes wrong: race", "goes wrong: race between lanes" (of one warp, which lockstep hides), "goes wrong: deadlock"
    bool racy = false, lanes_race = false, deadlocks = false;
    friend bool operator==(const KernelHeader&, const KernelHeader&) = default;
};

// Something in the header that cannot be understood; what() names the line.
struct HeaderError : OptionError {
    HeaderError(std::uint32_t at, const std::string& text) : OptionError(text), line(at) {}
    std::uint32_t line = 0;
};

// Throws HeaderError.
KernelHeader read_header(std::string_view text);

// "a, f(b, c)" is "a" and "f(b, c)".
std::vector<std::string> listed(std::string_view text);

// "powers of two, 64 to 1024". Throws OptionError.
BlocksText blocks_from(std::string_view text);

} // namespace warptree::catalogue
