// A view of a trace as a whole picture: title line, the view, caption line.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/render/cairo/cairo_picture.hpp"

namespace warptree::render {

// Drawn with the request's width, height and scale; its path is not used.
scene::Drawing compose(const PictureRequest& request, const scene::TextMeasure& measure);

} // namespace warptree::render
