// Elements that a reduction leaves out of its results, or counts several times.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>

namespace warptree {

// Both of a launch that stores at most one result a block, and of the blocks that are traced. nullopt also if the launch is no
// reduction, or has a fault, which may be why.

// Of elements that are combined and then reach no result: a risk at the line that combines the first of them last.
std::optional<Finding> lost_elements(const Launch& launch);
// Of a sum to which several threads add one value, as where each thread of a block adds what one of them should: a risk at the line
// that adds it last.
std::optional<Finding> repeated_elements(const Launch& launch);

// Blocks that reduce the same elements to the same, where the array has others that no block reads: a risk at the first load.
std::optional<Finding> same_elements(const Launch& launch);

// Elements of an array that no thread reads (or, if `written` counts as well, touches), of an array of n elements: a risk where the
// element beside the first of them is touched. `at_least` and `at_most`: of a hundred elements so many have to be, and may be, left out.
// Of a run whose blocks are all traced, and of at most 2^22 elements; nullopt also where vectors are loaded, as they hold several elements.
std::optional<Finding> untouched_elements(const Launch& launch, std::uint64_t n, bool written, unsigned at_least,
                                          unsigned at_most = 100);

} // namespace warptree
