// Runs a kernel of a CUDA file, with as many launches as its finish takes, and returns the trace.
#pragma once

#include "app/base/options.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/kernel_source.hpp"
#include "app/trace/model/trace.hpp"

#include <optional>
#include <string>

namespace warptree::runs {

// options.kernel.file names the file, or options.kernel.text is its text. Throws SourceError, CompileError,
// OptionError, FileError, Cancelled.
Trace run_kernel_file(const RunOptions& options, RunControl& control);

// The options of a trace for a run in the same block: those of a trace have its number of threads alone.
RunOptions in_same_block(const Trace& trace);

// How a kernel is called where nobody says it: chosen once, then kept while its text is edited, so that a mistake shows
// instead of another choice that hides it.
struct Guess {
    std::string kernel; // its name and parameters
    Adjusted choices;
    bool ended = false;    // the run by which it was made came to its end
    bool replaced = false; // the launch that was tried before it did not
    friend bool operator==(const Guess&, const Guess&) = default;
};
// The same. An empty guess is made; one of the same kernel is kept if it has ended, and nothing else is tried.
Trace run_kernel_file(const RunOptions& options, std::optional<Guess>& guess, RunControl& control);

} // namespace warptree::runs
