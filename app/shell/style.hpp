// ImGui's style in the colours of the theme.
#pragma once

#include "app/drawing/theme.hpp"

namespace warptree::window {

void apply_style(const scene::Theme& theme, float scale);

} // namespace warptree::window
