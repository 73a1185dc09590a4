// The words around the picture of one access: what it is above, what it costs below, each only if the height allows.
#pragma once

#include "app/views/views.hpp"

#include <initializer_list>
#include <string>

namespace warptree::scene {

class AccessWords {
  public:
    AccessWords(const ViewContext& context, Rect area, Drawing& drawing);

    float above() const { return above_; } // heights that are kept free
    float below() const { return below_; }
    float axis() const { return axis_; }

    // The first of the texts that fits, else the last, truncated.
    void caption(std::initializer_list<std::string> texts) const;
    // The cost in bold, a note beside it, and a sentence below, where there is more than a line; of the notes and of the
    // sentences the first that fits.
    void verdict(const std::string& cost, std::initializer_list<std::string> notes,
                 std::initializer_list<std::string> sentences) const;

  private:
    void say_longest(Point at, float size, std::initializer_list<std::string> texts) const;

    const ViewContext& context_;
    Rect area_;
    Drawing& drawing_;
    float above_, below_, axis_;
};

} // namespace warptree::scene
