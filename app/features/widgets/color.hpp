// Colours of a theme as Dear ImGui takes them.
#pragma once

#include "app/drawing/draw.hpp"

#include <imgui.h>

namespace warptree {

// `alpha`: 0 to 1, a factor for the colour's own.
inline ImU32 u32(const scene::Color& c, float alpha = 1) {
    return IM_COL32(c.r, c.g, c.b, static_cast<int>(static_cast<float>(c.a) * alpha));
}
inline ImVec4 vec(const scene::Color& c, float alpha = 1) {
    return {static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255, static_cast<float>(c.b) / 255,
            static_cast<float>(c.a) / 255 * alpha};
}

} // namespace warptree
