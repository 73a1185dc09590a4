// Whole numbers a strategy takes beside the number of elements and the block: a batch, a number of segments, a flag.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptree {

// Declared by a strategy; the command line, the window and trace files take it up from there.
struct Parameter {
    std::string_view name; // "batch": --batch on the command line
    std::string_view help; // one phrase: "elements a thread scans serially"
    std::uint32_t least = 1, most = 1, fallback = 1;
    bool power_of_two = false; // only powers of two from least to most
    bool flag = false;         // 0 or 1: an option without a value
    bool as_n = false;         // 0 stands for the -n of the request
};

inline constexpr std::size_t kMostParameters = 4;
// Values in the order in which the strategy declares its parameters; unused ones are 0.
using Arguments = std::array<std::uint32_t, kMostParameters>;

} // namespace warptree
