// Where a kernel reads the clock: where a step may begin, and around block barriers.
#pragma once

#include "app/compile/lower/compiled.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::compile {

// Inserts a __syncwarp of the active lanes after the first access or exchange of each of these lines (Request::lines;
// empty: every line) in each basic block. The machine runs it as such and records its step; clock_marks() turns it into
// a clock reading before that access. Call this before lower().
void mark_lines(Compiled& compiled, const std::vector<std::uint32_t>& lines);

// Turns the marks into clock readings, adds those around barriers, and records when each warp begins and ends
// (device_clock.hpp). Returns the reason if that is impossible, else an empty string.
std::string clock_marks(Compiled& compiled);

} // namespace warptree::compile
