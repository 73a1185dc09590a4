// Navigation in the tree of a large launch: the camera's movement, and below the tree the frame buttons and an overview
// map.
#pragma once

#include "app/features/explore/panels/panel.hpp"

#include <cstdint>
#include <memory>
#include <tuple>

namespace warptree::panels {

class TreeBar {
  public:
    // Height of the bar; 0 if the whole tree fits.
    static float height(const Context& context, const scene::Rect& area);
    // Moves Explore's camera to its frame, or closer to it. Call once per frame, before drawing the tree in `area`.
    void fly(Context& context, const scene::Rect& area);
    void draw(Context& context, const scene::Rect& area, const scene::Rect& bar) const;

  private:
    // The camera's destination; when it changes, a flight begins.
    using Goal = std::tuple<scene::Frame, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    Goal goal_{};
    std::weak_ptr<const Trace> trace_; // the trace of goal_
    scene::Camera from_;
    double began_ = 0, lasts_ = 0; // seconds
    int presents_ = 0;             // in a presentation, with the tree alone
    bool zoomed_to_read_ = false;  // for the presentation
    bool playing_ = false;         // in the previous frame
};

} // namespace warptree::panels
