// The nodes of a launch as cells of a picture, prepared once so that a frame only looks things up.
#pragma once

#include "kernels/trace/trace.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warptree::scene {

inline constexpr std::uint32_t kColumnsOfBar = 32; // columns in one bar of the zoomed-out tree: a warp

struct TreeIndex {
    // What one column holds after one step: its last node of that step, with those merged into it.
    struct Cell {
        std::uint32_t node = 0; // the last
        std::uint32_t column = 0;
        std::uint16_t step = 0;
        std::uint16_t thread = 0;
        std::uint32_t first_source = 0, sources = 0; // into `sources`: the cells its operands lie in
        std::uint32_t leaves = 0;                    // loaded in it
        bool combines = false, useful = false, identity = false;
    };
    struct Output {
        std::uint32_t output = 0;    // index in Launch::outputs
        std::uint32_t cell = kNone;  // where the value lies
        std::uint32_t column = 0;
        std::uint16_t step = 0;
    };
    struct Bar { // of kColumnsOfBar columns in one step
        std::uint32_t cells = 0, useful = 0, hazards = 0;
    };
    struct Flow { // operands that go from bar to bar of one block
        std::uint16_t from_step = 0, step = 0;
        std::uint32_t from_bar = 0, bar = 0, count = 0;
    };

    bool by_thread = false;    // columns are threads; else words of shared memory
    std::uint32_t columns = 0; // a block
    std::uint32_t blocks = 0;  // of the window
    std::uint32_t steps = 0;
    std::uint32_t bars = 0; // a block and step
    std::vector<Cell> cells;
    std::vector<std::uint32_t> row_start; // blocks × steps + 1
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> cell_of_node;
    std::vector<std::vector<Output>> outputs; // by block
    std::vector<Bar> bar_table;               // dense [block][step][bar]
    std::vector<std::vector<Flow>> flows;     // by block
    struct HazardMark {
        std::uint32_t block = 0, column = 0, hazard = 0;
        std::uint16_t step = 0;
    };
    std::vector<HazardMark> hazards; // one a word and step

    std::span<const Cell> row(std::uint32_t block, std::uint32_t step) const {
        const std::size_t i = std::size_t{block} * steps + step;
        return {cells.data() + row_start[i], cells.data() + row_start[i + 1]};
    }
    std::span<const std::uint32_t> sources_of(const Cell& cell) const {
        return {sources.data() + cell.first_source, cell.sources};
    }
    const Bar& bar(std::uint32_t block, std::uint32_t step, std::uint32_t bar) const {
        return bar_table[(std::size_t{block} * steps + step) * bars + bar];
    }
};

TreeIndex make_tree_index(const Launch& launch);
// The same, kept for the launches asked for last; a launch that changed is noticed by its contents.
const TreeIndex& tree_index(const Launch& launch);

} // namespace warptree::scene
