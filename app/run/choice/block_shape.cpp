#include "app/run/choice/block_shape.hpp"

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/run/choice/block_elements.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/simt/machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

namespace warptree::runs {

using compile::Program;

namespace {} // namespace

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

namespace {
// Whether a thread takes a number from a counter in global memory and shares it with its block: the block's own number, then, in
// the order in which blocks start.
bool takes_tickets(const Program& program, const compile::Kernel& kernel) {
    using compile::Opcode;
    HeldRows tickets;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const auto to = [&](std::uint32_t access) { return program.accesses[access].space; };
        if (in.op == Opcode::store && to(in.c) == compile::Space::shared && tickets.has(in.dst)) {
            return true;
        }
        tickets.after(in, (in.op == Opcode::atomic && program.atomics[in.c].result_used &&
                           program.atomics[in.c].operation == compile::AtomicOperation::add &&
                           to(program.atomics[in.c].access) != compile::Space::shared) ||
                              (moves_a_number(in.op) && tickets.has(in.a)));
    }
    return false;
}
} // namespace

std::array<bool, 3> asks_for_its_block(const Program& program, const compile::Kernel& kernel) {
    using compile::Special;
    constexpr std::array kBlocks{Special::block_x, Special::block_y, Special::block_z};
    constexpr std::array kGrids{Special::grid_size_x, Special::grid_size_y, Special::grid_size_z};
    std::array<bool, 3> asks{};
    asks.fill(kernel.cooperative || kernel.cluster[0] != 0);
    each_instruction(program, kernel, [&](const compile::Instruction& in) {
        const auto what = static_cast<Special>(in.c);
        const bool special = in.op == compile::Opcode::special;
        const bool any = (special && what == Special::multiprocessor) || in.op == compile::Opcode::call_pointer;
        for (unsigned d = 0; d < 3; ++d) {
            asks[d] = asks[d] || any || (special && (what == kBlocks[d] || what == kGrids[d]));
        }
    });
    asks[0] = asks[0] || takes_tickets(program, kernel);
    return asks;
}

bool knows_its_block(const Program& program, const compile::Kernel& kernel) {
    const std::array<bool, 3> asks = asks_for_its_block(program, kernel);
    return std::find(asks.begin(), asks.end(), true) != asks.end();
}

namespace {
// The integers among a template's arguments: 256 of "reduce<float, 256>".
std::vector<std::uint32_t> numbers_in(std::string_view instance) {
    std::vector<std::uint32_t> numbers;
    const std::size_t open = instance.find('<');
    for (const std::string& argument : catalogue::listed(
             open == std::string_view::npos ? "" : instance.substr(open + 1, instance.rfind('>') - open - 1))) {
        if (const auto number = parse_count(argument); number && *number <= simt::kMostThreads) {
            numbers.push_back(static_cast<std::uint32_t>(*number));
        }
    }
    return numbers;
}

// A tile in shared memory that is larger than what a block stores, by its halo, has a thread for each element where its sides are
// whole and those of what is stored are not: 32 x 32 for 28 x 28, 128 for 124.
std::optional<simt::Extent> tile_with_halo(const Program& program, const compile::Kernel& kernel, simt::Extent stored,
                                           std::uint32_t most) {
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (stored[1] == 1 && array.extents.size() < 2 && elements > stored[0] && elements <= most &&
            elements < 2 * stored[0] && elements % kWarpSize == 0 && stored[0] % kWarpSize != 0) {
            return simt::Extent{elements, 1, 1};
        }
        if (array.extents.size() == 2) {
            const simt::Extent tile = tile_of(array.extents);
            const bool whole = std::has_single_bit(tile[0]) && std::has_single_bit(tile[1]);
            if (whole && tile[0] > stored[0] && tile[1] > stored[1] && tile[0] < 2 * stored[0] &&
                tile[1] < 2 * stored[1] && simt::volume(tile) <= most) {
                return tile;
            }
        }
    }
    return std::nullopt;
}

// The block that the kernel's own arithmetic says; nullopt: it does not.
std::optional<simt::Extent> stated_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions,
                                         const BlockElements& its) {
    const auto [columns, all_rows] = its.strides;
    const std::uint32_t most = kernel.most_threads != 0 ? kernel.most_threads : simt::kMostThreads;
    if (dimensions == 2) {
        const std::uint32_t rows = its.rows_apart != 0 ? its.rows_apart : all_rows;
        const bool fits = columns != 0 && rows != 0 && columns * rows <= most;
        const simt::Extent stored{columns, rows, 1};
        const auto tile = columns != 0 && rows != 0 ? tile_with_halo(program, kernel, stored, most) : std::nullopt;
        return tile ? tile : fits ? std::optional(stored) : std::nullopt;
    }
    std::uint32_t threads = columns != 0 ? columns : its.threads[0];
    if (dimensions == 1 && !its.asks_size[0] && !knows_its_block(program, kernel)) {
        // One block: a thread for each element of its array.
        for (const std::uint32_t s : kernel.shared) {
            const compile::SharedArray& array = program.shared[s];
            const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
            threads = array.extents.size() < 2 && elements >= kWarpSize && elements <= most
                          ? std::max(threads, elements)
                          : threads;
        }
    }
    if (dimensions != 1 || threads == 0 || threads > most) {
        return std::nullopt;
    }
    // A thread may take several elements, one a block's width after the other: what is added to the first one's number says
    // how many, or the template's argument, or its array in shared memory.
    if (its.apart != 0) {
        threads = its.apart;
    }
    for (const std::uint32_t number : numbers_in(kernel.name)) {
        threads = number >= kWarpSize && threads % number == 0 ? number : threads;
    }
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (array.extents.size() < 2 && elements >= 64 && elements < threads && threads % elements == 0 &&
            threads / elements <= 8) {
            threads = elements;
        }
    }
    const simt::Extent stored{threads, 1, 1};
    return tile_with_halo(program, kernel, stored, most).value_or(stored);
}

// The elements of arrays in shared memory that all have as many, likely one a thread. Of one array alone a run tells, as more
// threads go past shared memory; what goes past one of several lies in the next. nullopt: there are no such arrays.
std::optional<std::uint32_t> threads_of_arrays(const Program& program, const compile::Kernel& kernel) {
    std::optional<std::uint32_t> threads;
    if (kernel.shared.size() < 2) {
        return threads;
    }
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (elements == 0 || elements == 1) { // its size is the launch's; a number
            continue;
        }
        if (array.extents.size() > 1 || elements < 2 * kWarpSize || elements > simt::kMostThreads ||
            (threads && *threads != elements)) {
            return std::nullopt;
        }
        threads = elements;
    }
    return threads;
}
} // namespace

simt::Extent tile_of(const std::vector<std::uint32_t>& extents) {
    // One column more than rows, or than a power of two, is padding against bank conflicts.
    const bool padded =
        extents[1] == extents[0] + 1 || (extents[1] > kWarpSize / 2 && std::has_single_bit(extents[1] - 1));
    const std::uint32_t rows = extents[0], columns = padded ? extents[1] - 1 : extents[1];
    return rows == 0 || columns == 0 ? simt::Extent{1024, 1024, 1} : simt::Extent{columns, rows, 1};
}

namespace {
simt::Extent block_by_arithmetic(const Program& program, const compile::Kernel& kernel, unsigned dimensions,
                                 std::uint32_t threads) {
    const std::uint32_t usual = dimensions == 1 ? threads : 256;
    const std::uint32_t most = kernel.most_threads != 0 ? std::min(kernel.most_threads, usual) : usual;
    const BlockElements its = elements_of_blocks(program, kernel);
    if (const auto stated = stated_block(program, kernel, dimensions, its)) {
        return *stated;
    }
    if (dimensions == 1) {
        return {std::min(most, threads_of_arrays(program, kernel).value_or(most)), 1, 1};
    }
    for (const std::uint32_t s : kernel.shared) {
        const std::vector<std::uint32_t>& e = program.shared[s].extents;
        if (const simt::Extent cube{e.size() == 3 ? e[2] : 0, e.size() == 3 ? e[1] : 0, e.size() == 3 ? e[0] : 0};
            dimensions == 3 && simt::volume(cube) != 0 &&
            simt::volume(cube) <= (kernel.most_threads != 0 ? kernel.most_threads : simt::kMostThreads)) {
            return cube;
        }
        if (dimensions == 2 && e.size() == 2) {
            // Sides that are no powers of two are a block's and a halo's.
            const simt::Extent tile = tile_of(e);
            const bool whole = std::has_single_bit(tile[0]) && std::has_single_bit(tile[1]);
            const std::uint32_t room = kernel.most_threads != 0 ? kernel.most_threads
                                       : whole                  ? simt::kMostThreads
                                                                : most;
            if (simt::volume(tile) <= room) {
                return tile;
            }
        }
    }
    simt::Extent block = dimensions == 2 ? simt::Extent{16, 16, 1} : simt::Extent{8, 8, 4};
    if (const auto [columns, rows] = its.threads; dimensions == 2 && std::max(columns, rows) != 0) {
        block = {columns != 0 ? columns : std::max(1U, usual / rows), rows != 0 ? rows : std::max(1U, usual / columns),
                 1};
    }
    for (unsigned d = dimensions; simt::volume(block) > most;) {
        d = d == 0 ? dimensions - 1 : d - 1;
        block[d] = std::max(1U, block[d] / 2);
    }
    return block;
}
} // namespace

std::uint32_t threads_of_barriers(const Program& program, const compile::Kernel& kernel) {
    std::uint32_t threads = 0;
    each_function(program, kernel, [&](const compile::FunctionCode& code) {
        for (const compile::Instruction& in : code.code) {
            if (in.op != compile::Opcode::barrier) {
                continue;
            }
            const auto stated =
                std::ranges::find(code.constants, program.barriers[in.c].threads, &compile::Constant::row);
            if (stated != code.constants.end() && stated->bits <= simt::kMostThreads) {
                threads = std::max(threads, static_cast<std::uint32_t>(stated->bits));
            }
        }
    });
    return threads;
}

simt::Extent usual_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions,
                         std::uint32_t threads) {
    const std::uint32_t least = dimensions == 1 ? threads_of_barriers(program, kernel) : 0;
    const simt::Extent block = block_by_arithmetic(program, kernel, dimensions, threads);
    return block[0] < least ? simt::Extent{least, 1, 1} : block;
}

} // namespace warptree::runs
