// What LLVM's passes run over a module with: the analysis managers of a builder, knowing one another.
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
