#include "app/compile/lower_body.hpp"

#include <llvm/IR/InlineAsm.h>

namespace warptree::compile::lowering {

void lower_assembly(Body& body, const llvm::CallBase& call) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    body.trap("inline assembly \"" + assembly->getAsmString() + "\" is not known to warptree");
}

} // namespace warptree::compile::lowering
