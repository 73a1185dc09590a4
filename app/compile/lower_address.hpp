// Addresses, and what is known of the memory there.
#pragma once

#include "app/compile/lower_body.hpp"

namespace warptree::compile::lowering {

// Of any pointer: what getelementptr instructions met so far add to a base is taken into index and offset.
Address address_of(Body& body, const llvm::Value* pointer);
// A register with the address itself.
Register materialise(Body& body, const Address& address);
void lower_address(Body& body, const llvm::GetElementPtrInst& gep);

// An access of `bytes` a scalar there. `type`: of the scalar in LLVM's eyes; its sign is found from the array.
Access access(Body& body, const llvm::Value* pointer, const Address& address, const llvm::Type* type,
              std::uint8_t count = 1);
// What the source calls an integer there, where the array's elements are as wide; else as LLVM's type has it, signed.
ValueType element_type(const Body& body, const llvm::Value* pointer, const llvm::Type* type);

// load or store of registers side by side, with what `access` says.
void emit_access(Body& body, Opcode op, const Address& address, const Access& access, Register registers);

} // namespace warptree::compile::lowering
