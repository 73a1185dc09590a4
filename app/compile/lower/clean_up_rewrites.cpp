#include "app/compile/lower/clean_up_rewrites.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <optional>

namespace warptree::compile {

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

namespace {

void have_inlined(llvm::Function& function) {
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
}

} // namespace

void inline_swaps(llvm::Module& module) {
    constexpr std::size_t kMost = 60; // instructions
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || !function.getReturnType()->isVoidTy() || function.hasAddressTaken() ||
            function.getCallingConv() == llvm::CallingConv::PTX_Kernel || function.size() != 1 ||
            function.getInstructionCount() > kMost)
            continue;
        std::size_t stores = 0; // but to its own variables
        bool calls = false;
        for (const llvm::Instruction& i : llvm::instructions(function)) {
            auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
            stores += store != nullptr && !llvm::isa<llvm::AllocaInst>(store->getPointerOperand()) ? 1 : 0;
            calls |= llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::DbgInfoIntrinsic>(i);
        }
        if (stores == 2 && !calls) have_inlined(function);
    }
}

void inline_predicates(llvm::Module& module) {
    constexpr std::size_t kMost = 100; // instructions
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || !function.getReturnType()->isIntegerTy(1) || function.hasAddressTaken() ||
            function.getInstructionCount() > kMost)
            continue;
        const auto harmless = [](const llvm::Instruction& i) {
            auto* store = llvm::dyn_cast<llvm::StoreInst>(&i); // of a parameter
            return store != nullptr ? llvm::isa<llvm::AllocaInst>(store->getPointerOperand())
                                    : (!i.mayWriteToMemory() && !llvm::isa<llvm::CallBase>(i)) ||
                                          llvm::isa<llvm::DbgInfoIntrinsic>(i);
        };
        if (!llvm::all_of(llvm::instructions(function), harmless)) continue;
        have_inlined(function);
    }
}

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

// A phi of the expected value (on success) and the value found (on failure) is always the value found: on success they
// are equal.
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
            break; // the function's blocks have changed; go on with the next one
        }
}

namespace {

struct Field {
    std::uint64_t offset = 0;
    llvm::Type* type = nullptr;
};

// The struct as described by Clang: offset, size and type of each field.
std::vector<Field> fields_of(const llvm::MemCpyInst& copy, std::uint64_t size) {
    const llvm::MDNode* node = copy.getMetadata(llvm::LLVMContext::MD_tbaa_struct);
    std::vector<Field> fields;
    for (unsigned i = 0; node != nullptr && i + 2 < node->getNumOperands(); i += 3) {
        const auto number = [&](unsigned k) {
            return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(k))->getZExtValue();
        };
        const std::uint64_t bytes = number(i + 1);
        if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || number(i) + bytes > size) return {};
        llvm::Type* type = llvm::Type::getIntNTy(copy.getContext(), static_cast<unsigned>(bytes * 8));
        const auto* access = llvm::dyn_cast<llvm::MDNode>(node->getOperand(i + 2));
        const auto* scalar = access != nullptr && access->getNumOperands() > 1
                                 ? llvm::dyn_cast_or_null<llvm::MDNode>(access->getOperand(1))
                                 : nullptr;
        const auto* name = scalar != nullptr && scalar->getNumOperands() > 0
                               ? llvm::dyn_cast_or_null<llvm::MDString>(scalar->getOperand(0))
                               : nullptr;
        if (name != nullptr && name->getString() == "float" && bytes == 4)
            type = llvm::Type::getFloatTy(copy.getContext());
        if (name != nullptr && name->getString() == "double" && bytes == 8)
            type = llvm::Type::getDoubleTy(copy.getContext());
        if (name != nullptr && name->getString() == "any pointer" && bytes == 8)
            type = llvm::PointerType::get(copy.getContext(), 0);
        fields.push_back({number(i), type});
    }
    return fields;
}

constexpr std::uint64_t kMostBytes = 64;

} // namespace

void copy_by_fields(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
        auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
        if (copy == nullptr || copy->isVolatile()) continue;
        auto* size = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
        if (size == nullptr || size->getZExtValue() > kMostBytes) continue;
        const std::vector<Field> fields = fields_of(*copy, size->getZExtValue());
        if (fields.empty()) continue;
        llvm::IRBuilder<> builder(copy);
        const auto at = [&](llvm::Value* base, std::uint64_t offset) {
            return offset == 0 ? base : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
        };
        std::vector<llvm::Value*> values;
        for (const Field& field : fields)
            values.push_back(
                builder.CreateAlignedLoad(field.type, at(copy->getRawSource(), field.offset),
                                          llvm::commonAlignment(copy->getSourceAlign().valueOrOne(), field.offset)));
        for (std::size_t i = 0; i < fields.size(); ++i)
            builder.CreateAlignedStore(values[i], at(copy->getRawDest(), fields[i].offset),
                                       llvm::commonAlignment(copy->getDestAlign().valueOrOne(), fields[i].offset));
        copy->eraseFromParent();
    }
}

namespace {

// The instructions of the block that the value is computed by, operands first; false: one of them must stay there.
bool only_computes(llvm::Value* value, const llvm::BasicBlock& block,
                   llvm::SmallVectorImpl<llvm::Instruction*>& found) {
    constexpr std::size_t kMost = 16;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || instruction->getParent() != &block || llvm::is_contained(found, instruction))
        return true;
    if (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::CallBase>(instruction) ||
        instruction->mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(instruction) ||
        found.size() >= kMost)
        return false;
    for (llvm::Value* operand : instruction->operands())
        if (!only_computes(operand, block, found)) return false;
    found.push_back(instruction);
    return true;
}

// Whether all that the instructions need from elsewhere is known at the block's end.
bool known_at(const llvm::BasicBlock& block, llvm::ArrayRef<llvm::Instruction*> instructions,
              const llvm::DominatorTree& dominators) {
    for (const llvm::Instruction* instruction : instructions)
        for (const llvm::Value* operand : instruction->operands())
            if (auto* made = llvm::dyn_cast<llvm::Instruction>(operand);
                made != nullptr && !llvm::is_contained(instructions, made) &&
                !dominators.dominates(made, block.getTerminator()))
                return false;
    return true;
}

} // namespace

bool skips_to(const llvm::BasicBlock* block, const llvm::BasicBlock& join) {
    return block == &join || (block->size() == 1 && block->getSingleSuccessor() == &join);
}

const llvm::BasicBlock* before_that_skips(const llvm::BasicBlock& block, const llvm::BasicBlock& join) {
    const llvm::BasicBlock* above = block.getSinglePredecessor();
    auto* branch = above == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr || !branch->isConditional() || llvm::isa<llvm::Constant>(branch->getCondition()) ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
        return nullptr;
    const llvm::BasicBlock* other = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
    return skips_to(other, join) ? above : nullptr;
}

void raise_addresses(llvm::Function& function) {
    std::optional<llvm::DominatorTree> dominators;
    for (llvm::BasicBlock& block : function) {
        llvm::BasicBlock* above = block.getSinglePredecessor();
        if (above == nullptr && llvm::pred_size(&block) > 1) { // if (a || b)
            if (!dominators) dominators.emplace(function);
            const auto* node = dominators->getNode(&block);
            if (node != nullptr && node->getIDom() != nullptr) above = node->getIDom()->getBlock();
        }
        auto* branch = above == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
        if (branch == nullptr || !branch->isConditional() || block.getSingleSuccessor() == nullptr) continue;
        llvm::SmallVector<llvm::StoreInst*, 4> stores;
        for (llvm::Instruction& instruction : block)
            if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store);
        if (stores.size() < 2) continue; // nothing travels with what is stored
        for (llvm::StoreInst* store : stores) {
            llvm::SmallVector<llvm::Instruction*, 8> address;
            if (!only_computes(store->getPointerOperand(), block, address)) continue;
            llvm::Instruction* place = branch;
            for (const llvm::BasicBlock* at = above;
                 dominators && dominators->isReachableFromEntry(&block) &&
                 (at = before_that_skips(*at, *block.getSingleSuccessor())) != nullptr;)
                if (known_at(*at, address, *dominators)) place = const_cast<llvm::Instruction*>(at->getTerminator());
            for (llvm::Instruction* instruction : address) instruction->moveBefore(place);
        }
    }
}

} // namespace warptree::compile
