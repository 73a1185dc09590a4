// A drawing as SVG. Text stays text: it can be selected, searched and edited; if its font is missing, another is
// stretched to the same width.
#pragma once

#include "app/drawing/draw.hpp"

#include <string>

namespace warptree::render {

// The whole file; equal drawings give equal bytes. Width and height in user units.
std::string svg_of(const scene::Drawing& drawing, int width, int height, const scene::TextMeasure& measure);

} // namespace warptree::render
