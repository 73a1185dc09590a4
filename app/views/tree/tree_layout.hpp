// Geometry of the tree view, shared by its parts. Pixels.
#pragma once

#include "app/views/tree/parts.hpp"
#include "app/views/tree/tree_index.hpp"

#include <vector>

namespace warptree::scene {

enum class Detail : std::uint8_t { cells, warps, blocks };

// Layers of the view, bottom to top.
enum TreeLayer : std::uint8_t {
    band_layer,
    empty_layer,
    cell_layer,
    mark_layer,
    frame_layer,
    strip_layer,
    tree_layers
};

struct TreeView {
    const ViewContext* context = nullptr;
    const Trace* trace = nullptr;
    const Launch* launch = nullptr;
    const TreeIndex* index = nullptr;
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    std::uint32_t launch_id = 0;
    std::uint32_t step = 0; // the current one; steps() at the host's combine
    float phase = 1;

    Rect area; // the whole view
    Rect room; // of rows and columns, without labels
    Detail detail = Detail::cells;
    float pitch = 1;       // of columns
    float block_pitch = 1; // from block to block
    float left = 0;        // of the first block
    float row_pitch = 1;
    float top = 0; // middle of the first row
    float cell_height = 1;
    float ticks = 0; // room above the first row for what was loaded

    float x(std::uint32_t block, float column) const {
        return left + static_cast<float>(block - index->first_block) * block_pitch + (column + 0.5F) * pitch;
    }
    // Of the bars of warps: they share a block's columns evenly.
    float warp_pitch() const {
        return pitch * static_cast<float>(index->columns) / static_cast<float>(launch->warps());
    }
    float y(std::uint32_t row) const { return top + static_cast<float>(row) * row_pitch; }
    bool visible_x(float low, float high) const { return high >= room.x && low <= room.right(); }
    std::uint32_t steps() const { return index->steps; }
    bool hidden(std::uint32_t row) const { return is_hidden(*context, launch_id, row); }
    float px(float pixels) const { return pixels * scale; }
};

// Rows of cells with their edges; needs Detail::cells.
void add_tree_cells(const TreeView& view, Drawing& drawing);
// Where the warps of the blocks wait for each other, and how many came.
void add_barriers(const TreeView& view, Drawing& drawing);
// A bar a warp or a block; needs the other details.
void add_tree_bars(const TreeView& view, Drawing& drawing);
// Launches as rows of blocks in `rect`, joined by what each block takes; the height it likes, 0 when one row says all.
float launch_tree_height(const TreeView& view);
void add_launch_tree(const TreeView& view, Rect rect, Drawing& drawing);
// Launches as boxes in `strip`.
void add_launch_strip(const TreeView& view, Rect strip, Drawing& drawing);

} // namespace warptree::scene
