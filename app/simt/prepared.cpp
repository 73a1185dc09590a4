#include "app/simt/prepared.hpp"

#include <algorithm>

namespace warptree::simt {

Prepared::Prepared(const compile::Program& program) : program_(program), functions_(program.functions.size()) {
    std::uint32_t statements = 0;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        functions_[f].first_statement = statements;
        statements += static_cast<std::uint32_t>(program.functions[f].statements.size());
        const compile::FunctionCode& code = program.functions[f];
        functions_[f].block_of.resize(code.code.size());
        for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
            const compile::Block& block = code.blocks[b];
            std::fill_n(functions_[f].block_of.begin() + block.first, block.count, b);
            std::uint32_t loop = block.loop;
            while (loop != compile::kNone && !program.loops[loop].stage) {
                loop = program.loops[loop].parent;
            }
            functions_[f].stage_loop.push_back(loop);
        }
    }
    small_shared_ = std::any_of(program.accesses.begin(), program.accesses.end(), [](const compile::Access& a) {
        return a.bytes < 4 && (a.space == compile::Space::shared || a.space == compile::Space::unknown);
    });
}

bool Prepared::within(std::uint32_t inner, std::uint32_t outer) const {
    while (inner != compile::kNone && inner != outer) {
        inner = program_.loops[inner].parent;
    }
    return inner == outer;
}

} // namespace warptree::simt
