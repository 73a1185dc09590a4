// The text measure that pictures are laid out with.
#pragma once

#include "app/render/cairo/cairo_text.hpp"

namespace warptree::tests {

inline const render::CairoMeasure& measure() {
    static const render::CairoMeasure it;
    return it;
}

} // namespace warptree::tests
