// Places of what is shown by what one calls them.
#pragma once

#include "app/features/action.hpp"
#include "app/features/explore/explore.hpp"

#include <string_view>
#include <vector>

namespace warptree::session {

// What "thread 37", "block 2 thread 5", "warp 3", "s[7]", "C[1][2]", "s", "line 10", "step 3" or a step's label, "d = 4",
// and questions as "who wrote s[7]?" and "what is s[7]" stand for in the shown launch, as actions that go there; of what it does
// not have, one that says so and does nothing. Empty: the text names no place.
std::vector<window::Action> named_places(Explore& explore, std::string_view typed);

} // namespace warptree::session
