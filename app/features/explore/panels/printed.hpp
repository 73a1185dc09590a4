// What a program or a kernel printed, below the source.
#pragma once

#include "app/features/explore/panels/panel.hpp"

#include <memory>
#include <string>

namespace warptree::panels {

// Of a program all, of a kernel that of the launch on screen; empty: nothing.
const std::string& printed_of(const session::Explore& explore);

class Printed {
  public:
    // Draws it, if it is asked for and there is any; returns the rest of the area.
    scene::Rect draw(Context& c, scene::Rect area);

  private:
    std::weak_ptr<const Trace> trace_; // whose text it is
    std::uint32_t launch_ = 0;
    std::string text_;
    std::size_t lines_ = 0;
};

} // namespace warptree::panels
