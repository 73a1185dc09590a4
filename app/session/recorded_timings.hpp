// Times of kernels that ship with the program, measured and published, below assets/timings.
#pragma once

#include "kernels/timing/results.hpp"

#include <vector>

namespace warptree::session {

// Measured before published, by name of file; a file that cannot be used is left out. Read once.
const std::vector<timing::Series>& recorded_timings();

} // namespace warptree::session
