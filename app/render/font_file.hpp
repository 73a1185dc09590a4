// Where the fonts of the program's texts are.
#pragma once

#include "app/drawing/draw.hpp"

#include <string>

namespace warptree::render {

// Inter (regular or semi-bold) or JetBrains Mono, or what stands in for it; empty: there is none.
std::string font_file(scene::Face face);

} // namespace warptree::render
