// memcpy, memmove and memset: loads and stores of what they copy where that is little and known, else one instruction.
#pragma once

#include "app/compile/lower_address.hpp"

#include <llvm/IR/IntrinsicInst.h>

namespace warptree::compile::lowering {

void lower_copy(Body& body, const llvm::MemTransferInst& it);
void lower_fill(Body& body, const llvm::MemSetInst& it);

} // namespace warptree::compile::lowering
