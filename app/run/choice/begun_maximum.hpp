// A maximum within a kernel whose output is something else, as of a softmax: with what it begins.
#pragma once

#include "app/run/kernel_attempt.hpp"

namespace warptree::runs {

// Where a maximum begins with a constant that is not negative, in a kernel whose results are finite of primes and of -1 and are not of
// large negative elements: tells it.
void try_begun_maximum(KernelAttempt& shown, Trace& trace);

} // namespace warptree::runs
