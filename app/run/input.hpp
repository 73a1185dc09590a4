// The elements to reduce.
#pragma once

#include "app/base/elements.hpp"
#include "app/base/options.hpp"

namespace warptree::runs {

// The n elements that the options request. Throws FileError for an input file that cannot be read, is neither .npy nor
// a list of numbers, or holds fewer than n.
Elements make_input(const RunOptions& options);

} // namespace warptree::runs
