// A launch that was tried beside the one shown, as options that launch the kernel so.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

#include <optional>

namespace warptree::runs {

// What OtherLaunch::with says, "256 threads", "elements = 1000, in = negative", put into the options of the trace's kernel.
// nullopt: not all of it is understood.
std::optional<RunOptions> launched_so(const RunOptions& options, const Trace& trace, const OtherLaunch& tried);

} // namespace warptree::runs
