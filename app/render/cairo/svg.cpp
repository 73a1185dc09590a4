#include "app/render/cairo/svg.hpp"

#include "app/base/xml_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace warptree::render {

namespace {

using scene::Align;
using scene::Box;
using scene::Color;
using scene::Face;
using scene::Pattern;

// At most two decimals, none where they would be zero.
std::string number(float value) {
    const auto hundredths = static_cast<long>(std::lround(value * 100));
    std::string text = fmt::format("{}{}", hundredths < 0 ? "-" : "", std::labs(hundredths) / 100);
    const long rest = std::labs(hundredths) % 100;
    if (rest != 0) {
        text += fmt::format(".{:02}", rest);
        if (text.back() == '0') {
            text.pop_back();
        }
    }
    return text;
}

// fill="#rrggbb" with its opacity.
std::string paint(const char* what, Color c) {
    if (c.a == 0) {
        return fmt::format(" {}=\"none\"", what);
    }
    std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", what, c.r, c.g, c.b);
    return c.a == 255 ? text : text + fmt::format(" {}-opacity=\"{}\"", what, number(static_cast<float>(c.a) / 255));
}

const char* face_attributes(Face face) {
    switch (face) {
    case Face::mono: return "font-family=\"JetBrains Mono, DejaVu Sans Mono, monospace\"";
    case Face::sans_bold: return "font-family=\"Inter, DejaVu Sans, sans-serif\" font-weight=\"600\"";
    case Face::sans: break;
    }
    return "font-family=\"Inter, DejaVu Sans, sans-serif\"";
}

class Writer {
  public:
    explicit Writer(const scene::TextMeasure& measure) : measure_(measure) {}

    void add(const scene::Layer& layer) {
        for (const auto& curve : layer.curves) {
            add(curve);
        }
        for (const auto& box : layer.boxes) {
            add(box);
        }
        for (const auto& text : layer.texts) {
            add(text);
        }
    }
    const std::string& body() const { return body_; }

    // Aligned to the page, so that patterns continue across neighbouring boxes.
    std::string patterns() const {
        std::string text;
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
            const auto& [pattern, color] = patterns_[i];
            text += fmt::format("<pattern id=\"p{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">", i);
            if (pattern == Pattern::dots) {
                text += fmt::format("<rect x=\"1\" y=\"1\" width=\"1.6\" height=\"1.6\"{}/>", paint("fill", color));
            } else {
                const char* back = pattern == Pattern::cross_hatch ? "M-1 -1L6 6M-1 4L1 6M4 -1L6 1" : "";
                text += fmt::format("<path d=\"M-1 6L6 -1M-1 1L1 -1M4 6L6 4{}\"{}/>", back, paint("stroke", color));
            }
            text += "</pattern>\n";
        }
        return text;
    }

  private:
    void add(const scene::Curve& c) {
        body_ += fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke-width=\"{}\"{}",
                             number(c.from.x), number(c.from.y), number(c.control1.x), number(c.control1.y),
                             number(c.control2.x), number(c.control2.y), number(c.to.x), number(c.to.y),
                             number(c.width), paint("stroke", c.color));
        body_ += c.dash > 0 ? fmt::format(" stroke-dasharray=\"{}\"/>\n", number(c.dash)) : "/>\n";
    }

    void add(const Box& box) {
        if (box.fill.a != 0) {
            rect(box.rect, box.radius, paint("fill", box.fill));
        }
        if (box.pattern != Pattern::plain && box.pattern_color.a != 0) {
            rect(box.rect, box.radius, fmt::format(" fill=\"url(#p{})\"", pattern(box.pattern, box.pattern_color)));
        }
        if (box.stroke.a != 0 && box.stroke_width > 0) {
            const float half = box.stroke_width / 2;
            rect({box.rect.x + half, box.rect.y + half, box.rect.w - 2 * half, box.rect.h - 2 * half},
                 box.radius - half,
                 fmt::format(" fill=\"none\" stroke-width=\"{}\"{}", number(box.stroke_width),
                             paint("stroke", box.stroke)));
        }
    }

    void add(const scene::Text& text) {
        constexpr float kHalfCapital = 0.36F; // half the height of a capital letter, in ems
        const float width = measure_.width(text.text, text.face, text.size);
        const float x = text.anchor.x - (text.align == Align::left     ? 0
                                         : text.align == Align::center ? width / 2
                                                                       : width);
        body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" textLength=\"{}\" "
                             "lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" {}{}>{}</text>\n",
                             number(x), number(text.anchor.y + text.size * kHalfCapital), number(text.size),
                             number(width), face_attributes(text.face), paint("fill", text.color), xml_text(text.text));
    }

    void rect(const scene::Rect& r, float radius, const std::string& look) {
        if (r.w <= 0 || r.h <= 0) {
            return;
        }
        const std::string round =
            radius > 0 ? fmt::format(" rx=\"{}\"", number(std::min({radius, r.w / 2, r.h / 2}))) : std::string();
        body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>\n", number(r.x), number(r.y),
                             number(r.w), number(r.h), round, look);
    }

    std::size_t pattern(Pattern pattern, Color color) {
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
            if (patterns_[i].first == pattern && patterns_[i].second == color) {
                return i;
            }
        }
        patterns_.emplace_back(pattern, color);
        return patterns_.size() - 1;
    }

    const scene::TextMeasure& measure_;
    std::string body_;
    std::vector<std::pair<Pattern, Color>> patterns_;
};

} // namespace

std::string svg_of(const scene::Drawing& drawing, int width, int height, const scene::TextMeasure& measure) {
    Writer writer(measure);
    for (const scene::Layer& layer : drawing.layers) {
        writer.add(layer);
    }
    const scene::Rect& clip = drawing.clip;
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<defs>\n<clipPath id=\"clip\"><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" height=\"{5}\"/></clipPath>\n"
        "{6}</defs>\n<g clip-path=\"url(#clip)\">\n{7}</g>\n</svg>\n",
        width, height, number(clip.x), number(clip.y), number(clip.w), number(clip.h), writer.patterns(),
        writer.body());
}

} // namespace warptree::render
