// What rows hold where a function's code leads from block to block, as rows are used again for other values.
#pragma once

#include "app/run/each_instruction.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace warptree::runs {

// Calls f(held, instruction), which says what the rows hold after it, for every instruction that can be reached, with what they may
// hold before it on any way there; more than once, as more ways are found. entry: what they hold where the function begins.
template <std::size_t N, class F>
void follow_rows(const compile::Program& program, const compile::FunctionCode& code, std::array<HeldRows, N> entry,
                 F&& f) {
    std::vector<std::array<HeldRows, N>> begins(code.blocks.size());
    std::vector<bool> reached(code.blocks.size());
    std::vector<std::uint32_t> todo;
    if (!code.blocks.empty()) {
        begins[0] = std::move(entry);
        reached[0] = true;
        todo.push_back(0);
    }
    while (!todo.empty()) {
        const compile::Block& block = code.blocks[todo.back()];
        std::array<HeldRows, N> held = begins[todo.back()];
        todo.pop_back();
        for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
            const compile::Instruction& in = code.code[i];
            f(held, in);
            compile::for_each_edge(program, in, [&](const compile::Edge& edge) {
                bool more = !reached[edge.block];
                for (std::size_t k = 0; k < N; ++k) {
                    HeldRows after = held[k];
                    for (std::uint32_t m = 0; m < edge.move_count; ++m) { // all at once
                        const compile::Move& move = program.moves[edge.first_move + m];
                        after.set(move.dst, held[k].has(move.src));
                    }
                    more = begins[edge.block][k].add(after) || more;
                }
                if (more) {
                    reached[edge.block] = true;
                    todo.push_back(edge.block);
                }
            });
        }
    }
}

} // namespace warptree::runs
