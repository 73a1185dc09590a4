// LLVM's analysis managers, registered with a pass builder and with one another.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace warptree::compile {

struct PassManagers {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;

    explicit PassManagers(llvm::PassBuilder& builder) {
        builder.registerModuleAnalyses(modules);
        builder.registerCGSCCAnalyses(graph);
        builder.registerFunctionAnalyses(functions);
        builder.registerLoopAnalyses(loops);
        builder.crossRegisterProxies(loops, functions, graph, modules);
    }
};

} // namespace warptree::compile
