// What an instruction does with two values made of elements, and which operands leave the other one unchanged.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/trace/record/data_flow.hpp"

#include <cstdint>

namespace warptree::simt {

struct ElementOperation {
    Operation operation = Operation::none;
    bool floating = false;
};

// none for what does not compute a value from two.
ElementOperation element_operation(compile::Opcode op);

// Whether this value, as right or left operand, leaves the other operand unchanged. `wide`: 64 bits, else 32.
bool is_identity(compile::Opcode op, ElementOperation by, std::uint64_t bits, bool right, bool wide);

// Whether the operation may only join or split 32-bit halves, which keeps the value.
bool only_packs(ElementOperation by, bool wide);

} // namespace warptree::simt
