// What is chosen together by one comparison: if (b > a) { a = b; at = i; }. The value that travels with the greater or
// smaller one, however it is written, belongs to the record of both compared values.
#pragma once

#include "app/compile/lower/flow.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <utility>
#include <vector>

namespace warptree::compile::lowering {

// One comparison, and all that is chosen by it: at least one of the compared values.
struct Companions {
    const llvm::CmpInst* comparison = nullptr;
    bool greatest = false;
    llvm::SmallVector<const llvm::Instruction*, 4> chosen;    // selects, phis and stores of the compared values
    llvm::SmallVector<const llvm::Instruction*, 4> followers; // selects, phis and stores of others
    struct Kept {                                             // an edge past a store
        const llvm::BasicBlock *from = nullptr, *to = nullptr;
        const llvm::StoreInst* store = nullptr;
    };
    llvm::SmallVector<Kept, 4> kept;
    const llvm::Value* replaced = nullptr; // pointer to the value that a chosen store replaces
};
std::vector<Companions> companions_in(const Flow& flow);

// Strips conversions between bool and integer, and negations.
const llvm::Value* without_bool(const llvm::Value* value);
// Whether a comparison with the predicate orders its operands, and holds when the first is the greater one.
bool orders(llvm::CmpInst::Predicate predicate);
bool holds_when_greater(llvm::CmpInst::Predicate predicate);
// Whether both are the same computation on the same values.
bool same(const llvm::Value* a, const llvm::Value* b, int depth = 8);
// Whether both point to one place, by whatever steps: &s[t].v, or s[t] as the first of the bytes of a copy.
bool same_address(const llvm::Value* a, const llvm::Value* b);
// The block's only store, to `address` if it is not null; null: none, or several.
const llvm::StoreInst* only_store(const llvm::BasicBlock& block, const llvm::Value* address);

} // namespace warptree::compile::lowering
