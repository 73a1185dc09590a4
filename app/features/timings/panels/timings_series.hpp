// The list of series on the Timings page: a box each, in its colour, with where it comes from.
#pragma once

#include "app/features/explore/panels/panel.hpp"
#include "app/features/timings/state/timings.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace warptree::pages {

class SeriesList {
  public:
    // Arrows choose, Enter and a click turn a series on or off: `toggle`. One that is on and has nothing at
    // the conditions offers those that it has: `go_to`. `placed` hears where each box lies.
    void draw(panels::Context& context, const session::Timings& timings,
              const std::function<void(std::size_t series)>& toggle,
              const std::function<void(std::size_t series)>& go_to,
              const std::function<void(const std::string& id, scene::Rect rect)>& placed);

  private:
    int cursor_ = 0; // the box with the keyboard
};

} // namespace warptree::pages
