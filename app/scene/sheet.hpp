// Building a drawing: scaled lengths, culling at the clip, text that fits or is left out.
#pragma once

#include "app/scene/views.hpp"

#include <string>
#include <string_view>

namespace warptree::scene {

inline constexpr float kLineHeight = 1.2F; // of a text, in ems
inline constexpr float kLeastText = 8;     // pixels an em; smaller text is left out

Color mix(Color a, Color b, float t); // t = 0: a, 1: b
Color faded(Color color, float alpha);

// How a text looks; size in pixels.
struct Ink {
    Face face = Face::sans;
    float size = 13;
    Color color;
};

inline Rect inset(Rect r, float by) { return {r.x + by, r.y + by, r.w - 2 * by, r.h - 2 * by}; }
inline Point middle(Rect r) { return {r.x + r.w / 2, r.y + r.h / 2}; }

class Sheet {
  public:
    Sheet(const ViewContext& context, Rect clip, std::size_t layers);

    const Theme& theme;
    float px(float units) const { return units * scale_; } // length in pixels of one at 100 %
    const Rect& clip() const { return drawing_.clip; }
    bool visible(Rect r) const { return r.overlaps(drawing_.clip); }

    void box(std::size_t layer, const Box& box);
    void curve(std::size_t layer, const Curve& curve);
    void line(std::size_t layer, Point a, Point b, float width, Color color, float dash = 0);
    float width(std::string_view text, const Ink& ink) const;
    // False, and nothing drawn, when it is too small or would leave the clip.
    bool text(std::size_t layer, Point anchor, Align align, const Ink& ink, std::string_view text);
    // Within `room`: shortened with an ellipsis when too long; left out when not even that fits.
    bool text_in(std::size_t layer, Rect room, Align align, const Ink& ink, std::string_view text);
    // `text`, or its longest beginning with an ellipsis that is at most `room` wide; empty when nothing useful fits.
    std::string fit(std::string_view text, const Ink& ink, float room) const;
    // Broken at spaces into lines at most `room` wide.
    std::vector<std::string> wrap(std::string_view text, const Ink& ink, float room) const;
    // A triangle with an exclamation mark: danger, in shape as well as colour.
    void warning(std::size_t layer, Point centre, float size, Color color);
    void hit(Rect rect, const Target& target);

    Drawing take() { return std::move(drawing_); }

  private:
    const TextMeasure& measure_;
    float scale_;
    Drawing drawing_;
};

} // namespace warptree::scene
