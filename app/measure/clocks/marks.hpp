// What each warp of a clocked kernel writes: its multiprocessor's cycle counter where a step may begin, and around
// barriers.
#pragma once

#include "app/compile/program/device_clock.hpp"

#include <cstdint>

namespace warptree::clocks {

using Mark = compile::ClockMark;
using MarkKind = compile::ClockKind;
using WarpClock = compile::WarpReading;
static_assert(sizeof(Mark) == 16 && sizeof(WarpClock) == 40); // as the kernel writes them

// Most marks per warp; a step makes three at most, and no strategy has more than about thirty steps.
inline constexpr std::uint32_t kMostMarks = 256;

} // namespace warptree::clocks
