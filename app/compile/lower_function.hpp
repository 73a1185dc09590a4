#pragma once

#include "app/compile/lower_body.hpp"

namespace warptree::compile::lowering {

// One function, into Program::functions[number].
void lower_function(Unit& unit, const Unit::Wanted& wanted, std::uint32_t number);

// What the source calls it: "reduce<256, float>".
std::string source_name(const llvm::Function& function);

// Removes dead instructions and numbers rows and tag rows without gaps. The function's edges are
// Program::edges from `first_edge` on, its loops Program::loops from `first_loop` on.
void compact(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop);

} // namespace warptree::compile::lowering
