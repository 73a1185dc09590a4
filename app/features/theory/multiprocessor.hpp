// A multiprocessor filled with blocks: its warp slots, and how much of each resource the blocks use.
#pragma once

#include "app/features/theory/figure.hpp"
#include "app/theory/occupancy.hpp"

namespace warptree::topics {

// Each draws nothing if the room is too small.
void draw_warp_slots(Figure& figure, const scene::Rect& room, const theory::DeviceLimits& device,
                     const theory::KernelNeeds& kernel);
float limits_height(const Figure& figure); // preferred by draw_limits
void draw_limits(Figure& figure, const scene::Rect& room, const theory::DeviceLimits& device,
                 const theory::KernelNeeds& kernel);

} // namespace warptree::topics
