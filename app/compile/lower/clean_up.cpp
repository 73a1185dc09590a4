// Passes that bring the module into the form that is shown, run and instrumented. Few, so that every line and variable
// of the source survives, and none that has been seen to abort on unusual input (as instcombine has).
#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/clean_up_rewrites.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/lower/pass_managers.hpp"
#include "app/compile/lower/target.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>

namespace warptree::compile {

namespace {

// Gives the vectoriser widths and alignments.
llvm::TargetMachine* target_machine() {
    static const std::unique_ptr<llvm::TargetMachine> machine = make_target("sm_90");
    return machine.get();
}

// The vectoriser is quadratic in the size of a block.
bool few_accesses(const llvm::Function& function) {
    constexpr int kMost = 600;
    for (const llvm::BasicBlock& block : function) {
        int accesses = 0;
        for (const llvm::Instruction& instruction : block)
            accesses += llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction) ? 1 : 0;
        if (accesses > kMost) return false;
    }
    return true;
}

} // namespace

void clean_up(llvm::Module& module) {
    module.setIsNewDbgInfoFormat(true);
    llvm::PassBuilder builder(target_machine());
    PassManagers managers(builder);
    const auto run = [&](const char* text) {
        llvm::ModulePassManager passes;
        llvm::cantFail(builder.parsePassPipeline(passes, text));
        passes.run(module, managers.modules);
    };
    keep_kernels_only(module);
    inline_predicates(module);
    inline_swaps(module);
    run("always-inline,globaldce");
    for (llvm::Function& function : module) copy_by_fields(function);
    run("function(sroa<preserve-cfg>)");
    for (llvm::Function& function : module) {
        fold_constants(function);
        simplify_exchanges(function);
        raise_addresses(function);
    }
    managers.modules.clear();
    managers.functions.clear();
    llvm::FunctionPassManager join;
    llvm::cantFail(builder.parsePassPipeline(join, "load-store-vectorizer,dce"));
    run("function(dce),globaldce");
    for (llvm::Function& function : module)
        if (!function.isDeclaration() && few_accesses(function)) join.run(function, managers.functions);
}

} // namespace warptree::compile
