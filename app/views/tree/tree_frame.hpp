// What the tree view zooms to, the camera's path there, and the overview map.
#pragma once

#include "app/views/views.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warptree::scene {

enum class Frame : std::uint8_t {
    all,    // all traced blocks
    block,  // one of them
    warp,   // the columns of one warp
    values, // the first columns of the warp, as many as their values can be read in; or those about the selected thread
    work,   // the selected thread, with the other one of its finding; else what a warp combines in the step, with its
            // operands; if nothing, the first warp that combines; else all
    free    // wherever the user moved the camera
};
inline constexpr std::array kFrames{Frame::all, Frame::block, Frame::warp, Frame::values, Frame::work, Frame::free};
std::string_view name(Frame frame); // "all", "block", …
std::optional<Frame> frame_from(std::string_view text);

// The camera with which the frame fills the width of `area`, with the moment's step visible; that of Frame::all for
// Frame::free and if all fits anyway. Untraced block: the first traced one; warp kNone: the first that combines in the
// step.
Camera camera_on(const ViewContext& context, Rect area, Frame frame, std::uint32_t block, std::uint32_t warp);
// The warp that camera_on uses for kNone; 0 if none combines.
std::uint32_t working_warp(const ViewContext& context, std::uint32_t block);
// As zoom_about(); the cell under `fixed` stays there, although rows that moved apart draw together when zoomed in.
void zoom_tree_about(const ViewContext& context, Camera& camera, Rect area, Point fixed, float factor, float most);
// Interpolates between two cameras, at `part` 0 … 1: a point that is in the same place under both stays there.
Camera between(const Camera& from, const Camera& to, float part);

// Whether the whole tree is too dense for individual lines, or has no room for a single value.
bool is_crowded(const ViewContext& context, Rect area);

// The smallest digits in the fitted tree, in pixels per em; 0 where a row has no room for its values.
float least_digits(const ViewContext& context, Rect area);

// The whole launch in `map`: activity per warp, or per group of warps that share two pixels, with a frame around
// what the camera shows in `area`. Hits are warps.
Drawing draw_map(const ViewContext& context, Rect area, const Camera& camera, Rect map);
// The camera, panned horizontally to centre what is at `point` of the map.
Camera centred(const ViewContext& context, Rect area, const Camera& camera, Rect map, Point point);

} // namespace warptree::scene
