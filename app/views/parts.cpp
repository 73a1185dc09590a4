#include "app/views/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace warptree::scene {

Color with_alpha(Color color, float alpha) {
    color.a = static_cast<std::uint8_t>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * static_cast<float>(color.a)));
    return color;
}

Color mix(Color from, Color to, float fraction) {
    const auto blend = [fraction](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(
            std::lround(static_cast<float>(a) * (1 - fraction) + static_cast<float>(b) * fraction));
    };
    return {blend(from.r, to.r), blend(from.g, to.g), blend(from.b, to.b)};
}

Color ink_on(const Theme& theme, Color fill) {
    const auto light = [](Color c) { return 0.3F * c.r + 0.59F * c.g + 0.11F * c.b; };
    const auto distance = [&](Color c) { return std::abs(light(c) - light(fill)); };
    return distance(theme.text) > distance(theme.background) ? theme.text : theme.background;
}

std::string fitted(const TextMeasure& measure, const std::string& text, Face face, float size, float room) {
    if (measure.width(text, face, size) <= room) {
        return text;
    }
    std::string cut = text;
    while (!cut.empty()) {
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U) {
            cut.pop_back();
        }
        cut.pop_back();
        while (!cut.empty() && cut.back() == ' ') {
            cut.pop_back();
        }
        if (!cut.empty() && measure.width(cut + "…", face, size) <= room) {
            return cut + "…";
        }
    }
    return {};
}

std::vector<std::string> wrapped(const TextMeasure& measure, const std::string& text, Face face, float size,
                                 float room) {
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        const std::string longer = line.empty() ? word : line + " " + word;
        if (line.empty() || measure.width(longer, face, size) <= room) {
            line = longer;
        } else {
            lines.push_back(std::exchange(line, word));
        }
        at = end + 1;
    }
    if (!line.empty()) {
        lines.push_back(line);
    }
    return lines;
}

std::string grouped(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
        text.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return text;
}

std::string plural(std::uint64_t count, const char* singular) {
    return grouped(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string short_value(const Scalar& value, int digits) {
    if (!is_floating(value.type)) {
        return to_string(value);
    }
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value.as_double());
    return text;
}

std::string compact(const std::string& number) {
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != 0 || !std::isfinite(value) || std::abs(value) < 9999.5) {
        return number;
    }
    double left = std::abs(value);
    for (const char* const unit : {"k", "M", "G", "T", "P", "E"}) {
        left /= 1000;
        if (left < 999.5) {
            char text[16];
            std::snprintf(text, sizeof text, left < 9.95 ? "%.1f" : "%.0f", left);
            return (value < 0 ? "-" : "") + std::string(text) + unit;
        }
    }
    return number;
}

bool can_draw(const ViewContext& context, const Rect& area) {
    return context.trace != nullptr && context.theme != nullptr && context.measure != nullptr && area.w >= 8 &&
           area.h >= 8;
}

Rect intersect(const Rect& a, const Rect& b) {
    const float x = std::max(a.x, b.x);
    const float y = std::max(a.y, b.y);
    return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
            std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

Rect inset(const Rect& r, float by) {
    return {r.x + by, r.y + by, std::max(0.0F, r.w - 2 * by), std::max(0.0F, r.h - 2 * by)};
}

bool inside(const Rect& outer, const Rect& inner) {
    return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
           inner.bottom() <= outer.bottom();
}

Curve straight(Point from, Point to, float width, Color color, float dash) {
    return {from, from, to, to, width, color, dash};
}

Curve falling(Point from, Point to, float width, Color color) {
    const float middle = (from.y + to.y) / 2;
    return {from, {from.x, middle}, {to.x, middle}, to, width, color};
}

Point along(const Curve& c, float t) {
    const float u = 1 - t;
    const auto at = [&](float a, float b, float d, float e) {
        return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * d + t * t * t * e;
    };
    return {at(c.from.x, c.control1.x, c.control2.x, c.to.x), at(c.from.y, c.control1.y, c.control2.y, c.to.y)};
}

bool put_text(Layer& layer, const TextMeasure& measure, const Rect& room, Text text) {
    const float width = measure.width(text.text, text.face, text.size);
    const float left = text.anchor.x - (text.align == Align::left ? 0 : text.align == Align::right ? width : width / 2);
    if (text.text.empty() || !inside(room, {left, text.anchor.y - text.size / 2, width, text.size})) {
        return false;
    }
    layer.texts.push_back(std::move(text));
    return true;
}

void put_hit(Drawing& drawing, const Rect& room, const Rect& rect, const Target& target) {
    const Rect part = intersect(room, rect);
    if (part.w > 0 && part.h > 0) {
        drawing.hits.push_back({part, target});
    }
}

const Launch* shown_launch(const Trace& trace, const session::Moment& moment, std::uint32_t* index) {
    if (trace.launches.empty()) {
        return nullptr;
    }
    const auto last = static_cast<std::uint32_t>(trace.launches.size() - 1);
    const std::uint32_t launch = std::min(moment.launch, last);
    if (index != nullptr) {
        *index = launch;
    }
    return &trace.launches[launch];
}

bool is_host(const Trace& trace, const session::Moment& moment) { return moment.launch >= trace.launches.size(); }

std::uint32_t current_step(const Trace& trace, const session::Moment& moment) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr) {
        return 0;
    }
    const auto steps = static_cast<std::uint32_t>(launch->steps.size());
    return is_host(trace, moment) ? steps : std::min(moment.step, steps == 0 ? 0 : steps - 1);
}

bool is_hidden(const ViewContext& context, std::uint32_t launch, std::uint32_t step) {
    return context.hidden_from != kNone && launch + 1 == context.trace->launches.size() && step >= context.hidden_from;
}

void add_unknown(const ViewContext& context, Layer& layer, const Rect& rect) {
    const Theme& theme = *context.theme;
    layer.boxes.push_back({.rect = rect,
                           .radius = std::min(3 * context.scale, rect.w / 4),
                           .fill = kClear,
                           .stroke = with_alpha(theme.faint, 0.9F),
                           .stroke_width = std::min(context.scale, rect.w / 4),
                           .pattern = Pattern::hatch,
                           .pattern_color = with_alpha(theme.faint, 0.8F)});
    const float size = std::min(15 * context.scale, rect.h * 0.85F);
    const float wide = context.measure->width("?", Face::sans_bold, size) + 8 * context.scale;
    if (size < 8 * context.scale || wide > rect.w) {
        return;
    }
    const float middle = rect.x + rect.w / 2;
    layer.boxes.push_back(
        {.rect = {middle - wide / 2, rect.y + 1, wide, rect.h - 2}, .radius = 3 * context.scale, .fill = theme.panel});
    put_text(layer, *context.measure, rect,
             {{middle, rect.y + rect.h / 2}, Align::center, Face::sans_bold, size, theme.muted, "?"});
}

} // namespace warptree::scene
