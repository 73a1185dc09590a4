// Addresses, and what is known about the memory there.
#pragma once

#include "app/compile/lower/body.hpp"

namespace warptree::compile::lowering {

// The address of any pointer: what getelementptr instructions add to a base goes into index and offset.
Address address_of(Body& body, const llvm::Value* pointer);
// A register with the address itself.
Register materialise(Body& body, const Address& address);
void lower_address(Body& body, const llvm::GetElementPtrInst& gep);

// An access to `count` scalars there. `type`: their LLVM type; the sign comes from the array.
Access access(Body& body, const llvm::Value* pointer, const Address& address, const llvm::Type* type,
              std::uint8_t count = 1);
// The source's integer type there, if the array's elements have that width; else LLVM's type, signed.
ValueType element_type(const Body& body, const llvm::Value* pointer, const llvm::Type* type);

// Emits a load or store of adjacent registers, as `access` describes.
void emit_access(Body& body, Opcode op, const Address& address, const Access& access, Register registers);

} // namespace warptree::compile::lowering
