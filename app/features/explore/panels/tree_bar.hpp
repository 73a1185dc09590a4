// What the tree shows of a large launch: the camera on its way there, and below the tree the buttons that say so, and a
// map of all of it.
#pragma once

#include "app/features/explore/panels/panel.hpp"

#include <cstdint>
#include <memory>
#include <tuple>

namespace warptree::panels {

class TreeBar {
  public:
    // Of the bar; 0 where the tree has room for itself as a whole.
    static float height(const Context& context, const scene::Rect& area);
    // Brings the camera of Explore to its frame, or nearer to it. Once a frame, before the tree is drawn in `area`.
    void fly(Context& context, const scene::Rect& area);
    void draw(Context& context, const scene::Rect& area, const scene::Rect& bar) const;

  private:
    // Where the camera is bound for; when it is another place, a flight begins.
    using Goal = std::tuple<scene::Frame, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    Goal goal_{};
    std::weak_ptr<const Trace> trace_; // that it is of
    scene::Camera from_;
    double began_ = 0, lasts_ = 0; // seconds
    bool playing_ = false;         // in the frame before
};

} // namespace warptree::panels
