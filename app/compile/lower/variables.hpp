// The source's variables and the values they hold, and with these the source types of values.
#pragma once

#include "app/compile/lower/body.hpp"

#include <llvm/IR/DebugProgramInstruction.h>

namespace warptree::compile::lowering {

class Variables {
  public:
    explicit Variables(const llvm::Function& function);

    // Number in Program::variables; kNone if it has no scalar type in the source.
    std::uint32_t number(Body& body, const llvm::DILocalVariable* variable);
    // The variable that a value is first assigned to; nullptr: none.
    const llvm::DILocalVariable* of(const llvm::Value* value) const { return named_.lookup(value); }
    // Emits a watch for each variable that a debug record before the instruction gives a new value.
    void watch(Body& body, const llvm::Instruction& before);

  private:
    llvm::DenseMap<const llvm::Value*, const llvm::DILocalVariable*> named_;
    llvm::DenseMap<const llvm::DILocalVariable*, std::uint32_t> numbers_;
};

// A scalar's type in the source; an integer's sign comes from a variable or array that it passes through.
ValueType source_type(const Body& body, const Variables& variables, const llvm::Value* value, int depth = 4);

} // namespace warptree::compile::lowering
