// A kernel file, and the program compiled from it for one run.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/compile/client/compiler.hpp"

#include <cstdint>
#include <functional>
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

// "mine.cu:12: use of undeclared identifier 'x'"
std::string why_refused(const compile::RefusedKernel& kernel);

// The text of a file of CUDA. Throws FileError.
std::string read_source(const std::string& path);

// The compiler of this process: one worker, started on first use.
compile::Compiler& compiler();
// From here on this one, which outlives every use: the process of a submission has that of its parent.
void use_compiler(compile::Compiler& other);
// Called with every program that runs compile from here on: who keeps them for where nothing can be compiled.
using CompileWatcher = std::function<void(const compile::Request&, const compile::Program&)>;
void watch_compiles(CompileWatcher watcher);

// While one exists, each text is compiled only once, however often it runs; its headers are assumed not to change.
class CompileOnce {
  public:
    CompileOnce();
    ~CompileOnce();
    CompileOnce(const CompileOnce&) = delete;
    CompileOnce& operator=(const CompileOnce&) = delete;
};

// Whether the file takes element type and operator from the options. Throws FileError.
bool takes_operator(const std::string& path);

class KernelSource {
  public:
    // Reads the file named by the options and chooses its finish. Throws FileError, OptionError.
    explicit KernelSource(const RunOptions& options);

    const std::string& name() const { return request_.name; } // of the file, without its folder
    const catalogue::KernelHeader& header() const { return header_; }
    // The file takes its element type and operator from the options: it includes reduction.cuh.
    bool has_operator() const { return has_operator_; }
    Finish finish() const { return finish_; }

    // Programs compiled after this also contain code that logs events on a GPU of this architecture.
    void trace_on(const std::string& architecture);

    // Programs compiled after this contain marks, and code for this architecture that reads the clock at them
    // (Code::clocked).
    void clock_on(const std::string& architecture, const std::vector<std::uint32_t>& lines);

    struct Compiled {
        std::shared_ptr<const compile::Program> program;
        compile::Request request; // that produced it
        std::uint32_t kernel = compile::kNone;
        bool chosen = false;            // the program chose the kernel
        std::vector<std::string> names; // of all kernels of the file: "reduce", a template's "scan<"
    };
    // Compiles for one launch. `maps`: it applies the operator's map to its elements, as the first launch does. Throws
    // SourceError, CompileError, OptionError.
    Compiled compile(const RunOptions& options, bool maps);

  private:
    compile::Request request_;
    catalogue::KernelHeader header_;
    bool has_operator_ = false;
    Finish finish_ = Finish::host;
    // The last program without a template instance, and the last one with.
    struct Made {
        compile::Request request;
        std::shared_ptr<const compile::Program> program;
    };
    std::shared_ptr<const compile::Program> made(Made& last, const compile::Request& request);
    Made plain_, instance_, of_side_;
};

} // namespace warptree::runs
