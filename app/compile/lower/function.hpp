#pragma once

#include "app/compile/lower/body.hpp"

namespace warptree::compile::lowering {

// Lowers one function into Program::functions[number].
void lower_function(Unit& unit, const Unit::Wanted& wanted, std::uint32_t number);

// Its name in the source: "reduce<256, float>".
std::string source_name(const llvm::Function& function);

// Removes dead instructions and allocates rows and tag rows anew (lower_allocate.hpp). The function's edges are
// Program::edges from `first_edge` on, its loops Program::loops from `first_loop` on.
void compact(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop);

} // namespace warptree::compile::lowering
