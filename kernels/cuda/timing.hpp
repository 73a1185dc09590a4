// Timing on the GPU at hand: what app/measure/timing/harness.hpp drives.
#pragma once

#include "app/measure/timing/harness.hpp"

namespace warptree::cuda {

// Times on the first GPU, on the default stream. Random input from `seed`. Cold runs first overwrite a buffer of at least
// twice the L2 cache. Times lie between two events: a kernel that waits for the host holds the stream until start event,
// work and stop event are queued. Setting the total of atomics is part of a run; tiles that look back are cleared before
// it, as launches one after the other on one output need none of that. Throws MissingDevice, DeviceError.
std::unique_ptr<timing::Device> timing_device(std::uint64_t seed);

} // namespace warptree::cuda
