// Where a comparison decides whether two places exchange what they hold, as in every sorting network, however the condition is
// written: if ((a[i] > a[j]) == up) { int t = a[i]; a[i] = a[j]; a[j] = t; }. Afterwards one holds the minimum, the other the
// maximum.
#pragma once

#include "app/compile/lower/companions.hpp"
#include "app/compile/lower/flow.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace warptree::compile::lowering {

struct Swap {
    const llvm::StoreInst *first = nullptr, *second = nullptr; // each stores what the other's place held
    const llvm::CmpInst* comparison = nullptr;                 // of the two values: one of those in the condition
    bool always_compared = false;                              // it was made wherever the places are swapped
    struct Past { // an edge past the stores, behind a comparison of the two
        const llvm::BasicBlock *from = nullptr, *to = nullptr;
        const llvm::CmpInst* comparison = nullptr;
    };
    llvm::SmallVector<Past, 2> past{};
};
std::vector<Swap> swaps_in(const Flow& flow);

} // namespace warptree::compile::lowering
