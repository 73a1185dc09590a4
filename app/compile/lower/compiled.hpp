// Within the worker only: Clang's output for a file, before it is lowered to a Program. LLVM types go no further.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/compile/program/program.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace warptree::compile {

// What the syntax tree says about a __global__ function of the module.
struct KernelFacts {
    std::string symbol;                // in the module
    std::string name;                  // "reduce<256>"
    std::vector<Parameter> parameters; // rows and uses are filled in by lower()
    std::vector<Parameter> members;
    std::uint32_t most_threads = 0;
    std::uint32_t line = 0;
    std::uint32_t launched_block[3] = {0, 0, 0};
    std::uint32_t cluster[3] = {0, 0, 0};
};

struct Compiled {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module; // after the passes of clean_up(); empty when there are errors
    std::vector<SourceText> files;        // by the names that the module's debug records use
    std::vector<KernelFacts> kernels;
    std::vector<RefusedKernel> refused;
    std::vector<KernelTemplate> templates; // without locations
    std::vector<Location> template_places; // their locations, by the same index
    std::vector<Diagnostic> diagnostics;
    std::vector<TextRange> host_code;
};

// Runs the passes that bring the module into the form that is shown, run and instrumented: calls of our headers
// inlined, locals in registers, dead code removed, neighbouring loads and stores of a vector merged. Loops stay loops.
void clean_up(llvm::Module& module);

// Throws CompileError, naming the line, for code that the machine cannot run at all. If only some paths reach such
// code, it becomes a trap, so that a file is refused for what it runs, not for what it contains.
Program lower(const Compiled& compiled);

// PTX of a module that lower() has lowered; the module is consumed. If impossible, DeviceCode::problem says why.
DeviceCode device_code(Compiled& compiled, const Program& program, const Request& request);

} // namespace warptree::compile
