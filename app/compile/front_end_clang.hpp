// One run of Clang over a request: parsed, looked at, and, when its device code is without errors, made a module.
#pragma once

#include "app/compile/compiled.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/front_end_diagnostics.hpp"
#include "app/compile/front_end_facts.hpp"
#include "app/compile/front_end_files.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::compile {

// An #include that found nothing.
struct MissingHeader {
    std::string name;
    Diagnostic place; // the name in its line; without a message
};

struct Run {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::vector<KernelFacts> kernels; // those that the module has
    std::vector<TemplateFound> templates;
    std::vector<std::string> instances; // by number of the request's: the kernel that it names; empty: none
    std::vector<Finding> findings;      // judged: what is an error stops the file
    std::vector<MissingHeader> missing;
    std::vector<TextRange> host_code;
    std::vector<std::string> read; // paths of the request's folder that were included
};

// What is parsed of functions of the host: launches are in their bodies, but so may be what takes the rest of the file
// with it.
enum class HostBodies : std::uint8_t { parsed, skipped };

// Reads our headers into a precompiled one, once.
void prepare_clang();

// `files` has the request's text under `path`, and behind its `own_lines` lines those that ask for its instances.
Run run_clang(const llvm::IntrusiveRefCntPtr<SourceFiles>& files, const std::string& path, std::uint32_t own_lines,
              const Request& request, HostBodies bodies);

// The line that asks for instance `number` of a request.
std::string instance_line(std::size_t number, const std::string& instance);

} // namespace warptree::compile
