// Runs a strategy and returns its trace.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree {

// A launch that can never complete ends the run: see Trace::completed.
// Throws OptionError (unusable request), MissingDevice (backend cuda without a usable GPU), Cancelled.
Trace run(const RunOptions& options, RunControl& control);
Trace run(const RunOptions& options);

} // namespace warptree
