#include "app/compile/lower/ballots.hpp"

#include "app/compile/lower/companions.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

namespace {

bool is_ballot(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee != nullptr && callee->getName().starts_with("llvm.nvvm.vote.ballot");
}

const llvm::Value* without_width(const llvm::Value* value) {
    while (llvm::isa<llvm::ZExtInst>(value) || llvm::isa<llvm::SExtInst>(value) || llvm::isa<llvm::TruncInst>(value) ||
           llvm::isa<llvm::FreezeInst>(value))
        value = llvm::cast<llvm::User>(value)->getOperand(0);
    return value;
}

void compared_by(const llvm::Value* flag, llvm::SmallVectorImpl<const llvm::Value*>& found, int depth) {
    constexpr std::size_t kMost = 32;
    flag = without_bool(flag);
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(flag);
    if (instruction == nullptr || depth == 0 || found.size() >= kMost) return;
    if (llvm::isa<llvm::CmpInst>(instruction)) {
        for (const llvm::Value* operand : instruction->operands()) {
            found.push_back(operand);
            if (llvm::isa<llvm::SelectInst>(operand) || llvm::isa<llvm::PHINode>(operand)) // flag ? 1 : 0
                compared_by(operand, found, depth - 1);
        }
        return;
    }
    found.push_back(instruction);                               // a flag that was loaded
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) // flag = a && b: false where a branched here
        for (const llvm::BasicBlock* from : phi->blocks())
            if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
                branch != nullptr && branch->isConditional() &&
                llvm::isa<llvm::Constant>(phi->getIncomingValueForBlock(from)))
                compared_by(branch->getCondition(), found, depth - 1);
    if (llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
        llvm::isa<llvm::PHINode>(instruction))
        for (const llvm::Value* operand : instruction->operands()) compared_by(operand, found, depth - 1);
}

} // namespace

std::optional<CountedBallot> counted_ballot(const llvm::Value* count) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(count);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || (callee->getIntrinsicID() != llvm::Intrinsic::ctpop && callee->getName() != "__nv_popc" &&
                              callee->getName() != "__nv_popcll"))
        return std::nullopt;
    constexpr std::size_t kMost = 8; // masks
    CountedBallot found;
    for (const llvm::Value* value = without_width(call->getArgOperand(0)); found.masks.size() <= kMost;) {
        if (auto* ballot = llvm::dyn_cast<llvm::CallBase>(value)) {
            found.ballot = ballot;
            return is_ballot(*ballot) ? std::optional(found) : std::nullopt;
        }
        auto* both = llvm::dyn_cast<llvm::BinaryOperator>(value);
        if (both == nullptr || both->getOpcode() != llvm::Instruction::And) return std::nullopt;
        const llvm::Value* sides[] = {without_width(both->getOperand(0)), without_width(both->getOperand(1))};
        const auto leads = [](const llvm::Value* side) {
            auto* made = llvm::dyn_cast<llvm::Instruction>(side);
            auto* call = llvm::dyn_cast<llvm::CallBase>(side);
            return made != nullptr &&
                   (call != nullptr ? is_ballot(*call) : made->getOpcode() == llvm::Instruction::And);
        };
        const bool first = leads(sides[0]);
        found.masks.push_back(both->getOperand(first ? 1 : 0));
        value = sides[first ? 0 : 1];
    }
    return std::nullopt;
}

llvm::SmallVector<const llvm::Value*, 4> compared_for(const llvm::CallBase& ballot) {
    llvm::SmallVector<const llvm::Value*, 4> found;
    compared_by(ballot.getArgOperand(ballot.arg_size() - 1), found, 6);
    return found;
}

} // namespace warptree::compile::lowering
