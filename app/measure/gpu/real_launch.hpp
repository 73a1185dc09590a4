// One launch of a real kernel on this machine's GPU, and what it made.
#pragma once

#include "app/run/judge/expectation.hpp"
#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree::runs {

struct RealLaunch {
    Numbers output; // of the first launch, the results
    Expected::Kind expected = Expected::Kind::none;
    std::string symbol, compiler, image; // the kernel's, "NVRTC 13.0", a cubin or PTX
};

// The first launch of the kernel that the options name, which the interpreter ran as `trace`; sizes that nobody stated are those
// that it reached. Throws MissingDevice, DeviceError, OptionError.
RealLaunch launch_for_real(const RunOptions& options, const Trace& trace);

} // namespace warptree::runs
