#include "app/run/block_shape.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

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
    bool knows = kernel.cooperative || kernel.cluster[0] != 0;
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

namespace {
// What blockIdx.x and blockIdx.y are multiplied by before threadIdx.x and threadIdx.y are added: that is the block's size in a
// kernel that does not ask for it. 0: none, several, or it asks.
class BlockStrides {
  public:
    BlockStrides(const Program& program, const compile::Kernel& kernel) {
        std::vector<bool> asks(kDimensions, false);
        each_instruction(program, kernel, [&](const compile::Instruction& in) {
            for (unsigned d = 0; d < kDimensions && in.op == compile::Opcode::special; ++d) {
                asks[d] = asks[d] || in.c == static_cast<std::uint32_t>(compile::Special::block_size_x) + d;
            }
        });
        follow(program.functions[kernel.function]);
        for (unsigned d = 0; d < kDimensions; ++d) {
            if (asks[d] || several_[d]) {
                strides_[d] = 0;
            }
        }
    }
    std::uint32_t operator[](unsigned dimension) const { return strides_[dimension]; }

  private:
    static constexpr unsigned kDimensions = 2;
    enum class Kind : std::uint8_t { thread, block, constant, product };
    struct Row {
        Kind kind = Kind::thread;
        unsigned dimension = 0;
        std::uint64_t value = 0; // of a constant, or the factor of a product
    };

    void follow(const compile::FunctionCode& function) {
        using compile::Opcode;
        for (const compile::Constant& c : function.constants) {
            rows_[c.row] = {Kind::constant, 0, c.bits};
        }
        for (const compile::Instruction& in : function.code) {
            std::optional<Row> made;
            switch (in.op) {
            case Opcode::special: made = special(static_cast<compile::Special>(in.c)); break;
            case Opcode::mov32:
            case Opcode::mov64:
            case Opcode::zext64:
            case Opcode::sext64: made = row(in.a); break;
            case Opcode::mul32:
            case Opcode::mul64: made = product(row(in.a), row(in.b), false); break;
            case Opcode::shl32:
            case Opcode::shl64: made = product(row(in.a), row(in.b), true); break;
            case Opcode::add32:
            case Opcode::add64:
            case Opcode::or32:
            case Opcode::or64: note_sum(row(in.a), row(in.b)); break;
            default: break;
            }
            if (made) {
                rows_[in.dst] = *made;
            } else {
                rows_.erase(in.dst);
            }
        }
    }
    std::optional<Row> row(std::uint32_t number) const {
        const auto it = rows_.find(number);
        return it == rows_.end() ? std::nullopt : std::optional(it->second);
    }
    static std::optional<Row> special(compile::Special what) {
        switch (what) {
        case compile::Special::thread_x: return Row{Kind::thread, 0, 0};
        case compile::Special::thread_y: return Row{Kind::thread, 1, 0};
        case compile::Special::block_x: return Row{Kind::block, 0, 0};
        case compile::Special::block_y: return Row{Kind::block, 1, 0};
        default: return std::nullopt;
        }
    }
    static std::optional<Row> product(std::optional<Row> a, std::optional<Row> b, bool shifts) {
        if (a && b && a->kind == Kind::constant && !shifts) {
            std::swap(a, b);
        }
        if (!a || !b || a->kind != Kind::block || b->kind != Kind::constant || (shifts && b->value > 10)) {
            return std::nullopt;
        }
        return Row{Kind::product, a->dimension, shifts ? std::uint64_t{1} << b->value : b->value};
    }
    void note_sum(std::optional<Row> a, std::optional<Row> b) {
        if (a && b && a->kind == Kind::thread) {
            std::swap(a, b);
        }
        if (!a || !b || a->kind != Kind::product || b->kind != Kind::thread || a->dimension != b->dimension ||
            a->value == 0 || a->value > 1024) {
            return;
        }
        std::uint32_t& stride = strides_[a->dimension];
        several_[a->dimension] = several_[a->dimension] || (stride != 0 && stride != a->value);
        stride = static_cast<std::uint32_t>(a->value);
    }

    std::map<std::uint32_t, Row> rows_; // as far as they are known
    std::array<std::uint32_t, kDimensions> strides_{};
    std::array<bool, kDimensions> several_{};
};

// The block that the kernel's own arithmetic says; nullopt: it does not.
std::optional<simt::Extent> stated_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions) {
    const BlockStrides strides(program, kernel);
    const std::uint32_t most = kernel.most_threads != 0 ? kernel.most_threads : 1024;
    if (dimensions == 2) {
        const bool fits = strides[0] != 0 && strides[1] != 0 && strides[0] * strides[1] <= most;
        return fits ? std::optional(simt::Extent{strides[0], strides[1], 1}) : std::nullopt;
    }
    std::uint32_t threads = strides[0];
    if (dimensions != 1 || threads == 0 || threads > most) {
        return std::nullopt;
    }
    // A thread may take several elements, one a block's width after the other: its array in shared memory says how many.
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (array.extents.size() < 2 && elements >= 64 && elements < threads && threads % elements == 0 &&
            threads / elements <= 8) {
            threads = elements;
        }
    }
    return simt::Extent{threads, 1, 1};
}
} // namespace

simt::Extent tile_of(const std::vector<std::uint32_t>& extents) {
    // One column more than rows is padding against bank conflicts.
    const std::uint32_t rows = extents[0], columns = extents[1] == rows + 1 ? rows : extents[1];
    return rows == 0 || columns == 0 ? simt::Extent{1024, 1024, 1} : simt::Extent{columns, rows, 1};
}

simt::Extent usual_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions) {
    const std::uint32_t most = kernel.most_threads != 0 ? std::min(kernel.most_threads, 256U) : 256U;
    if (const auto stated = stated_block(program, kernel, dimensions)) {
        return *stated;
    }
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
