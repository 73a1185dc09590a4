// Runs a kernel of a CUDA file in the interpreter and returns its trace.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/compiler.hpp"
#include "app/trace/model/trace.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::runs {

// A file that does not compile: what() is the first error as clang writes it, "mine.cu:12:5: error: …".
struct SourceError : OptionError {
    SourceError(std::vector<compile::Diagnostic> all, const std::string& text)
        : OptionError(text), diagnostics(std::move(all)) {}
    std::vector<compile::Diagnostic> diagnostics;
};
// "mine.cu:12:5: error: use of undeclared identifier 'x'", one line each.
std::string diagnostics_text(const std::vector<compile::Diagnostic>& list);

// The compiler of this process: one worker, started when it is first asked.
compile::Compiler& compiler();

// While one lives, a text is compiled once, however often it is run; what it includes is taken not to change.
class CompileOnce {
  public:
    CompileOnce();
    ~CompileOnce();
    CompileOnce(const CompileOnce&) = delete;
    CompileOnce& operator=(const CompileOnce&) = delete;
};

// options.kernel.file names the file, or options.kernel.text is it. Throws SourceError, CompileError, OptionError, FileError,
// Cancelled.
Trace run_kernel_file(const RunOptions& options, RunControl& control);

} // namespace warptree::runs
