// Rewrites of our own among the passes of clean_up().
#pragma once

#include <llvm/IR/Module.h>

namespace warptree::compile {

// Makes functions internal, as there are no other modules, so that globaldce removes those that no kernel calls.
void keep_kernels_only(llvm::Module& module);
// Has functions inlined that only say yes or no, as one that compares two records does: what is chosen by it is then seen.
void inline_predicates(llvm::Module& module);
// The same of functions that do nothing but store to two places, as swap(a, b) does.
void inline_swaps(llvm::Module& module);
// Folds constants such as 32 - 32 and 1 << 5, which inlined headers leave behind.
void fold_constants(llvm::Function& function);
// Removes the branch by which C's compare-and-exchange stores the value found; CUDA's atomicCAS has none.
void simplify_exchanges(llvm::Function& function);
// Computes the addresses of a conditional block's stores before the branch, if that can do no harm: where the stores are
// skipped, it is then known what is kept there.
void raise_addresses(llvm::Function& function);
// Whether the block is `join`, or only goes there.
bool skips_to(const llvm::BasicBlock* block, const llvm::BasicBlock& join);
// The reachable block's only predecessor, if it branches either there or past what follows, to `join`; else null.
const llvm::BasicBlock* before_that_skips(const llvm::BasicBlock& block, const llvm::BasicBlock& join);
// Copies of small structs field by field, so that a local struct with one changed field still goes into registers.
void copy_by_fields(llvm::Function& function);

} // namespace warptree::compile
