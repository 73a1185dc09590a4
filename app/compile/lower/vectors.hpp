// Instructions on structs and vectors that only rearrange scalars.
#pragma once

#include "app/compile/lower/types.hpp"

#include <llvm/IR/Instructions.h>

#include <optional>
#include <utility>

namespace warptree::compile::lowering {

// Where each scalar of the result comes from: a value and which of its scalars; nullptr: undefined. nullopt for an
// instruction that computes.
using Sources = std::vector<std::pair<const llvm::Value*, std::size_t>>;
std::optional<Sources> rearranged(const llvm::Instruction& instruction, Types& types);

} // namespace warptree::compile::lowering
