// The control flow of one function as the machine wants it: blocks by number, where parted lanes meet, loops.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace warptree::compile::lowering {

struct Flow {
    explicit Flow(llvm::Function& function);

    std::vector<llvm::BasicBlock*> blocks; // those that are reached, before what they dominate
    llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> number;
    std::vector<std::uint32_t> meet; // by block; compile::kNone: where the function returns
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;

    // The immediate dominator's two-way branch, where its sides meet in this block and nowhere before; else nullptr.
    const llvm::BranchInst* branch_joined_by(const llvm::BasicBlock* block) const;

  private:
    void find_meets();
};

// Where a conditional branch on a constant goes anyway; nullptr: it depends.
llvm::BasicBlock* only_successor(const llvm::BranchInst& branch);

} // namespace warptree::compile::lowering
