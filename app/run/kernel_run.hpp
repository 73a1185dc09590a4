// Runs a kernel of a CUDA file, with as many launches as its finish takes, and returns the trace.
#pragma once

#include "app/base/options.hpp"
#include "app/run/kernel_source.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::runs {

// options.kernel.file names the file, or options.kernel.text is its text. Throws SourceError, CompileError,
// OptionError, FileError, Cancelled.
Trace run_kernel_file(const RunOptions& options, RunControl& control);

} // namespace warptree::runs
