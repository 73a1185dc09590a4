#include "app/features/coach/coach.hpp"

namespace warptree::session {

const std::array<Coach::Step, 3>& Coach::steps() {
    static const std::array<Step, 3> all{
        {{"transport", "Step through it",
          "The right arrow steps forward, the left one back; Space plays. With Shift they move by parts of a step: "
          "loads, combines, stores, barrier."},
         {"tree", "Ask any cell",
          "Hover over a cell: its value, its thread, and all that it is made of lights up. A click keeps it and shows "
          "what "
          "its thread does in this step. Without a mouse: Alt with the arrows."},
         {"strategies", "Change one thing",
          "] goes to the next strategy, P to its parameters; E opens a copy of the kernel to edit. Ctrl+Z takes a "
          "choice back, and F1 lists every key."}}};
    return all;
}

void Coach::begin() {
    at_ = 0;
    looked_ = false;
}

void Coach::look(const Seen& seen) {
    if (looked_ && active()) {
        const bool done = at_ == 0   ? seen.place != before_.place
                          : at_ == 1 ? seen.selected && !before_.selected
                                     : seen.strategy != before_.strategy;
        if (done) {
            next();
        }
    }
    looked_ = true;
    before_ = seen;
}

} // namespace warptree::session
