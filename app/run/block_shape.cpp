#include "app/run/block_shape.hpp"

#include <algorithm>
#include <string_view>

namespace warptree::runs {

using compile::Program;

namespace {
// Calls f(instruction) for those of the kernel and of what it calls by name.
template <class F> void each_instruction(const Program& program, const compile::Kernel& kernel, F&& f) {
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
} // namespace

unsigned thread_dimensions(const Program& program, const compile::Kernel& kernel) {
    // Only uses in the file itself count: cooperative groups read all three to compute a rank.
    const auto named = [&](std::string_view what) {
        return std::any_of(program.files.begin(), program.files.end(), [&](const compile::SourceText& file) {
            return !file.ours && file.text.find(what) != std::string::npos;
        });
    };
    const unsigned in_text = named("threadIdx.z") ? 3 : named("threadIdx.y") ? 2 : 1;
    unsigned most = 1;
    each_instruction(program, kernel, [&](const compile::Instruction& in) {
        if (in.op == compile::Opcode::special) {
            const auto what = static_cast<compile::Special>(in.c);
            most = std::max(most, what == compile::Special::thread_z   ? 3U
                                  : what == compile::Special::thread_y ? 2U
                                                                       : 1U);
        }
    });
    return std::min(most, in_text);
}

bool knows_its_block(const Program& program, const compile::Kernel& kernel) {
    bool knows = kernel.cooperative;
    each_instruction(program, kernel, [&](const compile::Instruction& in) {
        const auto what = static_cast<compile::Special>(in.c);
        const bool asks = what == compile::Special::block_x || what == compile::Special::block_y ||
                          what == compile::Special::block_z || what == compile::Special::grid_size_x ||
                          what == compile::Special::grid_size_y || what == compile::Special::grid_size_z ||
                          what == compile::Special::multiprocessor;
        knows = knows || (in.op == compile::Opcode::special && asks) || in.op == compile::Opcode::call_pointer;
    });
    return knows;
}

simt::Extent tile_of(const std::vector<std::uint32_t>& extents) {
    // One column more than rows is padding against bank conflicts.
    const std::uint32_t rows = extents[0], columns = extents[1] == rows + 1 ? rows : extents[1];
    return rows == 0 || columns == 0 ? simt::Extent{1024, 1024, 1} : simt::Extent{columns, rows, 1};
}

simt::Extent usual_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions) {
    const std::uint32_t most = kernel.most_threads != 0 ? std::min(kernel.most_threads, 256U) : 256U;
    if (dimensions == 1) {
        return {most, 1, 1};
    }
    for (const std::uint32_t s : kernel.shared) {
        const std::vector<std::uint32_t>& e = program.shared[s].extents;
        if (dimensions == 2 && e.size() == 2) {
            if (const simt::Extent tile = tile_of(e); simt::volume(tile) <= std::max(most, kernel.most_threads)) {
                return tile;
            }
        }
    }
    simt::Extent block = dimensions == 2 ? simt::Extent{16, 16, 1} : simt::Extent{8, 8, 4};
    for (unsigned d = dimensions; simt::volume(block) > most;) {
        d = d == 0 ? dimensions - 1 : d - 1;
        block[d] = std::max(1U, block[d] / 2);
    }
    return block;
}

} // namespace warptree::runs
