#include "app/render/cairo/cairo_text.hpp"

#include "app/render/cairo/cairo_face.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace warptree::render {

namespace {

using scene::Color;
using scene::Face;

constexpr double kReference = 1000; // pixels per em at which widths are read

// One face each for the whole program; Cairo's faces may be shared by threads.
cairo_font_face_t* font_face(Face face) {
    static const std::array<cairo_font_face_t*, 3> faces{open_face(Face::sans), open_face(Face::sans_bold),
                                                         open_face(Face::mono)};
    return faces[static_cast<std::size_t>(face)];
}

void set_unhinted(cairo_font_options_t* options) {
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
}

void set_color(cairo_t* cairo, Color c) {
    cairo_set_source_rgba(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

void trace_rect(cairo_t* cairo, const scene::Rect& r, double radius) {
    radius = std::min({radius, r.w / 2.0, r.h / 2.0});
    if (radius <= 0) {
        cairo_rectangle(cairo, r.x, r.y, r.w, r.h);
        return;
    }
    constexpr double kQuarter = 1.5707963267948966;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, r.right() - radius, r.y + radius, radius, -kQuarter, 0);
    cairo_arc(cairo, r.right() - radius, r.bottom() - radius, radius, 0, kQuarter);
    cairo_arc(cairo, r.x + radius, r.bottom() - radius, radius, kQuarter, 2 * kQuarter);
    cairo_arc(cairo, r.x + radius, r.y + radius, radius, 2 * kQuarter, 3 * kQuarter);
    cairo_close_path(cairo);
}

// Pattern lines are aligned to the page, so that they continue across neighbouring boxes.
void paint_pattern(cairo_t* cairo, const scene::Box& box) {
    constexpr double kGap = 5;
    const scene::Rect& r = box.rect;
    cairo_save(cairo);
    trace_rect(cairo, r, box.radius);
    cairo_clip(cairo);
    set_color(cairo, box.pattern_color);
    cairo_set_line_width(cairo, 1);
    const double low = r.x + r.y;
    if (box.pattern == scene::Pattern::dots) {
        for (double y = std::floor(r.y / kGap) * kGap; y < r.bottom(); y += kGap) {
            for (double x = std::floor(r.x / kGap) * kGap; x < r.right(); x += kGap) {
                cairo_rectangle(cairo, x + 1, y + 1, 1.6, 1.6);
            }
        }
        cairo_fill(cairo);
        cairo_restore(cairo);
        return;
    }
    for (double c = std::floor(low / kGap) * kGap; c < r.right() + r.bottom(); c += kGap) {
        cairo_move_to(cairo, c - r.y, r.y);
        cairo_line_to(cairo, c - r.bottom(), r.bottom());
    }
    if (box.pattern == scene::Pattern::cross_hatch) {
        for (double c = std::floor((r.x - r.bottom()) / kGap) * kGap; c < r.right() - r.y; c += kGap) {
            cairo_move_to(cairo, c + r.y, r.y);
            cairo_line_to(cairo, c + r.bottom(), r.bottom());
        }
    }
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

void paint_box(cairo_t* cairo, const scene::Box& box) {
    if (box.fill.a != 0) {
        trace_rect(cairo, box.rect, box.radius);
        set_color(cairo, box.fill);
        cairo_fill(cairo);
    }
    if (box.pattern != scene::Pattern::plain && box.pattern_color.a != 0) {
        paint_pattern(cairo, box);
    }
    if (box.stroke.a != 0 && box.stroke_width > 0) {
        const float half = box.stroke_width / 2;
        const scene::Rect inner{box.rect.x + half, box.rect.y + half, box.rect.w - 2 * half, box.rect.h - 2 * half};
        if (inner.w > 0 && inner.h > 0) {
            trace_rect(cairo, inner, box.radius - half);
            set_color(cairo, box.stroke);
            cairo_set_line_width(cairo, box.stroke_width);
            cairo_stroke(cairo);
        }
    }
}

void paint_curve(cairo_t* cairo, const scene::Curve& curve) {
    cairo_move_to(cairo, curve.from.x, curve.from.y);
    cairo_curve_to(cairo, curve.control1.x, curve.control1.y, curve.control2.x, curve.control2.y, curve.to.x,
                   curve.to.y);
    set_color(cairo, curve.color);
    cairo_set_line_width(cairo, curve.width);
    if (curve.dash > 0) {
        const double dash = curve.dash;
        cairo_set_dash(cairo, &dash, 1, 0);
        cairo_stroke(cairo);
        cairo_set_dash(cairo, nullptr, 0, 0);
    } else {
        cairo_stroke(cairo);
    }
}

void paint_text(cairo_t* cairo, const CairoMeasure& measure, const scene::Text& text) {
    constexpr float kHalfCapital = 0.36F; // half the height of a capital letter, in ems
    float x = text.anchor.x;
    if (text.align != scene::Align::left) {
        const float width = measure.width(text.text, text.face, text.size);
        x -= text.align == scene::Align::right ? width : width / 2;
    }
    cairo_set_font_face(cairo, font_face(text.face));
    cairo_set_font_size(cairo, text.size);
    set_color(cairo, text.color);
    cairo_move_to(cairo, x, text.anchor.y + text.size * kHalfCapital);
    cairo_show_text(cairo, text.text.c_str());
}

} // namespace

CairoMeasure::CairoMeasure() {
    cairo_font_options_t* options = cairo_font_options_create();
    set_unhinted(options);
    cairo_matrix_t size;
    cairo_matrix_t identity;
    cairo_matrix_init_scale(&size, kReference, kReference);
    cairo_matrix_init_identity(&identity);
    for (std::size_t i = 0; i < fonts_.size(); ++i) {
        Font& font = fonts_[i];
        font.font.reset(cairo_scaled_font_create(font_face(static_cast<Face>(i)), &size, &identity, options));
        for (int c = 32; c < 127; ++c) {
            const char text[2]{static_cast<char>(c), '\0'};
            cairo_text_extents_t extents;
            cairo_scaled_font_text_extents(font.font.get(), text, &extents);
            font.ascii[static_cast<std::size_t>(c)] = static_cast<float>(extents.x_advance / kReference);
        }
    }
    cairo_font_options_destroy(options);
}

float CairoMeasure::width(std::string_view text, Face face, float size) const {
    const Font& font = fonts_[static_cast<std::size_t>(face)];
    float sum = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 128) {
            sum += font.ascii[c];
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        while (end < text.size() && static_cast<unsigned char>(text[end]) >= 128) {
            ++end;
        }
        cairo_text_extents_t extents;
        cairo_scaled_font_text_extents(font.font.get(), std::string(text.substr(i, end - i)).c_str(), &extents);
        sum += static_cast<float>(extents.x_advance / kReference);
        i = end;
    }
    return sum * size;
}

void paint(cairo_t* cairo, const scene::Drawing& drawing) {
    const CairoMeasure measure;
    cairo_font_options_t* options = cairo_font_options_create();
    set_unhinted(options);
    cairo_save(cairo);
    cairo_set_font_options(cairo, options);
    cairo_rectangle(cairo, drawing.clip.x, drawing.clip.y, drawing.clip.w, drawing.clip.h);
    cairo_clip(cairo);
    for (const scene::Layer& layer : drawing.layers) {
        for (const auto& curve : layer.curves) {
            paint_curve(cairo, curve);
        }
        for (const auto& box : layer.boxes) {
            paint_box(cairo, box);
        }
        for (const auto& text : layer.texts) {
            paint_text(cairo, measure, text);
        }
    }
    cairo_restore(cairo);
    cairo_font_options_destroy(options);
}

} // namespace warptree::render
