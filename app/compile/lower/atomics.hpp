// One atomic operation, however it is written in the source.
#pragma once

#include "app/compile/lower/address.hpp"

namespace warptree::compile::lowering {

struct AtomicRequest {
    AtomicOperation operation = AtomicOperation::add;
    const llvm::Value* pointer = nullptr;
    const llvm::Type* type = nullptr; // of the value
    Register value = {}, expected = {};
    Scope scope = Scope::device;
    bool used = true;   // the old value is used
    bool tagged = true; // the memory can hold elements
};

// The old value; no register if it is not used.
Register emit_atomic(Body& body, const AtomicRequest& request);
Register emit_atomic(Body& body, const AtomicRequest& request, const Address& address, Access access);

// How far an atomic instruction reaches.
Scope scope_of(const llvm::Instruction& it, llvm::SyncScope::ID id);

} // namespace warptree::compile::lowering
