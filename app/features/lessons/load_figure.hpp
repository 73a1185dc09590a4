// A warp's first load from global memory in two ways: neighbouring elements in a grid-stride loop, and a chunk of
// consecutive elements per thread. Drawn as lanes and the 32-byte sectors that they access.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::scene {

// One request of a full warp for elements of `bytes`, lane i for element i * stride, as a trace for the bank view.
Trace trace_of_load(unsigned stride, unsigned bytes);

// `count`: elements that a thread loads in total, at least 1. One below the other, or side by side in a wide area.
Drawing draw_load_figure(const Theme& theme, const TextMeasure& measure, float scale, Rect area, unsigned count,
                         unsigned bytes);

} // namespace warptree::scene
