// Arithmetic on one scalar of any width that rows can hold: narrow integers and half precision are computed in 32 bits.
#pragma once

#include "app/compile/lower/body.hpp"

namespace warptree::compile::lowering {

// Whether the machine has rows for it and operations on it.
bool has_row(const llvm::Type* type);

Register integer_operation(Body& body, unsigned llvm_opcode, unsigned bits, Register a, Register b);
// `op32`: smin32, smax32, umin32 or umax32.
Register integer_choice(Body& body, Opcode op32, unsigned bits, Register a, Register b);
// `op32`: fadd32 to frem32, fmin32 or fmax32.
Register float_operation(Body& body, Opcode op32, const llvm::Type* type, Register a, Register b);
Register float_function(Body& body, Function f, const llvm::Type* type, Register a, Register b = {});
Register multiply_add(Body& body, const llvm::Type* type, Register a, Register b, Register c);
Register absolute(Body& body, const llvm::Type* type, Register a); // of a signed integer
Register negate(Body& body, const llvm::Type* type, Register a);
Register compare(Body& body, llvm::CmpInst::Predicate predicate, const llvm::Type* type, Register a, Register b);
Register cast(Body& body, llvm::Instruction::CastOps op, const llvm::Type* from, const llvm::Type* to, Register a);

// 16-bit floating-point numbers as 32-bit ones and back; others unchanged.
Register widen(Body& body, const llvm::Type* type, Register a);
Register rounded(Body& body, const llvm::Type* type, Register a);

// The same bits as scalars of other widths: two floats as a double, a word as two halves.
std::vector<Register> repack(Body& body, llvm::ArrayRef<Register> from, unsigned from_bits, unsigned to_bits);

inline Opcode wide(Opcode op32) { return static_cast<Opcode>(static_cast<int>(op32) + 1); }
inline Opcode by_width(Opcode op32, std::uint8_t rows) { return rows == 2 ? wide(op32) : op32; }

} // namespace warptree::compile::lowering
