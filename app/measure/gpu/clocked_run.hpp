// Clock readings inside a kernel, on this machine's GPU.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/clocks/clocks.hpp"

namespace warptree::runs {

// Runs the first launch of the kernel file named by the options, alternating between the real kernel and the one that
// reads the clock; the readings are those of the last launch. `strategy`, commit and date are left empty. Throws
// OptionError for a launch with more readings than can be kept, MissingDevice, DeviceError (also if results differ).
clocks::Recording measure_clocks(const RunOptions& options);

// The interpreter's launch of the same kernel, with marks on these lines only (compile::Request::lines; empty: all); it
// assigns readings to steps.
Launch marked_launch(const RunOptions& options, const std::vector<std::uint32_t>& lines,
                     const std::string& architecture);

} // namespace warptree::runs
