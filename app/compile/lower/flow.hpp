// The control flow of one function for the machine: blocks by number, reconvergence points, loops.
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

    std::vector<llvm::BasicBlock*> blocks; // reachable ones, before those that they dominate
    llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> number;
    std::vector<std::uint32_t> reconverge; // by block; compile::kNone: where the function returns
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;

    // The immediate dominator's two-way branch, if its sides reconverge at this block; else nullptr.
    const llvm::BranchInst* branch_joined_by(const llvm::BasicBlock* block) const;

  private:
    void find_meets();
};

// The target, if the branch is unconditional, its condition is constant or its two targets are the same; else nullptr.
llvm::BasicBlock* only_successor(const llvm::BranchInst& branch);

} // namespace warptree::compile::lowering
