// The GPU as a backend. Without CUDA in the build, or without a usable GPU, usable() is false and why_not() says why.
#pragma once

#include "app/trace/model/trace.hpp"
#include "kernels/launch.hpp"

#include <string>

namespace warptree::cuda {

bool usable();         // looks once
std::string why_not(); // one line; empty when usable
Device device();       // throws MissingDevice when not usable

// Runs a launch on the GPU twice: once to size the buffers, once to record; every event is analysed on the host by
// the recorder that the interpreter uses. `output` holds the total when the launch finishes atomically.
// Throws MissingDevice, DeviceError, Cancelled.

// Runs the real kernel, which records nothing, once: sum only. Returns the partials, or the total where the strategy
// finishes atomically; where its last block finishes, the total stands in the place of the first partial.
Elements run_real(const LaunchRequest& request);

} // namespace warptree::cuda
