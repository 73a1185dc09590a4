// The layout of the panels of the Explore screen.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/features/explore/explore.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::panels {

// A gap that the mouse can drag.
struct Splitter {
    const char* id;
    scene::Rect rect;
    bool upright;                 // drags sideways
    float session::Looks::*share; // what it changes
    float unit;                   // pixels per share of 1; negative if the panel is right of or below the splitter
    float least, most;            // of the share, so that no panel becomes useless
};

struct Layout {
    float top = 0, bottom = 0;                               // height of the top bar, of the transport
    float begin = 0;                                         // where the panels begin, below the story if there is one
    std::vector<std::pair<std::string, scene::Rect>> places; // panel id and rectangle in pixels
    std::vector<std::string> folded;                         // panels without room, shown in turn in the tree's place
    std::vector<Splitter> splitters;
};

// For a display of that size. Presentation folds the left column. `edits`: the source is edited and needs room; `story`:
// a program's story is above the panels.
Layout layout(float width, float height, const session::Looks& looks, bool edits = false, bool story = false);

// The same with one panel, in the tree's place, filling the room, and all others folded. `bare`: without a top bar.
Layout with_one_panel(Layout layout, float width, float scale, bool bare = false);

} // namespace warptree::panels
