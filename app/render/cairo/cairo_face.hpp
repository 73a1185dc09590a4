// The fonts of pictures.
#pragma once

#include "app/drawing/draw.hpp"

#include <cairo.h>

namespace warptree::render {

cairo_font_face_t* open_face(scene::Face face); // the caller's; in an error state where there is no font

} // namespace warptree::render
