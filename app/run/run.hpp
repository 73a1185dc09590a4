// Runs a strategy or a kernel file and returns its trace.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::runs {

inline bool is_kernel_file(const RunOptions& options) { return options.kernel.given(); }

// A strategy runs from its file below kernels/. A launch that can never complete ends the run: see Trace::completed.
// Throws OptionError, FileError, CompileError (also where there is no compiler), MissingDevice, Cancelled.
Trace run_any(const RunOptions& options, RunControl& control);
Trace run_any(const RunOptions& options);

} // namespace warptree::runs
