// Where the panels of the Explore screen lie.
#pragma once

#include "app/scene/draw.hpp"
#include "app/session/explore.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::panels {

inline constexpr float kTopBar = 46; // height at scale 1

// Panel id and rectangle in pixels, for a display of that size. Presentation folds the lists away.
std::vector<std::pair<std::string, scene::Rect>> layout(float width, float height, const session::Looks& looks);

} // namespace warptree::panels
