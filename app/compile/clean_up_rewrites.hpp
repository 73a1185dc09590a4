// Rewrites of our own among the passes of clean_up().
#pragma once

#include <llvm/IR/Module.h>

namespace warptree::compile {

// A function that no kernel calls goes with globaldce, which keeps what other modules could call. There are none.
void keep_kernels_only(llvm::Module& module);
// 32 - 32, 1 << 5: what inlined headers leave of their arguments.
void fold_constants(llvm::Function& function);
// C's compare and exchange branches on success to store what it found; CUDA's atomicCAS parts no lanes.
void simplify_exchanges(llvm::Function& function);
// Copies of small structs field by field, so that a local struct of which one field is changed goes into registers whole.
void copy_by_fields(llvm::Function& function);

} // namespace warptree::compile
