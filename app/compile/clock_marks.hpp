// Where a kernel reads the clock: before what may begin a step, and around block barriers.
#pragma once

#include "app/compile/compiled.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::compile {

// Puts a __syncwarp of the active lanes behind the first access or exchange of each of these lines (Request::lines; empty: of
// every line) in each basic block. To the machine, which notes it with its step, it is nothing else; clock_marks() makes it a
// reading before that access. Before lower().
void mark_lines(Compiled& compiled, const std::vector<std::uint32_t>& lines);

// Makes the marks readings of the clock, adds those around barriers, and notes when each warp begins and ends
// (device_clock.hpp). Returns why it cannot be; empty: it is done.
std::string clock_marks(Compiled& compiled);

} // namespace warptree::compile
