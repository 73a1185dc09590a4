// A run's points as text for a terminal.
#pragma once

#include "kernels/timing/results.hpp"

#include <string>

namespace warptree::timing {

// Where it was measured, a table of the points for each n, type and quantity, and what was skipped and why. Percentages
// are of the theoretical peak, and of the fastest read or copy of the same series.
std::string to_text(const Series& series);
// "2^22", "3 * 2^20" stays 3145728.
std::string size_text(std::uint64_t n);

} // namespace warptree::timing
