// Pen and arrow over the picture, for pointing at things in class: strokes in window pixels.
#pragma once

#include "app/drawing/draw.hpp"

#include <cstddef>
#include <vector>

namespace warptree::session {

class Annotations {
  public:
    enum class Tool : std::uint8_t { none, pen, arrow };
    struct Stroke {
        Tool tool = Tool::pen;
        std::vector<scene::Point> points; // two for an arrow: its tail and its head
    };

    Tool tool() const { return tool_; }
    void take(Tool tool); // taking the current one again puts it away
    // Drawing by mouse or keys.
    void begin(scene::Point at);
    void go_on(scene::Point at);
    void end();
    bool drawing() const { return drawing_; }
    void take_back(); // the last stroke
    void wipe();
    const std::vector<Stroke>& strokes() const { return strokes_; }

    // Where the keyboard draws.
    scene::Point cursor;
    bool by_keys = false;
    void move_cursor(float dx, float dy, const scene::Rect& room);

  private:
    static constexpr std::size_t kMostStrokes = 500, kMostPoints = 4000; // points per stroke
    Tool tool_ = Tool::none;
    bool drawing_ = false;
    std::vector<Stroke> strokes_;
};

// The outer ends of an arrowhead's two barbs.
struct ArrowHead {
    scene::Point left, right;
};
ArrowHead arrow_head(scene::Point tail, scene::Point head, float size);

} // namespace warptree::session
