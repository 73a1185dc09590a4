#include "app/compile/lower/clock_marks.hpp"

#include "app/compile/lower/address_space.hpp"
#include "app/compile/lower/device_clock_text.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/locations.hpp"
#include "app/compile/program/device_clock.hpp"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

namespace warptree::compile {
namespace {

constexpr unsigned kLineBits = 20;

// Whether it accesses memory that other threads may see, or another lane's value.
bool touches(const llvm::Instruction& instruction) {
    const auto outside = [](const llvm::Value* pointer) {
        const llvm::Value* object = pointer->stripPointerCasts()->stripInBoundsOffsets();
        return pointer->getType()->getPointerAddressSpace() != kLocalSpace && !llvm::isa<llvm::AllocaInst>(object);
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return outside(load->getPointerOperand());
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return outside(store->getPointerOperand());
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
        return outside(copy->getRawDest()) || outside(copy->getRawSource());
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) return outside(fill->getRawDest());
    if (llvm::isa<llvm::AtomicRMWInst>(instruction) || llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) return true;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || lowering::is_block_barrier(*call)) return false;
    if (call->isInlineAsm()) return call->mayHaveSideEffects();
    if (lowering::known(*call) == lowering::Known::shuffle) return true;
    const llvm::StringRef name = call->getCalledFunction() == nullptr ? "" : call->getCalledFunction()->getName();
    for (const char* prefix : {"shfl.", "vote.", "match.", "redux.", "ldg.", "ldu.", "atomic."})
        if (name.starts_with(std::string("llvm.nvvm.") + prefix)) return true;
    return false;
}

std::vector<llvm::Function*> own_functions(llvm::Module& module) {
    std::vector<llvm::Function*> all;
    for (llvm::Function& function : module)
        if (!function.isDeclaration() && lowering::known(function) == lowering::Known::none) all.push_back(&function);
    return all;
}

std::vector<llvm::Instruction*> instructions_of(llvm::Function& function) {
    std::vector<llvm::Instruction*> all;
    for (llvm::Instruction& instruction : llvm::instructions(function)) all.push_back(&instruction);
    return all;
}

} // namespace

void mark_lines(Compiled& compiled, const std::vector<std::uint32_t>& lines) {
    Program scratch;
    lowering::Locations locations(compiled, scratch);
    llvm::Module& module = *compiled.module;
    llvm::LLVMContext& context = module.getContext();
    llvm::Function* const mask = llvm::Intrinsic::getDeclaration(&module, llvm::Intrinsic::nvvm_activemask);
    llvm::Function* const sync = llvm::Intrinsic::getDeclaration(&module, llvm::Intrinsic::nvvm_bar_warp_sync);
    for (llvm::Function* function : own_functions(module)) {
        const llvm::BasicBlock* block = nullptr;
        // Lines in this block since its last barrier, and the calls through which they were inlined.
        std::vector<std::pair<std::uint32_t, const llvm::DILocation*>> met;
        for (llvm::Instruction* instruction : instructions_of(*function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
            if (instruction->getParent() != block || (call != nullptr && lowering::is_block_barrier(*call)))
                met.clear();
            block = instruction->getParent();
            if (!touches(*instruction)) continue;
            const Location& at = scratch.locations[locations.of(instruction->getDebugLoc().get())];
            const std::uint32_t line = at.file << kLineBits | at.line;
            const std::pair<std::uint32_t, const llvm::DILocation*> visit{
                line, instruction->getDebugLoc() ? instruction->getDebugLoc()->getInlinedAt() : nullptr};
            if (at.line == 0 || std::find(met.begin(), met.end(), visit) != met.end()) continue;
            met.push_back(visit);
            if (!lines.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) continue;
            // After the access: only then does the machine know which step it belongs to.
            llvm::IRBuilder<> behind(instruction->getNextNode());
            behind.SetCurrentDebugLocation(instruction->getDebugLoc());
            llvm::CallInst* const mark = behind.CreateCall(sync, {behind.CreateCall(mask)});
            mark->setMetadata(lowering::kMark,
                              llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(behind.getInt32(line))));
        }
    }
}

std::string clock_marks(Compiled& compiled) {
    llvm::Module& module = *compiled.module;
    const std::vector<llvm::Function*> functions = own_functions(module);
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> text = llvm::parseAssemblyString(kDeviceClockText, error, module.getContext());
    if (text == nullptr) return "the clock's own code: " + error.getMessage().str();
    text->setIsNewDbgInfoFormat(module.IsNewDbgInfoFormat);
    text->setDataLayout(module.getDataLayout());
    text->setTargetTriple(module.getTargetTriple());
    if (llvm::Linker::linkModules(module, std::move(text), llvm::Linker::None))
        return "the clock's own code cannot be linked";
    llvm::Function* const begins = module.getFunction("warptree_begins");
    llvm::Function* const ends = module.getFunction("warptree_ends");
    llvm::Function* const mark = module.getFunction("warptree_mark");
    const auto reads = [&](llvm::IRBuilder<>& at, ClockKind kind, std::uint64_t line) {
        at.CreateCall(mark, {at.getInt64(line | static_cast<std::uint64_t>(kind) << 32)});
    };
    for (llvm::Function* function : functions) {
        const bool kernel = std::any_of(compiled.kernels.begin(), compiled.kernels.end(),
                                        [&](const KernelFacts& k) { return k.symbol == function->getName(); });
        for (llvm::Instruction* instruction : instructions_of(*function)) {
            llvm::IRBuilder<> before(instruction);
            before.SetCurrentDebugLocation(instruction->getDebugLoc());
            auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
            if (llvm::isa<llvm::ReturnInst>(instruction) && kernel) {
                before.CreateCall(ends);
            } else if (call != nullptr && lowering::is_block_barrier(*call)) {
                reads(before, ClockKind::barrier_reached, 0);
                llvm::IRBuilder<> behind(instruction->getNextNode());
                behind.SetCurrentDebugLocation(instruction->getDebugLoc());
                reads(behind, ClockKind::barrier_left, 0);
            } else if (call != nullptr && lowering::is_mark(*call)) {
                const auto* line =
                    llvm::mdconst::extract<llvm::ConstantInt>(call->getMetadata(lowering::kMark)->getOperand(0));
                auto* mask = llvm::cast<llvm::Instruction>(call->getArgOperand(0));
                llvm::IRBuilder<> first(mask->getPrevNode()); // the access or exchange
                first.SetCurrentDebugLocation(instruction->getDebugLoc());
                reads(first, ClockKind::line, line->getZExtValue());
                call->eraseFromParent();
                mask->eraseFromParent();
            }
        }
        if (kernel) {
            llvm::IRBuilder<> first(&*function->getEntryBlock().getFirstInsertionPt());
            first.CreateCall(begins);
        }
    }
    for (llvm::Function* own : {begins, ends, mark}) own->setLinkage(llvm::GlobalValue::InternalLinkage);
    return {};
}

} // namespace warptree::compile
