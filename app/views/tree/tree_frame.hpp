// What the tree view zooms to, the camera's path there, and the overview map that shows where that is.
#pragma once

#include "app/views/views.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warptree::scene {

enum class Frame : std::uint8_t {
    all,   // all traced blocks
    block, // one of them
    warp,  // the columns of one warp
    work,  // in each step what a warp combines, with the operands; all if it combines nothing
    free   // wherever the user moved the camera
};
inline constexpr std::array kFrames{Frame::all, Frame::block, Frame::warp, Frame::work, Frame::free};
std::string_view name(Frame frame); // "all", "block", …
std::optional<Frame> frame_from(std::string_view text);

// The camera with which the frame fills the width of `area`, with the moment's step visible; for Frame::free and for
// what fits anyway: that of Frame::all. Untraced block: the first one; warp kNone: the first that combines in the step.
Camera camera_on(const ViewContext& context, Rect area, Frame frame, std::uint32_t block, std::uint32_t warp);
// The warp that camera_on takes for kNone; 0 where none combines.
std::uint32_t working_warp(const ViewContext& context, std::uint32_t block);
// Interpolates between two cameras, at `part` 0 … 1: a point that is in the same place under both stays there.
Camera between(const Camera& from, const Camera& to, float part);

// Whether the whole tree has no room for values and single lines.
bool is_crowded(const ViewContext& context, Rect area);

// The whole launch in `map`: activity by warp, or by as many warps as share two pixels, with a frame around
// what the camera shows in `area`. Hits are warps.
Drawing draw_map(const ViewContext& context, Rect area, const Camera& camera, Rect map);
// The camera moved, not zoomed, so that what lies at `point` of the map comes to the middle.
Camera centred(const ViewContext& context, Rect area, const Camera& camera, Rect map, Point point);

} // namespace warptree::scene
