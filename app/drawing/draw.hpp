// Draw records: what views produce and renderers paint. Units are pixels, y down, origin at the top
// left of the picture or window. Painter's order: layer by layer; within a layer curves, then boxes, then texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::scene {

struct Color {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    friend bool operator==(const Color&, const Color&) = default;
};
struct Point {
    float x = 0, y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};
struct Rect {
    float x = 0, y = 0, w = 0, h = 0;
    float right() const { return x + w; }
    float bottom() const { return y + h; }
    bool contains(Point p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
    bool overlaps(const Rect& o) const { return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom(); }
    friend bool operator==(const Rect&, const Rect&) = default;
};

// Colour is never the only cue: a pattern says the same.
enum class Pattern : std::uint8_t { plain, hatch, cross_hatch, dots };

struct Box {
    Rect rect;
    float radius = 0; // of the corners; half the side makes a disc
    Color fill;
    Color stroke{0, 0, 0, 0};
    float stroke_width = 0; // inside the rect
    Pattern pattern = Pattern::plain;
    Color pattern_color{0, 0, 0, 0};
};

// A cubic Bézier; a straight line has its control points on it.
struct Curve {
    Point from, control1, control2, to;
    float width = 1;
    Color color;
    float dash = 0; // length of dash and gap in pixels; 0: solid
};

enum class Face : std::uint8_t { sans, sans_bold, mono };
enum class Align : std::uint8_t { left, center, right };

struct Text {
    Point anchor; // x by align; y is the middle of the line
    Align align = Align::left;
    Face face = Face::sans;
    float size = 15; // pixels per em
    Color color;
    std::string text; // UTF-8, one line
};

// What a place on screen stands for; all views share these, so hovering one highlights it in all.
struct Target {
    enum class Kind : std::uint8_t {
        none,
        node,
        thread,
        warp,
        step,
        request,
        lane,
        block,
        launch,
        word
    } kind = Kind::none;
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::uint32_t index = 0;          // node, thread in block, warp, step, request index, word
    std::uint32_t step = 0xFFFFFFFFU; // if the target belongs to one
    friend bool operator==(const Target&, const Target&) = default;
};
struct Hit {
    Rect rect;
    Target target;
};

struct Layer {
    std::vector<Curve> curves;
    std::vector<Box> boxes;
    std::vector<Text> texts;
};

struct Drawing {
    Rect clip; // nothing is painted outside
    std::vector<Layer> layers;
    std::vector<Hit> hits; // later ones lie above earlier ones

    Target at(Point p) const; // the topmost hit, or kind none
};

// Width of one line of text, so that views can lay out without overlap. Implemented by each renderer.
class TextMeasure {
  public:
    virtual ~TextMeasure() = default;
    virtual float width(std::string_view text, Face face, float size) const = 0;
};

} // namespace warptree::scene
