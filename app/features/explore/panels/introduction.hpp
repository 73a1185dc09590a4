// What a strategy does, and what to try next, above its tree.
#pragma once

#include "app/features/explore/panels/panel.hpp"

namespace warptree::panels {

// Draws the title, the beginning of the lesson and the next strategy; returns the height used, in pixels. For a tree
// with many rows only one sentence; nothing if the area is too low, or if the trace is not of a strategy.
float introduce(const Context& context, const scene::Rect& area);

} // namespace warptree::panels
