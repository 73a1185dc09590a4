// The elements to reduce.
#pragma once

#include "kernels/launch.hpp"

namespace warptree {

// Throws FileError for an input file that cannot be read, is no .npy or list of numbers, or holds fewer than n.
Elements make_input(const RunOptions& options);

} // namespace warptree
