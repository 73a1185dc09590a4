// Lowers inline assembly: the values of its operands and registers, and the supported instructions by family.
#pragma once

#include "app/compile/lower/atomics.hpp"
#include "app/compile/lower/calls.hpp"
#include "app/compile/lower/numbers.hpp"
#include "app/compile/lower/ptx.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/InlineAsm.h>

namespace warptree::compile::lowering {

class Assembly {
  public:
    Assembly(Body& body, const llvm::CallBase& call);
    // Whether all of it is supported. Instructions before an unsupported one may already have been emitted.
    bool run();

  private:
    // The current value of a name; an unknown name makes run() fail.
    Register read(const ptx::Operand& operand, const ptx::Type& type);
    Register read(const std::string& name, const ptx::Type& type);
    void write(const ptx::Operand& operand, const ptx::Type& type, Register value);
    void write(const std::string& name, const ptx::Type& type, Register value);
    Register predicate(const ptx::Operand& operand);
    const llvm::Value* value_of(const std::string& name) const; // of the C++ operand behind a name
    std::optional<std::uint64_t> immediate(const ptx::Operand& operand) const;
    const llvm::Type* llvm_type(const ptx::Type& type) const;
    Register fitted(Register value, const ptx::Type& type); // narrow values zero-extended in their row
    bool statement(const ptx::Statement& s);

    bool arithmetic(const ptx::Statement& s, const ptx::Type& type);
    bool bit_operation(const ptx::Statement& s, const ptx::Type& type);
    bool multiply(const ptx::Statement& s, const ptx::Type& type);
    bool conversion(const ptx::Statement& s, const ptx::Type& type);
    bool comparison(const ptx::Statement& s, const ptx::Type& type);
    bool memory(const ptx::Statement& s);
    bool load(const ptx::Statement& s, const ptx::Type& type);
    bool store(const ptx::Statement& s, const ptx::Type& type);
    bool atomic(const ptx::Statement& s, const ptx::Type& type);
    bool async_copy(const ptx::Statement& s);
    bool threads(const ptx::Statement& s);
    bool barrier(const ptx::Statement& s);
    bool exchange(const ptx::Statement& s);

    Address address(const ptx::Statement& s, const ptx::Operand& operand);
    Access access_of(const ptx::Statement& s, const ptx::Operand& operand, const Address& address,
                     const ptx::Type& type, std::uint8_t count);
    Scope scope(const ptx::Statement& s) const;

    Body& body_;
    const llvm::CallBase& call_;
    struct Bound {
        Register value;
        const llvm::Value* source = nullptr; // in C++
    };
    llvm::StringMap<Bound> names_;
    std::vector<std::string> outputs_; // names of the results, in order
    bool good_ = true;
};

} // namespace warptree::compile::lowering
