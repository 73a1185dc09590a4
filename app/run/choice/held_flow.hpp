// What rows hold where a function's code leads from block to block, as rows are used again for other values.
#pragma once

#include "app/run/choice/each_instruction.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace warptree::runs {

// Calls f(held, instruction, settled) for every instruction that can be reached: f says what the rows hold after it. At first
// they hold what was found so far, as ways through the code are followed; in the end once each what they may hold on any of
// them: settled, and only then may f judge. entry: what they hold where the function begins.
template <std::size_t N, class F>
void follow_rows(const compile::Program& program, const compile::FunctionCode& code, std::array<HeldRows, N> entry,
                 F&& f) {
    std::vector<std::array<HeldRows, N>> begins(code.blocks.size());
    std::vector<bool> reached(code.blocks.size());
    std::vector<std::size_t> todo;
    if (!code.blocks.empty()) {
        begins[0] = std::move(entry);
        reached[0] = true;
        todo.push_back(0);
    }
    const auto walk = [&](std::size_t number, bool settled) {
        const compile::Block& block = code.blocks[number];
        std::array<HeldRows, N> held = begins[number];
        for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
            const compile::Instruction& in = code.code[i];
            f(held, in, settled);
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
    };
    while (!todo.empty()) {
        const std::size_t next = todo.back();
        todo.pop_back();
        walk(next, false);
    }
    for (std::size_t number = 0; number < code.blocks.size(); ++number) {
        if (reached[number]) {
            walk(number, true);
        }
    }
}

} // namespace warptree::runs
