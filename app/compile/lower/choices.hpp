// Choices between two compared values, which are minima and maxima however they are written: a ternary, an if, an
// intermediate flag, a struct selected by one of its fields, a store only if the new value wins.
#pragma once

#include "app/compile/lower/companions.hpp"
#include "app/compile/lower/elements.hpp"
#include "app/compile/lower/flow.hpp"
#include "app/compile/lower/swaps.hpp"

#include <optional>

namespace warptree::compile::lowering {

struct Choice {
    const llvm::CmpInst* comparison = nullptr; // of two values that can be made of elements
    bool greater = false;                      // it holds if its first operand is the greater one
    const llvm::Instruction* at = nullptr;     // the select, phi or store
    bool follows = false;                      // chooses what travels with the chosen value: an index with a maximum
    std::optional<bool> greatest = {};         // passes the greater value on, or the smaller one, as the code shows
    // Of a swap where the comparison may not have been made: its values, of which the greater one is found by comparing them.
    const llvm::Value *x = nullptr, *y = nullptr;
};

// if (b < a) *p = b
struct KeptStore {
    const llvm::BasicBlock *from = nullptr, *to = nullptr; // the edge that skips the store
    const llvm::Value* pointer = nullptr;                  // to the value that is kept
    llvm::Type* type = nullptr;                            // of the value
    Choice choice;
};

struct Choices {
    Choices(const Flow& flow, const Elements& elements);

    llvm::DenseMap<const llvm::Instruction*, Choice> values; // selects, and phis where two sides join
    llvm::DenseMap<const llvm::StoreInst*, Choice> stores;
    std::vector<KeptStore> kept;

    // The choice of a pointer: a value loaded or copied through it is chosen too.
    std::optional<Choice> of_pointer(const llvm::Value* pointer) const;

  private:
    std::optional<Choice> of_condition(const llvm::Value* condition) const;
    void conditional_stores(const llvm::BranchInst& branch);
    void add(const Companions& all);
    void add(const Swap& swap);
    const Elements& elements_;
};

} // namespace warptree::compile::lowering
