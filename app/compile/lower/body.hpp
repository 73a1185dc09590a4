// A function being lowered: its registers, and the instructions so far.
#pragma once

#include "app/compile/lower/unit.hpp"

#include <llvm/IR/Instructions.h>

namespace warptree::compile::lowering {

using Register = compile::Value; // rows, and the tag row beside them

// Where a load or store goes: base + index * scale + offset.
struct Address {
    Register base = {}, index = {};
    Access::Index kind = Access::Index::none;
    std::uint32_t scale = 1;
    std::int64_t offset = 0;
    std::uint16_t tag = 0; // of an index that is made of elements
};

struct Body {
    Body(Unit& unit, llvm::Function& function, std::uint32_t number, Plan plan);

    // Registers.
    Register fresh(std::uint8_t rows, bool tagged = false);
    Register constant(std::uint64_t bits, std::uint8_t rows = 1);
    Register of(const llvm::Value* value, std::size_t scalar = 0);
    bool has(const llvm::Value* value) const; // lowered already, or a constant
    void set(const llvm::Value* value, std::size_t scalar, Register to);
    void set(const llvm::Value* value, Register to) { set(value, 0, to); }
    // New adjacent registers for all scalars of a value; with tags if the analysis says so.
    void define(const llvm::Value* value);
    // Adjacent registers with these values; the same ones if they already are adjacent.
    Register side_by_side(llvm::ArrayRef<Register> values);
    std::size_t count(const llvm::Value* value) { return unit.types.count(value->getType()); }
    llvm::Type* type_of(const llvm::Value* value, std::size_t scalar) {
        return unit.types.scalars(value->getType())[scalar].type;
    }

    // Instructions, at `location`.
    Instruction& emit(Opcode op);
    // A new register with the operation's result; it has a tag if an operand has one, and is a combine if both have.
    Register compute(Opcode op, std::uint8_t rows, Register a, Register b = {}, Register c = {});
    // Likewise, with an immediate as b or c.
    Register compute_with(Opcode op, std::uint8_t rows, Register a, std::uint32_t number);
    Register special(Special which);
    // The low `bits` bits of a register; a no-op if it has no more.
    Register keep_low(Register a, unsigned bits);
    // The low `bits` bits, sign-extended to the whole register.
    Register sign_low(Register a, unsigned bits);
    Register resize(Register a, std::uint8_t rows); // zero-extends or truncates
    Register if_else(Register condition, Register then, Register otherwise);
    // Emits a trap, which ends the basic block.
    void trap(const std::string& why);
    // Index in Program::selections of a choice made at this instruction; follower: the type of a value that travels with
    // the chosen one.
    std::uint32_t selection_of(const Choice& choice, const llvm::Instruction& at, ValueType follower);

    Unit& unit;
    Program& program;
    llvm::Function& function;
    std::uint32_t number;
    const FunctionFacts& facts;
    Plan plan;
    FunctionCode code;
    std::uint32_t location = 0;
    const llvm::DILocation* debug_location = nullptr;      // of the instruction that is being lowered
    bool ended = false;                                    // the basic block has its terminator
    bool places = false;                                   // the current instruction only computes an address
    bool maps = false;                                     // the current instruction applies no operator to elements
    std::uint16_t stage = 0;                               // kStage while combines belong to a step of a tree
    ValueType combine_type = ValueType::none;              // of the current combine
    llvm::DenseMap<const llvm::Value*, Address> addresses; // of address computations lowered so far
    llvm::DenseMap<const llvm::Value*, std::uint32_t> local_arrays; // in Program::locals, by alloca lowered so far
    llvm::DenseMap<const llvm::CallBase*, std::uint16_t> flags;     // by ballot: the tags of its lanes' flags

  private:
    Register& slot(const llvm::Value* value, std::size_t scalar);
    std::uint32_t first_number_;
    std::vector<Register> registers_;
    llvm::DenseMap<std::pair<std::uint64_t, std::uint32_t>, Register> constants_;
};

// Each lowers the instructions it supports and returns whether it did.
bool lower_arithmetic(Body& body, const llvm::Instruction& instruction);
bool lower_memory(Body& body, const llvm::Instruction& instruction);
bool lower_atomic(Body& body, const llvm::Instruction& instruction);
bool lower_call(Body& body, const llvm::CallBase& call);
bool lower_intrinsic(Body& body, const llvm::CallBase& call);                  // llvm.*, except llvm.nvvm.*
bool lower_math(Body& body, const llvm::CallBase& call, llvm::StringRef name); // __nv_*
bool lower_nvvm(Body& body, const llvm::CallBase& call);
bool lower_nvvm_math(Body& body, const llvm::CallBase& call, llvm::StringRef name); // without "llvm.nvvm."
void lower_assembly(Body& body, const llvm::CallBase& call);

} // namespace warptree::compile::lowering
