// Checks scans of floats element by element against the expected values, within the error that rounding can cause.
#pragma once

#include "app/measure/timing/expected.hpp"
#include "app/measure/timing/results.hpp"
#include "app/measure/timing/running_sum.hpp"

#include <cstdint>
#include <vector>

namespace warptree::timing {

// Combines on the longest path from an element to a result of a scan. tree: those whose operands are sums of separate
// runs of elements; chain: those that carry a prefix from tile to tile.
struct ScanDepth {
    std::uint64_t tree = 0, chain = 0;
};
ScanDepth scan_depth(const Configuration& what); // of a scan; throws OptionError for an unknown strategy

ScanTolerance scan_tolerance(const ScanDepth& depth, ElementType type);

// The sum before each part of `part` elements of the input, for floating types. Uses every core.
std::vector<RunningSum> sums_before(Data data, std::uint64_t n, ElementType type, std::uint64_t seed,
                                    std::uint64_t part);

} // namespace warptree::timing
