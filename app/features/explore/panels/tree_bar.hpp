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
    // Height of the bar; 0 if the whole tree has room.
    static float height(const Context& context, const scene::Rect& area);
    // Brings the camera of Explore to its frame, or nearer to it. Once a frame, before the tree is drawn in `area`.
    void fly(Context& context, const scene::Rect& area);
    void draw(Context& context, const scene::Rect& area, const scene::Rect& bar) const;

  private:
    // The camera's destination; when it changes, a flight begins.
    using Goal = std::tuple<scene::Frame, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    Goal goal_{};
    std::weak_ptr<const Trace> trace_; // that it is of
    scene::Camera from_;
    double began_ = 0, lasts_ = 0; // seconds
    bool playing_ = false;         // in the frame before
};

} // namespace warptree::panels
