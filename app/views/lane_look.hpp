// How a lane of a warp is drawn: its state as fill and pattern, and marks for races and stalls.
#pragma once

#include "app/views/parts.hpp"

#include <vector>

namespace warptree::scene {

enum class Lane : std::uint8_t { absent, active, other_path, off, idle };
Lane state_of(const WarpStep& it, unsigned lane); // lane 0 … 31

// The lanes of a warp in a step: those that combine, load or store, as the step is for. In a step of a block in which nothing
// is combined, as all operands are constants, say, those that access memory or exchange values.
WarpStep lanes_at_work(const Launch& launch, std::uint32_t block, std::uint32_t step, unsigned warp);

// Lanes narrower than this, in pixels, are not drawn individually.
inline constexpr float kLeastLane = 1.5F;

// How a warp is drawn if its lanes are too narrow: a repeating pattern, such as every second lane, becomes fewer
// stripes, wide enough to see, with each state's true share. Any other pattern is drawn lane by lane.
struct LaneStripe {
    Lane state;
    float x, width; // from the left of the warp
};
std::vector<LaneStripe> lane_stripes(const WarpStep& it, float width); // existing lanes only

enum class When : std::uint8_t { done, now, to_come };

// A box without a rectangle; strongest for the current step, palest for later ones. `scale`: of the text, 1 at 100 %.
Box lane_look(Lane state, When when, const Theme& theme, float scale);
Box race_look(Rect rect, const Theme& theme);               // a mark at the top of a lane that races
Box stall_look(Rect rect, const Theme& theme, float scale); // a frame around lanes that wait forever

} // namespace warptree::scene
