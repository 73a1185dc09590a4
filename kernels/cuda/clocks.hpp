// Clock readings inside a strategy's kernel, on the GPU at hand.
#pragma once

#include "app/measure/clocks/clocks.hpp"
#include "kernels/launch.hpp"

namespace warptree::cuda {

// Compiled for the sum of i32 and f64; where the block size is a template argument, only for 128, 256, 512 and 1024.
// Runs the real and the clocked kernel in turns; the readings are those of the last launch. What it does not know of
// the build (toolkit, commit, date) is left empty. Throws OptionError for a launch that was not compiled or needs more
// than a gigabyte of readings, MissingDevice, DeviceError (also when the clocked kernel's result differs).
clocks::Recording measure_clocks(const LaunchRequest& request);

} // namespace warptree::cuda
