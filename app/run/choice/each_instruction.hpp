// The instructions that a kernel may execute, for what its code says of how it is called.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/compile/program/shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace warptree::runs {

// Calls f(function) for the kernel's and those that it calls by name.
template <class F> void each_function(const compile::Program& program, const compile::Kernel& kernel, F&& f) {
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
        }
        f(program.functions[function]);
    }
}

// Calls f(instruction) for those of these functions.
template <class F> void each_instruction(const compile::Program& program, const compile::Kernel& kernel, F&& f) {
    each_function(program, kernel,
                  [&](const compile::FunctionCode& code) { std::for_each(code.code.begin(), code.code.end(), f); });
}

// The rows that hold some values while a function's instructions are read from the first on: rows are used again.
class HeldRows {
  public:
    explicit HeldRows(const std::set<std::uint32_t>& rows = {}) {
        for (const std::uint32_t row : rows) {
            add(row);
        }
    }
    bool has(std::uint32_t row) const { return row < held_.size() && held_[row]; }
    void add(std::uint32_t row) {
        if (row != compile::kNone) {
            held_.resize(std::max<std::size_t>(held_.size(), std::size_t{row} + 1));
            held_[row] = true;
        }
    }
    // Whether some were not yet held.
    bool add(const HeldRows& others) {
        bool more = false;
        held_.resize(std::max(held_.size(), others.held_.size()));
        for (std::size_t row = 0; row < others.held_.size(); ++row) {
            more = more || (others.held_[row] && !held_[row]);
            held_[row] = held_[row] || others.held_[row];
        }
        return more;
    }
    void set(std::uint32_t row, bool holds) {
        if (holds) {
            add(row);
        } else {
            remove(row);
        }
    }
    // After a move along an edge.
    void after(const compile::Move& move) {
        if (has(move.src)) {
            add(move.dst);
        } else {
            remove(move.dst);
        }
    }
    // After an instruction. makes: its result is one of the values.
    void after(const compile::Instruction& in, bool makes) {
        if (makes) {
            add(in.dst);
        } else if (in.op != compile::Opcode::store) { // whose dst is what it stores
            remove(in.dst);
        }
    }

  private:
    void remove(std::uint32_t row) {
        if (row < held_.size()) {
            held_[row] = false;
        }
    }
    std::vector<bool> held_; // by row
};

// Whether it only moves an integer, or makes it wider.
inline bool moves_a_number(compile::Opcode op) {
    using compile::Opcode;
    return op == Opcode::sext64 || op == Opcode::zext64 || op == Opcode::mov32 || op == Opcode::mov64;
}

// Calls f(move) for what a jump or branch moves along its edges.
template <class F> void for_each_move(const compile::Program& program, const compile::Instruction& in, F&& f) {
    compile::for_each_edge(program, in, [&](const compile::Edge& edge) {
        for (std::uint32_t m = 0; m < edge.move_count; ++m) {
            f(program.moves[edge.first_move + m]);
        }
    });
}

// Whether a number that the kernel is told is used for anything, as far as its own code shows; a call may use it.
inline bool is_used(const compile::Program& program, const compile::Kernel& kernel,
                    const compile::Parameter& parameter) {
    using compile::Opcode;
    if (parameter.row == compile::kNone) {
        return false;
    }
    bool held = true; // until another value has its row
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        bool reads = false, writes = false;
        const auto note = [&](std::uint32_t row, unsigned, compile::Use use) {
            (use == compile::Use::read ? reads : writes) |= row == parameter.row;
        };
        compile::for_each_row(program, in, note);
        for_each_move(program, in, [&](const compile::Move& move) {
            note(move.src, 1U, compile::Use::read);
            note(move.dst, 1U, compile::Use::write);
        });
        if (in.op == Opcode::call || (held && reads && in.op != Opcode::ret && in.op != Opcode::watch)) {
            return true;
        }
        held = held && !writes;
    }
    return false;
}

// Whether an instruction compares integers by their order.
inline bool is_order(compile::Opcode op) {
    using compile::Opcode;
    constexpr std::array kOrders{Opcode::ult32, Opcode::ult64, Opcode::ule32, Opcode::ule64,
                                 Opcode::slt32, Opcode::slt64, Opcode::sle32, Opcode::sle64};
    return std::find(kOrders.begin(), kOrders.end(), op) != kOrders.end();
}

} // namespace warptree::runs
