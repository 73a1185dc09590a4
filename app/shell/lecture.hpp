// State of the features for lecturing, as tests read it.
#pragma once

#include <cstddef>
#include <string>

namespace warptree::window {

struct LectureState {
    std::string tool = "none"; // active tool: none, pen or arrow
    std::size_t strokes = 0;
    std::size_t deck_at = 0, deck_states = 0; // 0 states: there is no deck
    std::string deck_title;                   // of the state that is shown
    bool full = false;                        // one panel fills the window
    std::string coach;                        // the title of the step that is shown; empty: none
};

} // namespace warptree::window
