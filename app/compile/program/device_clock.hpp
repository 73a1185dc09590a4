// The data that a clocked kernel writes per warp.
#pragma once

#include <cstdint>

namespace warptree::compile {

enum class ClockKind : std::uint32_t { line, barrier_reached, barrier_left };

struct ClockMark {
    std::uint64_t cycle = 0; // of the multiprocessor; 64 bits, so it does not wrap around
    std::uint32_t line = 0;  // as in Request::lines; 0 for barriers
    ClockKind kind = ClockKind::line;
};

// One per warp, in block order.
struct WarpReading {
    std::uint64_t first_cycle = 0, last_cycle = 0; // when the kernel's code began and ended
    std::uint64_t first_ns = 0, last_ns = 0;       // the same on the device-wide timer, which is coarser
    std::uint32_t multiprocessor = 0;
    std::uint32_t marks = 0; // marks passed, including those that did not fit
};

// The module's variable that holds the addresses of readings and marks, and how many marks fit per warp.
inline constexpr const char* kClockVariable = "warptree_clock";
struct ClockPlace {
    std::uint64_t readings = 0, marks = 0, room = 0;
};

} // namespace warptree::compile
