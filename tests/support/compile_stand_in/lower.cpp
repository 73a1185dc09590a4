// In place of the lowering, until that is there: kernels by name.
#include "app/compile/compiled.hpp"

#include <llvm/Passes/PassBuilder.h>

namespace warptree::compile {

void clean_up(llvm::Module& module) {
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes;
    llvm::cantFail(builder.parsePassPipeline(passes, "always-inline,function(sroa<preserve-cfg>,dce),globaldce"));
    passes.run(module, modules);
}

Program lower(const Compiled& compiled) {
    Program program;
    program.files = compiled.files;
    program.locations.emplace_back();
    program.templates = compiled.templates;
    program.diagnostics = compiled.diagnostics;
    for (const KernelFacts& kernel : compiled.kernels) program.kernels.emplace_back().name = kernel.name;
    return program;
}

} // namespace warptree::compile
