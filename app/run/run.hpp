// Runs what options name: a kernel of a file, or a strategy.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::runs {

// Whether these options are of a kernel file.
inline bool is_kernel_file(const RunOptions& options) { return options.kernel.given(); }

// Throws what run_kernel_file() or warptree::run() does.
Trace run_any(const RunOptions& options, RunControl& control);
Trace run_any(const RunOptions& options);

} // namespace warptree::runs
