// What a strategy does, and what to try next, above its tree.
#pragma once

#include "app/features/explore/panels/panel.hpp"

namespace warptree::panels {

// The title, the beginning of the lesson and the strategy that follows; returns the height used, in pixels. Where rows
// are many, one sentence; in an area too low for a tree besides, or for a trace of no strategy, nothing.
float introduce(const Context& context, const scene::Rect& area);

} // namespace warptree::panels
