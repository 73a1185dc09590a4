// Launches that show more than the first that came to an end, where nobody said how the kernel is called: more that is stored, as
// many elements as one block takes, a block that sets all of its shared arrays.
#pragma once

#include "app/run/kernel_attempt.hpp"

namespace warptree::runs {

// The trace that is shown instead of the first, with what that launch found and this one does not. shown: after the latter.
Trace instead(const KernelAttempt& shown, const Trace& first, const KernelLaunch& launched, Trace trace);

// Whether the block of `shown` has as many threads as an array in shared memory has elements, but for a halo: what ends the launch
// is not due to the block.
bool fits_its_arrays(const KernelAttempt& shown);

// `trace`, the last attempt of `shown`, or that of a launch that fits better.
Trace fitted(KernelAttempt& shown, Trace trace);

} // namespace warptree::runs
