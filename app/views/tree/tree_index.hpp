// The nodes of a launch as cells and edges of the tree, prepared once so that drawing a frame is only lookups.
#pragma once

#include "app/trace/explain/global_races.hpp"
#include "app/trace/model/trace.hpp"
#include "app/views/tree/tree_columns.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warptree::scene {

// The value of one column after one step: its last node of that step, with the earlier ones merged into it.
struct TreeCell {
    std::uint32_t node = 0;   // the last one
    std::uint32_t column = 0; // shared word, or thread
    std::uint32_t leaves = 0; // merged into it
    std::uint32_t first = 0;  // of TreeIndex::merged
};
// An operand that comes from another cell. Indices of cells.
struct TreeEdge {
    std::uint32_t from = 0, to = 0;
};
// What a block stores that is made of no element, in a step that has nothing else to show: "dist[3] = 2".
struct PlainStore {
    std::uint32_t block = 0;
    std::uint16_t step = 0, thread = 0;
    std::uint16_t allocation = 0;
    bool atomic = false;
    std::uint32_t element = 0;
    std::uint64_t bits = 0; // as bits of the allocation's elements
    bool races = false;
};
// The cells and edges of one block in one step; cells sorted by column.
struct TreeRow {
    std::uint32_t first_cell = 0, cells = 0;
    std::uint32_t first_edge = 0, edges = 0;
};
// In some block of the window, an operand moves from the warp that produced it to the warp that combines it. In a launch of
// clusters, where it may come from another block, both blocks are named.
struct WarpLink {
    std::uint16_t from_step = 0, step = 0;
    std::uint32_t from_warp = 0, warp = 0;
    std::uint32_t from_block = kNone, block = kNone;
    friend auto operator<=>(const WarpLink&, const WarpLink&) = default;
};

struct TreeIndex : TreeColumns {
    std::uint32_t first_block = 0, blocks = 0; // the window
    std::uint32_t steps = 0;
    std::vector<TreeCell> cells;
    std::vector<std::uint32_t> merged; // by cell: its nodes, in the order of the launch
    std::vector<TreeEdge> edges;
    std::vector<TreeRow> rows;          // dense [block in window][step]
    std::vector<std::uint32_t> cell_of; // by node; kNone outside the window
    std::vector<std::uint32_t> closest; // by step: least distance of two cells in a block, in columns; kNone: no two
    std::vector<bool> mixed; // by step: beside cells, values that were made earlier are stored to columns of their own
    std::vector<std::uint32_t> across;   // by step: the same for cells in adjacent blocks, without the gap between
    std::vector<std::uint8_t> hazardous; // by cell: a race touches it
    std::vector<RacingAccess> racing;    // on global memory
    std::vector<WarpLink> links;         // sorted, unique
    std::vector<PlainStore> plain;       // by block, step, thread and place
    // By cell of a scan: the row down to which its value is drawn, above the last use in another column; if there is
    // none, its own row.
    std::vector<std::uint32_t> passed_to;

    // By step, and in it by warp, counted over the blocks of the window, and one more: the lanes of the warps before that one.
    struct Lanes {
        std::uint32_t active = 0, existing = 0;
    };
    std::vector<Lanes> lanes_before;
    std::uint32_t warps = 0; // of a block
    // Of the warps from `first` to before `end` in the step.
    Lanes lanes(std::uint32_t step, std::size_t first, std::size_t end) const {
        const Lanes* const row = lanes_before.data() + step * (std::size_t{blocks} * warps + 1);
        return {row[end].active - row[first].active, row[end].existing - row[first].existing};
    }

    const TreeRow& row(std::uint32_t block, std::uint32_t step) const {
        return rows[std::size_t{block - first_block} * steps + step];
    }
    std::span<const std::uint32_t> nodes_of(const TreeCell& cell) const {
        const auto next = static_cast<std::size_t>(&cell - cells.data()) + 1;
        const std::size_t end = next < cells.size() ? cells[next].first : merged.size();
        return std::span(merged).subspan(cell.first, end - cell.first);
    }
};

TreeIndex make_tree_index(const Launch& launch);
// The same, cached for the most recently used launches by a hash of their contents.
std::shared_ptr<const TreeIndex> tree_index(const Trace& trace, std::uint32_t launch);
// Of that trace the index is found by what it is from now on, without hashing it, as long as it lives: it never changes.
// For the calling thread.
void know_trace(const std::shared_ptr<const Trace>& trace);

// By node: 1 for `root` and everything it was combined from.
std::vector<std::uint8_t> subtree(const Launch& launch, std::uint32_t root);

} // namespace warptree::scene
