// What a launch hides in which several sizes that nobody stated are all n: rows and columns may be mixed up.
#pragma once

#include "app/run/kernel_attempt.hpp"

namespace warptree::runs {

// Runs with other sizes, unseen: what is not as the name of the result says, or lies outside of arrays that have a product of two
// sides, is added to what the trace says was tried.
void try_unequal_sizes(KernelAttempt& shown, Trace& trace);

} // namespace warptree::runs
