// Runs a strategy and returns its trace.
#pragma once

#include "kernels/options.hpp"
#include "kernels/trace/trace.hpp"

namespace warptree {

// Throws OptionError (unusable request), MissingDevice (backend cuda without a usable GPU), Cancelled.
Trace run(const RunOptions& options, RunControl& control);
Trace run(const RunOptions& options);

} // namespace warptree
