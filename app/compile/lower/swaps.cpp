#include "app/compile/lower/swaps.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

#include <optional>

namespace warptree::compile::lowering {

namespace {

// Whether the value was loaded from the address.
bool held_by(const llvm::Value* value, const llvm::Value* address) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    return load != nullptr && same_address(load->getPointerOperand(), address);
}

// The pair of stores of a block that exchanges two places; of several, the first.
std::optional<Swap> swap_of(const llvm::BasicBlock& block) {
    constexpr std::size_t kMost = 8; // a record's fields are swapped one by one
    llvm::SmallVector<const llvm::StoreInst*, kMost> stores;
    for (const llvm::Instruction& instruction : block)
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store);
    if (stores.size() > kMost) return std::nullopt;
    for (const llvm::StoreInst* a : stores)
        for (const llvm::StoreInst* b : stores)
            if (a->comesBefore(b) && a->getValueOperand()->getType() == b->getValueOperand()->getType() &&
                held_by(a->getValueOperand(), b->getPointerOperand()) &&
                held_by(b->getValueOperand(), a->getPointerOperand()) &&
                !same_address(a->getPointerOperand(), b->getPointerOperand()))
                return Swap{.first = a, .second = b};
    return std::nullopt;
}

// The comparisons by order that a condition depends on, through flags, words and the branches that set them.
class Comparisons {
  public:
    void of(const llvm::Value* condition, int depth = 8) {
        condition = without_bool(condition);
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(condition);
        if (instruction == nullptr || depth == 0 || !seen_.insert(instruction).second) return;
        auto* comparison = llvm::dyn_cast<llvm::CmpInst>(instruction);
        if (comparison != nullptr && !comparison->getType()->isVectorTy() && orders(comparison->getPredicate())) {
            found.push_back(comparison);
            return;
        }
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction))
            for (const llvm::BasicBlock* from : phi->blocks())
                if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
                    branch != nullptr && branch->isConditional())
                    of(branch->getCondition(), depth - 1);
        if (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::BinaryOperator>(instruction) ||
            llvm::isa<llvm::SelectInst>(instruction) || llvm::isa<llvm::CastInst>(instruction) || comparison != nullptr)
            for (const llvm::Value* operand : instruction->operands()) of(operand, depth - 1);
    }

    llvm::SmallVector<const llvm::CmpInst*, 4> found;

  private:
    llvm::SmallPtrSet<const llvm::Instruction*, 16> seen_;
};

} // namespace

std::vector<Swap> swaps_in(const Flow& flow) {
    std::vector<Swap> all;
    for (const llvm::BasicBlock* block : flow.blocks) {
        std::optional<Swap> swap = swap_of(*block);
        if (!swap || flow.loops.isLoopHeader(block)) continue;
        const auto compares = [&](const llvm::CmpInst& comparison) {
            const llvm::Value *x = comparison.getOperand(0), *y = comparison.getOperand(1);
            const llvm::Value *a = swap->first->getPointerOperand(), *b = swap->second->getPointerOperand();
            return (held_by(x, a) && held_by(y, b)) || (held_by(x, b) && held_by(y, a));
        };
        for (const llvm::BasicBlock* from : llvm::predecessors(block)) {
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
            if (branch == nullptr || !branch->isConditional()) continue;
            Comparisons its;
            its.of(branch->getCondition());
            for (const llvm::CmpInst* comparison : its.found) {
                if (!compares(*comparison)) continue;
                const bool always = flow.dominators.dominates(comparison->getParent(), block);
                if (swap->comparison == nullptr || (always && !swap->always_compared)) swap->comparison = comparison;
                swap->always_compared |= always;
                if (!flow.dominators.dominates(comparison->getParent(), from)) continue;
                const llvm::BasicBlock* to = branch->getSuccessor(branch->getSuccessor(0) == block ? 1 : 0);
                swap->past.push_back({from, to, comparison});
                break;
            }
        }
        if (swap->comparison != nullptr) all.push_back(std::move(*swap));
    }
    return all;
}

} // namespace warptree::compile::lowering
