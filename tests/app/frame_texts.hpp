// The texts of a whole frame as it is drawn, and what is wrong with them: read back from the draw lists that ImGui hands
// to the renderer, so what ImGui lays out and what the painter draws are judged together.
#pragma once

#include "app/render/gl/gl_painter.hpp"

#include <cstddef>
#include <string>
#include <vector>

struct ImDrawData;

namespace warptree::testing {

// Glyphs of one font side by side on one line.
struct FrameText {
    std::string text;                 // without its spaces
    std::string window;               // that drew it
    scene::Rect ink;                  // around the glyphs that are seen, in pixels of the window
    float line = 0;                   // height of the font's line
    std::size_t seen = 0, hidden = 0; // glyphs; hidden: something opaque lies over them
    std::size_t order = 0;            // of painting
};

struct FrameFault {
    std::string what; // "cut at the right"
    std::string text, window;
    scene::Rect where;
};

struct FrameTexts {
    std::vector<FrameText> texts; // that are seen, at least in part
    std::vector<FrameFault> faults;
};

// After ImGui::Render(), in the same frame. Faults are
//  - a glyph cut at its sides by a clip rectangle or by the frame that it was fitted into, unless where a window goes on
//    that scrolls sideways,
//  - one cut at top or bottom, unless by the edge of a window that scrolls,
//  - a text outside its clip rectangle or outside the window (text scrolled out of sight is none),
//  - a text that something opaque of the same window covers in part (windows above hide what is below),
//  - two texts whose inks overlap.
// ImGui leaves out glyphs that lie wholly beyond a frame, so a cut that falls between two letters leaves no trace; at
// other sizes and scales the same label is cut within one.
FrameTexts read_frame(const ImDrawData& data, const render::GlPainter& painter);

} // namespace warptree::testing
