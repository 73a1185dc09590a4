// Geometry of the tree view, shared by its parts. Pixels.
#pragma once

#include "app/views/parts.hpp"
#include "app/views/tree/tree_index.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace warptree::scene {

inline constexpr float kLabelSize = 14; // of step labels; pixels at scale 1, as the next two
// Column widths: below the first, lines between cells are thinned out; below the second, the whole tree is so dense
// that there is an overview map.
inline constexpr float kThinnedPitch = 9, kCrowdedPitch = 6.5F;

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
    std::uint32_t step = 0; // the current one; steps() during the host's combine
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
    float ticks = 0;      // height above the first row for the ticks of loaded elements
    float note = 0;       // height of the note at the bottom on what is not drawn individually
    bool crowded = false; // of the whole tree, at zoom 1
    float freedom = 1; // 0 … 1 of the way that rows may move apart: none of it when zoomed in, where columns are wide

    float x(std::uint32_t block, float column) const {
        // In float, columns would be unevenly spaced when zoomed far into a wide grid.
        return static_cast<float>(double{left} + double{block_pitch} * (block - index->first_block) +
                                  double{pitch} * (double{column} + 0.5));
    }
    // Of warp bars, which share a block's columns evenly.
    float warp_pitch() const {
        return pitch * static_cast<float>(index->columns) / static_cast<float>(launch->warps());
    }
    float y(std::uint32_t row) const { return top + static_cast<float>(row) * row_pitch; }
    bool visible_x(float low, float high) const { return high >= room.x && low <= room.right(); }
    std::uint32_t steps() const { return index->steps; }
    // The node whose value a cell shows: its last one; where a thread is selected, and has one there, that thread's.
    std::uint32_t shown(const TreeCell& cell) const;
    bool hidden(std::uint32_t row) const { return is_hidden(*context, launch_id, row); }
    float px(float pixels) const { return pixels * scale; }
};

// Whether columns of this pitch are drawn as cells; narrower ones would blur together.
inline bool has_cells(const TreeView& view, float pitch) { return pitch >= (view.px(2.5F) > 4 ? view.px(2.5F) : 4.0F); }

// A view and what it shows, not yet laid out.
struct PreparedTree {
    TreeView view;
    std::shared_ptr<const TreeIndex> index;
    bool tree = false; // launches as a tree above the blocks; else in one line
    float strip = 0;   // height of either
};
// nullopt if there is nothing to draw.
std::optional<PreparedTree> prepare_tree(const ViewContext& context, const Rect& area);
// Camera: a point p of the fitted content is drawn at area + pan + zoom * p, vertically with row_zoom().
void lay_out_tree(TreeView& view, const Camera& camera, float strip_height);

// How many items share a mark in the drawing where there is no room for one each.
struct Thinned {
    std::uint32_t lines = 1;  // between cells, where they are closest
    std::uint32_t blocks = 1; // per bar
    bool shades = false;      // bars are too narrow for the pattern of their lanes or warps
};
// Rows of cells with their edges; needs Detail::cells.
class TreeRows;
Thinned add_tree_cells(const TreeView& view, const TreeRows& rows, Drawing& drawing);
// The barriers of the blocks, and how many threads arrived.
void add_barriers(const TreeView& view, Drawing& drawing);
// A bar per warp or per block; needs Detail::warps or Detail::blocks.
Thinned add_tree_bars(const TreeView& view, Drawing& drawing);
// Launches as rows of blocks in `rect`, joined by the partial results they take. Height needed: 0 if one row is enough.
float launch_tree_height(const TreeView& view);
void add_launch_tree(const TreeView& view, Rect rect, Drawing& drawing);
// Launches as boxes in `strip`.
void add_launch_strip(const TreeView& view, Rect strip, Drawing& drawing);

} // namespace warptree::scene
