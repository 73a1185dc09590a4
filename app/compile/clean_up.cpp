#include "app/compile/compiled.hpp"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>

namespace warptree::compile {

void clean_up(llvm::Module& module) {
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    llvm::ModulePassManager passes;
    llvm::cantFail(builder.parsePassPipeline(passes, "always-inline,function(sroa<preserve-cfg>,dce),globaldce"));
    passes.run(module, modules);
}

} // namespace warptree::compile
