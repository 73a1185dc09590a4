// A view inside a panel: paints a drawing, reports what the pointer is on, shows its tooltip.
#pragma once

#include "app/features/explore/panels/panel.hpp"

namespace warptree::panels {

// Veils an area of the current window while it is of something earlier: of a text before one that does not run, or while a run takes
// its time.
void dim_what_is_old(const Context& context, scene::Rect area);

// What the tooltip says of the place under the pointer, and where that is; empty: what describe() does.
struct Said {
    std::string text;
    scene::Rect about;
};
// Makes the drawing's area an ImGui item, paints it, sets hover while the pointer is on it, and selects on a click.
// Returns true while the pointer is on it.
bool paint(Context& context, const scene::Drawing& drawing, const char* item, const Said& said = {});
// A small button that is one of several choices; `tip`: its tooltip.
bool chip(const Context& context, const std::string& text, bool lit, const char* tip);
// Zooms by wheel steps; the point under `fixed` stays there.
void zoom_tree(session::Explore& explore, const scene::Rect& area, scene::Point fixed, float steps,
               const scene::ViewContext* context = nullptr); // if given, a cell under the point stays there
// Describes a target for tooltips, in several lines.
std::string describe(const Trace& trace, const scene::Target& target);

} // namespace warptree::panels
