// What other launches than the one that is shown tell of a kernel.
#pragma once

#include "app/run/kernel_attempt.hpp"

namespace warptree::runs {

// Where one tile is all that there is, nothing comes after it that could race with it. A launch of two is shown instead if it finds
// something.
void try_a_second_tile(KernelAttempt& shown, Trace& trace);

// Sizes that differ, negative elements, a last block that is not full, arrays that end: what they find is added to what the
// trace says was tried, or to its findings.
void try_beside(KernelAttempt& shown, Trace& trace);

} // namespace warptree::runs
