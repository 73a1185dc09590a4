#include "app/scene/sheet.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {

// Start of the UTF-8 character before byte `i`.
std::size_t before(std::string_view text, std::size_t i) {
    do {
        --i;
    } while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U);
    return i;
}

Rect intersection(const Rect& a, const Rect& b) {
    const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

} // namespace

Color mix(Color a, Color b, float t) {
    const auto channel = [t](std::uint8_t x, std::uint8_t y) {
        return static_cast<std::uint8_t>(std::lround(static_cast<float>(x) + (static_cast<float>(y) - static_cast<float>(x)) * t));
    };
    return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), channel(a.a, b.a)};
}

Color faded(Color color, float alpha) {
    color.a = static_cast<std::uint8_t>(std::lround(static_cast<float>(color.a) * std::clamp(alpha, 0.0F, 1.0F)));
    return color;
}

Sheet::Sheet(const ViewContext& context, Rect clip, std::size_t layers)
    : theme(*context.theme), measure_(*context.measure), scale_(context.scale) {
    drawing_.clip = clip;
    drawing_.layers.resize(layers);
}

void Sheet::box(std::size_t layer, const Box& box) {
    if (box.rect.w > 0 && box.rect.h > 0 && visible(box.rect)) {
        drawing_.layers[layer].boxes.push_back(box);
    }
}

void Sheet::curve(std::size_t layer, const Curve& c) {
    const auto [left, right] = std::minmax({c.from.x, c.control1.x, c.control2.x, c.to.x});
    const auto [top, bottom] = std::minmax({c.from.y, c.control1.y, c.control2.y, c.to.y});
    if (visible({left - c.width, top - c.width, right - left + 2 * c.width, bottom - top + 2 * c.width})) {
        drawing_.layers[layer].curves.push_back(c);
    }
}

void Sheet::line(std::size_t layer, Point a, Point b, float width, Color color, float dash) {
    const Point third{a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3};
    const Point two_thirds{b.x - (b.x - a.x) / 3, b.y - (b.y - a.y) / 3};
    curve(layer, {a, third, two_thirds, b, width, color, dash});
}

float Sheet::width(std::string_view text, const Ink& ink) const { return measure_.width(text, ink.face, ink.size); }

bool Sheet::text(std::size_t layer, Point anchor, Align align, const Ink& ink, std::string_view text) {
    const float half = ink.size * kLineHeight / 2;
    const Rect& c = drawing_.clip;
    if (text.empty() || ink.size < kLeastText * std::min(scale_, 1.0F) - 0.01F || anchor.y - half < c.y - 0.5F ||
        anchor.y + half > c.bottom() + 0.5F) {
        return false;
    }
    const float w = width(text, ink);
    const float x = align == Align::left ? anchor.x : align == Align::center ? anchor.x - w / 2 : anchor.x - w;
    if (x < c.x - 0.5F || x + w > c.right() + 0.5F) {
        return false;
    }
    drawing_.layers[layer].texts.push_back({anchor, align, ink.face, ink.size, ink.color, std::string(text)});
    return true;
}

bool Sheet::text_in(std::size_t layer, Rect room, Align align, const Ink& ink, std::string_view what) {
    if (room.h < ink.size * 0.95F) {
        return false;
    }
    const float y = room.y + room.h / 2;
    const float x = align == Align::left ? room.x : align == Align::center ? room.x + room.w / 2 : room.right();
    return text(layer, {x, y}, align, ink, fit(what, ink, room.w));
}

std::string Sheet::fit(std::string_view text, const Ink& ink, float room) const {
    if (width(text, ink) <= room) {
        return std::string(text);
    }
    std::size_t low = 0, high = text.size(); // bytes kept: low fits, high does not
    while (low < high) {
        std::size_t mid = (low + high + 1) / 2;
        while (mid > 0 && mid < text.size() && (static_cast<unsigned char>(text[mid]) & 0xC0U) == 0x80U) {
            --mid;
        }
        if (mid <= low) {
            break;
        }
        if (width(std::string(text.substr(0, mid)) + "…", ink) <= room) {
            low = mid;
        } else {
            high = before(text, mid);
        }
    }
    while (low > 0 && text[low - 1] == ' ') {
        --low;
    }
    return low < 2 ? std::string() : std::string(text.substr(0, low)) + "…";
}

std::vector<std::string> Sheet::wrap(std::string_view text, const Ink& ink, float room) const {
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        const std::string word(text.substr(at, space - at));
        const std::string longer = line.empty() ? word : line + " " + word;
        if (!line.empty() && width(longer, ink) > room) {
            lines.push_back(line);
            line = word;
        } else {
            line = longer;
        }
        at = space + 1;
    }
    if (!line.empty()) {
        lines.push_back(line);
    }
    for (std::string& l : lines) {
        l = fit(l, ink, room);
    }
    return lines;
}

void Sheet::warning(std::size_t layer, Point centre, float size, Color color) {
    const float h = size / 2, stroke = std::max(1.5F, size / 8);
    const Point top{centre.x, centre.y - h}, left{centre.x - h, centre.y + h * 0.8F}, right{centre.x + h, left.y};
    box(layer, {{centre.x - h * 0.55F, centre.y - h * 0.1F, h * 1.1F, h * 0.9F}, 0, theme.panel, {0, 0, 0, 0}, 0,
                Pattern::plain, {0, 0, 0, 0}});
    line(layer + 1, top, left, stroke, color);
    line(layer + 1, left, right, stroke, color);
    line(layer + 1, right, top, stroke, color);
    line(layer + 1, {centre.x, centre.y - h * 0.25F}, {centre.x, centre.y + h * 0.25F}, stroke, color);
    line(layer + 1, {centre.x, centre.y + h * 0.4F}, {centre.x, centre.y + h * 0.58F}, stroke, color);
}

void Sheet::hit(Rect rect, const Target& target) {
    const Rect inside = intersection(rect, drawing_.clip);
    if (inside.w > 0 && inside.h > 0) {
        drawing_.hits.push_back({inside, target});
    }
}

} // namespace warptree::scene
