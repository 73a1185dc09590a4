// Keyboard navigation from cell to cell of the tree.
#pragma once

#include "app/views/views.hpp"

#include <cstdint>
#include <optional>

namespace warptree::scene {

enum class Way : std::uint8_t {
    up,   // to the operand whose column is nearest
    down, // to the first cell that uses it
    left, // to the neighbour in the same step, also across blocks
    right
};

// The cell in that direction from the cell `from`; `from` itself if there is none. From any other target: the first
// cell in `block` of the moment's step, or of the last earlier step with cells; kind none if there is none.
Target walk_cells(const Trace& trace, const session::Moment& moment, const Target& from, std::uint32_t block, Way way);
// The same for a drawing without cells: bars of warps and blocks, launches. By position on screen.
Target walk_drawing(const Drawing& drawing, const session::Moment& moment, const Target& from, Way way);

// The middle of a cell in the tree as the camera shows it, and the room for rows and columns.
struct CellPlace {
    Point middle;
    Rect room;
};
std::optional<CellPlace> place_in_tree(const ViewContext& context, Rect area, const Camera& camera, const Target& node);
// Moves the camera as little as necessary to show the cell.
void reveal(const ViewContext& context, Rect area, Camera& camera, const Target& node);

} // namespace warptree::scene
