// A warp's first load from global memory, two ways: neighbouring elements with a grid stride; and a chunk
// of its own for each thread. As lanes and the 32-byte sectors that they touch.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::scene {

// One request of a full warp for elements of `bytes`, lane i for element i * stride, as a trace that the banks can show.
Trace trace_of_load(unsigned stride, unsigned bytes);

// `count`: elements that a thread loads in all, from 1. Both below one another, or side by side where it is wide.
Drawing draw_load_figure(const Theme& theme, const TextMeasure& measure, float scale, Rect area, unsigned count,
                         unsigned bytes);

} // namespace warptree::scene
