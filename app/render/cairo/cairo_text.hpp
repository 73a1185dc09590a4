// Fonts and text width for Cairo, and painting of a drawing.
#pragma once

#include "app/drawing/draw.hpp"

#include <array>
#include <memory>

#include <cairo.h>

namespace warptree::render {

// Inter, JetBrains Mono or the nearest that fontconfig knows; unhinted, so widths scale linearly with the size.
class CairoMeasure final : public scene::TextMeasure {
  public:
    CairoMeasure();
    float width(std::string_view text, scene::Face face, float size) const override;

  private:
    struct FontDestroy {
        void operator()(cairo_scaled_font_t* font) const { cairo_scaled_font_destroy(font); }
    };
    struct Font {
        std::unique_ptr<cairo_scaled_font_t, FontDestroy> font; // at 1000 pixels per em
        std::array<float, 128> ascii{};                         // advance widths in ems
    };
    std::array<Font, 3> fonts_;
};

// Paints on whatever surface `cairo` draws to, in pixels of the drawing.
void paint(cairo_t* cairo, const scene::Drawing& drawing);

} // namespace warptree::render
