// A function's loops in Program::loops, and the edges on which their iterations begin and end.
#pragma once

#include "app/compile/lower/combines.hpp"
#include "app/compile/lower/variables.hpp"

namespace warptree::compile::lowering {

class LoopTable {
  public:
    // Adds the loops to Program::loops, outer ones first. Their rows are those of header phis, which must be defined.
    LoopTable(Body& body, const FunctionFacts& facts, const Plan& plan, Variables& variables);

    std::uint32_t innermost(const llvm::BasicBlock* block) const;
    // The loop of which an iteration begins on this edge, the innermost if there are several; kNone: none.
    std::uint32_t begins(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;
    // The outermost loop that the edge leaves.
    std::uint32_t ends(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

  private:
    void find_tests(const llvm::Loop& loop);
    void find_variable(Body& body, const llvm::Loop& loop, Loop& made, Variables& variables) const;

    const FunctionFacts& facts_;
    std::set<const llvm::Instruction*> working_; // instructions that combine
    llvm::DenseMap<const llvm::Loop*, std::uint32_t> numbers_;
    // Blocks at the beginning of a loop that only test whether there is another iteration. Empty: the header is part of
    // the body.
    llvm::DenseMap<const llvm::Loop*, std::set<const llvm::BasicBlock*>> tests_;
};

} // namespace warptree::compile::lowering
