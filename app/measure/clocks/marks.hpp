// What each warp of a clocked kernel writes: its multiprocessor's cycle counter at every boundary it passes.
#pragma once

#include "app/trace/model/phase.hpp"

#include <cstdint>

namespace warptree::clocks {

enum class MarkKind : std::uint8_t { stage, store, gather, barrier_reached, barrier_left };

struct Mark {
    std::uint64_t cycle; // of the multiprocessor; 64 bits, so it does not come round
    MarkKind kind;
    Phase phase; // of a stage
    std::uint32_t stride;
};
static_assert(sizeof(Mark) == 16); // written at once

// One a warp; its marks lie apart.
struct WarpClock {
    std::uint64_t first_cycle, last_cycle; // when the kernel's code began and ended
    std::uint64_t first_ns, last_ns;       // the same on the device-wide timer, which ticks more coarsely
    std::uint32_t multiprocessor;
    std::uint32_t marks; // made; more than the capacity are not kept
};

// Marks a warp; a step makes three at most, and no strategy has more than some thirty steps.
inline constexpr std::uint32_t kMostMarks = 192;

} // namespace warptree::clocks
