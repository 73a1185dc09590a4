// Flags that a warp gathers by a ballot and counts: popc(ballot & mask) is the sum of those of the lanes in the mask.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace warptree::compile::lowering {

// popc(ballot & mask & ...), in 32 bits or 64.
struct CountedBallot {
    const llvm::CallBase* ballot = nullptr;
    llvm::SmallVector<const llvm::Value*, 2> masks;
};
std::optional<CountedBallot> counted_ballot(const llvm::Value* count);

// What the comparisons compare of which a ballot's flag is made, those that come first in the source first.
llvm::SmallVector<const llvm::Value*, 4> compared_for(const llvm::CallBase& ballot);

} // namespace warptree::compile::lowering
