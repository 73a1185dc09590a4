// Within the worker only: what Clang makes of a file, before it is lowered to a Program. LLVM types end here.
#pragma once

#include "app/compile/compiler.hpp"
#include "app/compile/program.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace warptree::compile {

// What the syntax tree knows of a __global__ function that the module has.
struct KernelFacts {
    std::string symbol;                // in the module
    std::string name;                  // "reduce<256>"
    std::vector<Parameter> parameters; // rows and uses are left for lower()
    std::uint32_t most_threads = 0;
    std::uint32_t line = 0;
    std::uint32_t launched_block[3] = {0, 0, 0};
};

struct Compiled {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module; // after the passes of clean_up(); empty when there are errors
    std::vector<SourceText> files;        // by the names that the module's debug records use
    std::vector<KernelFacts> kernels;
    std::vector<KernelTemplate> templates; // without locations: those are at the same index in
    std::vector<Location> template_places; // which the worker adds to the program's
    std::vector<Diagnostic> diagnostics;
    std::vector<TextRange> host_code;
};

// Passes after which the module is what is shown, run and instrumented: calls of our headers inlined, locals in registers,
// what is dead gone, neighbouring loads and stores of a vector made one. Loops stay loops.
void clean_up(llvm::Module& module);

// Throws CompileError, naming the line, on what the machine cannot run at all. What only some path may reach becomes a
// trap there, so that a file is refused for what it does and not for what it has.
Program lower(const Compiled& compiled);

// PTX of a module that lower() has lowered, which it uses up. Where that cannot be, DeviceCode::problem says why.
DeviceCode device_code(Compiled& compiled, const Program& program, const Request& request);

} // namespace warptree::compile
