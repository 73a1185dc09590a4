// The source's variables: their values and where these are, and with that the source types of values.
#pragma once

#include "app/compile/lower_body.hpp"

#include <llvm/IR/DebugProgramInstruction.h>

namespace warptree::compile::lowering {

class Variables {
  public:
    explicit Variables(const llvm::Function& function);

    // Number in Program::variables; kNone where the source has no scalar type for it.
    std::uint32_t number(Body& body, const llvm::DILocalVariable* variable);
    // The variable that a value is first given to; nullptr: none.
    const llvm::DILocalVariable* of(const llvm::Value* value) const { return named_.lookup(value); }
    // Emits the variables' new values from here on: from the debug records before the instruction.
    void watch(Body& body, const llvm::Instruction& before);

  private:
    llvm::DenseMap<const llvm::Value*, const llvm::DILocalVariable*> named_;
    llvm::DenseMap<const llvm::DILocalVariable*, std::uint32_t> numbers_;
};

// Of a scalar: float and double say it themselves, an integer's sign comes from a variable or array it goes through.
ValueType source_type(const Body& body, const Variables& variables, const llvm::Value* value, int depth = 4);

} // namespace warptree::compile::lowering
