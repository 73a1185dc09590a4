// One run of Clang over a request: parsed, analysed and, if its device code has no errors, compiled to a module.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/compile/front_end/diagnostics.hpp"
#include "app/compile/front_end/facts.hpp"
#include "app/compile/front_end/files.hpp"
#include "app/compile/lower/compiled.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::compile {

// An #include whose file was not found.
struct MissingHeader {
    std::string name;
    Diagnostic place; // the name in its line; without a message
};

struct Run {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::vector<KernelFacts> kernels; // those in the module
    std::vector<TemplateFound> templates;
    std::vector<RefusedKernel> refused;
    std::vector<std::string> instances; // by index in the request's: name of the kernel; empty: none
    std::vector<Finding> findings;      // after judging: any remaining error stops the file
    std::vector<MissingHeader> missing;
    std::vector<TextRange> host_code;
    std::vector<std::string> read; // paths in the request's folder that were included
};

// How much of host functions is parsed: their bodies contain the launches, but perhaps also syntax errors that hide the
// rest of the file.
enum class HostBodies : std::uint8_t { parsed, skipped };

// Precompiles our headers, once.
void prepare_clang();

// `files` has the request's text (`own_lines` lines) under `path`, followed by the lines that request instances.
Run run_clang(const llvm::IntrusiveRefCntPtr<SourceFiles>& files, const std::string& path, std::uint32_t own_lines,
              const Request& request, HostBodies bodies);

// The line that requests instance `number`.
std::string instance_line(std::size_t number, const std::string& instance);

} // namespace warptree::compile
