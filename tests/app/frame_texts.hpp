// The texts of a frame as drawn, and their faults: read back from the draw lists that ImGui passes to the renderer, so
// ImGui's layout and the painter's drawing are checked together.
#pragma once

#include "app/render/gl/gl_painter.hpp"

#include <cstddef>
#include <string>
#include <vector>

struct ImDrawData;

namespace warptree::testing {

// Glyphs of one font side by side on one line.
struct FrameText {
    std::string text;                 // spaces removed
    std::string window;               // that drew it
    scene::Rect ink;                  // around the visible glyphs, in pixels of the window
    float line = 0;                   // height of the font's line
    std::size_t seen = 0, hidden = 0; // glyphs; hidden: covered by something opaque
    std::size_t order = 0;            // painting order
};

struct FrameFault {
    std::string what; // "cut at the right"
    std::string text, window;
    scene::Rect where;
};

struct FrameTexts {
    std::vector<FrameText> texts; // at least partly visible
    std::vector<FrameFault> faults;
};

// Call after ImGui::Render(), in the same frame. Faults are
//  - a glyph cut at its sides by a clip rectangle or by the frame it was fitted into, unless content continues there in
//    a window that scrolls sideways,
//  - one cut at top or bottom, unless by the edge of a window that scrolls,
//  - a text outside its clip rectangle or outside the window (text scrolled out of sight is not a fault),
//  - a text partly covered by something opaque of the same window (windows above hide what is below),
//  - two texts whose inks overlap.
// ImGui omits glyphs entirely beyond a frame, so a cut between two letters goes undetected; at other sizes and scales
// the same label is cut within a letter.
FrameTexts read_frame(const ImDrawData& data, const render::GlPainter& painter);

} // namespace warptree::testing
