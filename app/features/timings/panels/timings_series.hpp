// The list of series on the Timings page: a check box each, with its colour and its origin.
#pragma once

#include "app/features/timings/state/timings.hpp"
#include "app/features/widgets/context.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace warptree::pages {

class SeriesList {
  public:
    // Up and down choose a series; Enter, left, right or a click turn it on or off: `toggle`. One that is on but has no
    // points at the conditions offers conditions at which it has: `go_to`. `placed` gets the rectangle of each box.
    void draw(panels::Context& context, const session::Timings& timings,
              const std::function<void(std::size_t series)>& toggle,
              const std::function<void(std::size_t series)>& go_to,
              const std::function<void(const std::string& id, scene::Rect rect)>& placed);

  private:
    int cursor_ = 0; // the box with the keyboard
};

} // namespace warptree::pages
