// Shared by line plots and bar plots.
#pragma once

#include "app/views/parts.hpp"
#include "app/views/plots/plot.hpp"

#include <algorithm>
#include <array>

namespace warptree::scene {

struct SeriesStyle {
    Color color;
    float dash = 0; // at scale 1
    Pattern pattern = Pattern::plain;
    bool hollow = false, square = false; // of the point marks
};
inline SeriesStyle series_style(const Theme& t, std::size_t index) {
    const std::array colors{t.accent, t.attention, t.agree, t.conflict, t.hazard, t.text, t.muted};
    constexpr std::array patterns{Pattern::plain, Pattern::hatch, Pattern::dots, Pattern::cross_hatch};
    constexpr std::array dashes{0.0F, 7.0F, 2.5F, 12.0F};
    return {colors[index % colors.size()], dashes[index % dashes.size()], patterns[index % patterns.size()],
            index % 2 == 1, index % 4 > 1};
}

// The same, with the colour and dash that the series specifies.
inline SeriesStyle series_style(const Theme& t, const Series& series, std::size_t index) {
    SeriesStyle style = series_style(t, series.dash < 0 ? index : static_cast<std::size_t>(series.dash));
    style.color = series_style(t, series.color < 0 ? index : static_cast<std::size_t>(series.color)).color;
    return style;
}

// Sizes in scaled pixels, and labels that are drawn whole or not at all.
struct PlotInk {
    const PlotContext& context;
    Layer& layer;
    Rect area;
    std::vector<Rect> taken{}; // rectangles of labels

    const Theme& theme() const { return *context.theme; }
    float px(float at_scale_1) const { return at_scale_1 * context.scale; }
    float size() const { return px(13); }
    float row() const { return px(18); }
    float width(const std::string& text) const { return context.measure->width(text, Face::sans, size()); }

    // Only if it lies within the area and overlaps no other label; returns whether it does.
    bool label(Point at, Align align, Color color, const std::string& text) {
        const float w = width(text);
        const float x = align == Align::left ? at.x : align == Align::right ? at.x - w : at.x - w / 2;
        const Rect r{x, at.y - size() * 0.5F, w, size()};
        if (text.empty() || !inside(area, r)) {
            return false;
        }
        const Rect wide{r.x - px(3), r.y, r.w + px(6), r.h};
        if (std::any_of(taken.begin(), taken.end(), [&](const Rect& t) { return t.overlaps(wide); })) {
            return false;
        }
        taken.push_back(r);
        layer.texts.push_back({at, align, Face::sans, size(), color, text});
        return true;
    }
    void line(Point from, Point to, float w, Color color, float dash = 0) {
        layer.curves.push_back(straight(from, to, px(w), color, px(dash)));
    }
};

} // namespace warptree::scene
