// The columns of the tree: which of a block's values stand below one another.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree::scene {

struct TreeColumns {
    // A scan is drawn as a network: one column per element of the block's tile, with the combines that end there.
    bool scan = false;
    std::uint32_t lead = 0; // columns before those, for what other tiles published
    // Columns are threads, because values move by shuffles or only move; else elements of the arrays that values are stored to.
    bool by_thread = false;
    bool by_storer =
        false; // an output stands in the column of the thread that stores it: values only move, or are gathered
    // Several arrays have their elements of one index in one column, as mostly one of them is written in a step; those of which
    // one step has values of the same index have so many columns an index, one beside the other.
    bool by_index = false;
    std::uint32_t beside = 1;
    std::uint32_t columns = 0;                 // per block
    std::vector<std::uint32_t> first_elements; // of each tile, by block of the window; scans only

    // Column of an element of a scan's output in its block, whose number in the window is `block`.
    std::uint32_t output_column(std::uint32_t block, std::uint32_t element) const {
        return element - first_elements[block] + lead;
    }
};

struct PlacedInColumns : TreeColumns {
    std::vector<std::uint32_t> of_node; // by node
    std::vector<std::uint32_t> of_race; // by hazard
};
PlacedInColumns columns_of_tree(const Launch& launch);

} // namespace warptree::scene
