// memcpy, memmove and memset: loads and stores if the size is small and known, else one instruction.
#pragma once

#include "app/compile/lower/address.hpp"

#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

// The scalars of a short copy or fill, in order; empty: one instruction does all of it.
struct Piece {
    std::uint64_t offset = 0;
    std::uint8_t bytes = 4, count = 1;
};
std::vector<Piece> pieces_of(const llvm::MemTransferInst& it);
std::vector<Piece> pieces_of(const llvm::MemSetInst& it);

void lower_copy(Body& body, const llvm::MemTransferInst& it);
void lower_fill(Body& body, const llvm::MemSetInst& it);

} // namespace warptree::compile::lowering
