// Clock readings inside the kernel of a text, on the GPU at hand.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/clocks/clocks.hpp"

namespace warptree::runs {

// The first launch of the kernel file that options name: the real kernel and the one that reads the clock in turns; the
// readings are those of the last launch. `strategy`, commit and date are left empty. Throws OptionError for what makes more
// readings than are kept, MissingDevice, DeviceError (also when the two results differ).
clocks::Recording measure_clocks(const RunOptions& options);

// The interpreter's launch of the same with marks, of these lines alone (compile::Request::lines): what readings are taken
// apart by.
Launch marked_launch(const RunOptions& options, const std::vector<std::uint32_t>& lines,
                     const std::string& architecture);

} // namespace warptree::runs
