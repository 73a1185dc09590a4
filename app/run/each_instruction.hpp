// The instructions that a kernel may execute, for what its code says of how it is called.
#pragma once

#include "app/compile/program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warptree::runs {

// Calls f(instruction) for those of the kernel and of what it calls by name.
template <class F> void each_instruction(const compile::Program& program, const compile::Kernel& kernel, F&& f) {
    std::vector<bool> seen(program.functions.size());
    std::vector<std::uint32_t> todo{kernel.function};
    while (!todo.empty()) {
        const std::uint32_t function = todo.back();
        todo.pop_back();
        if (function >= seen.size() || seen[function]) {
            continue;
        }
        seen[function] = true;
        for (const compile::Instruction& in : program.functions[function].code) {
            if (in.op == compile::Opcode::call) {
                todo.push_back(program.calls[in.c].function);
            }
            f(in);
        }
    }
}

// Whether another value takes the place of the one that the row `dst` had.
inline bool replaces(const compile::Instruction& in) {
    return in.op != compile::Opcode::store && in.op != compile::Opcode::branch && in.op != compile::Opcode::jump;
}

// Whether an instruction compares integers by their order.
inline bool is_order(compile::Opcode op) {
    using compile::Opcode;
    constexpr std::array kOrders{Opcode::ult32, Opcode::ult64, Opcode::ule32, Opcode::ule64,
                                 Opcode::slt32, Opcode::slt64, Opcode::sle32, Opcode::sle64};
    return std::find(kOrders.begin(), kOrders.end(), op) != kOrders.end();
}

} // namespace warptree::runs
