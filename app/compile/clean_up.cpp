// Passes after which the module is what is shown, run and instrumented. Few, so that every line and variable of the source
// is still there, and none that has been seen to end the process on odd input (instcombine has).
#include "app/compile/compiled.hpp"
#include "app/compile/compiler.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
}

namespace warptree::compile {

namespace {

// What the vectoriser asks for widths and alignments.
llvm::TargetMachine* target_machine() {
    static const std::unique_ptr<llvm::TargetMachine> machine = [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        std::string error;
        const llvm::Target* target = llvm::TargetRegistry::lookupTarget("nvptx64-nvidia-cuda", error);
        if (target == nullptr) throw CompileError("LLVM has no NVPTX target: " + error);
        return std::unique_ptr<llvm::TargetMachine>(
            target->createTargetMachine("nvptx64-nvidia-cuda", "sm_90", "+ptx78", llvm::TargetOptions(), std::nullopt));
    }();
    return machine.get();
}

// A function that no kernel calls goes with globaldce, which keeps what other modules could call. There are none.
void keep_kernels_only(llvm::Module& module) {
    llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
    if (const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations"))
        for (const llvm::MDNode* node : annotations->operands())
            if (auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)))
                kernels.insert(function);
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || kernels.contains(&function)) continue;
        if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) continue;
        function.setComdat(nullptr);
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

// 32 - 32, 1 << 5: what inlined headers leave of their arguments.
void fold_constants(llvm::Function& function) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
            if (instruction.getType()->isVoidTy() || llvm::isa<llvm::PHINode>(instruction)) continue;
            llvm::Constant* folded = llvm::ConstantFoldInstruction(&instruction, layout);
            if (folded == nullptr || instruction.mayHaveSideEffects()) continue;
            instruction.replaceAllUsesWith(folded);
            instruction.eraseFromParent();
        }
}

// A phi of the value that was expected, where the exchange succeeded, and of the value found, where it failed, is the value
// found: the same bits. C's compare and exchange is written so; CUDA's atomicCAS parts no lanes.
void simplify_exchanges(llvm::Function& function) {
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instruction : block) {
            auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
            if (exchange == nullptr || branch == nullptr || !branch->isConditional()) continue;
            auto* success = llvm::dyn_cast<llvm::ExtractValueInst>(branch->getCondition());
            if (success == nullptr || success->getAggregateOperand() != exchange || success->getIndices()[0] != 1)
                continue;
            llvm::BasicBlock *done = branch->getSuccessor(0), *failed = branch->getSuccessor(1);
            if (failed->getSingleSuccessor() != done || failed->getSinglePredecessor() != &block ||
                failed->size() != 1 || !done->hasNPredecessors(2))
                continue;
            const auto is_found = [&](const llvm::Value* value) {
                auto* found = llvm::dyn_cast<llvm::ExtractValueInst>(value);
                return found != nullptr && found->getAggregateOperand() == exchange && found->getIndices()[0] == 0;
            };
            bool all = true;
            for (llvm::PHINode& phi : done->phis()) {
                const llvm::Value *then = phi.getIncomingValueForBlock(&block),
                                  *otherwise = phi.getIncomingValueForBlock(failed);
                all &= then == otherwise || (then == exchange->getCompareOperand() && is_found(otherwise));
            }
            if (!all) continue;
            for (llvm::PHINode& phi : llvm::make_early_inc_range(done->phis())) {
                phi.replaceAllUsesWith(phi.getIncomingValueForBlock(failed));
                phi.eraseFromParent();
            }
            llvm::BranchInst* straight = llvm::BranchInst::Create(done, branch->getIterator());
            straight->setDebugLoc(branch->getDebugLoc());
            branch->eraseFromParent();
            failed->eraseFromParent();
            break; // the function's blocks have changed; the next one's turn comes with the next block
        }
}

} // namespace

void clean_up(llvm::Module& module) {
    module.setIsNewDbgInfoFormat(true);
    llvm::PassBuilder builder(target_machine());
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    const auto run = [&](const char* text) {
        llvm::ModulePassManager passes;
        llvm::cantFail(builder.parsePassPipeline(passes, text));
        passes.run(module, modules);
    };
    keep_kernels_only(module);
    run("always-inline,globaldce,function(sroa<preserve-cfg>)");
    for (llvm::Function& function : module) {
        fold_constants(function);
        simplify_exchanges(function);
    }
    modules.clear();
    functions.clear();
    run("function(dce,load-store-vectorizer,dce),globaldce");
}

} // namespace warptree::compile
