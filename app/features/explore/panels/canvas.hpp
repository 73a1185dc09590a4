// A view inside a panel: paints a drawing, reports what the pointer is on, shows its tooltip.
#pragma once

#include "app/features/explore/panels/panel.hpp"

namespace warptree::panels {

// Veils an area of the current window while it is of something earlier: of a text before one that does not run, or while a run takes
// its time.
void dim_what_is_old(const Context& context, scene::Rect area);

// Makes the drawing's area an ImGui item, paints it, sets hover while the pointer is on it, and selects on a click.
// Returns true while the pointer is on it.
bool paint(Context& context, const scene::Drawing& drawing, const char* item);
// Zooms by wheel steps; the point under `fixed` stays there.
void zoom_tree(session::Explore& explore, const scene::Rect& area, scene::Point fixed, float steps,
               const scene::ViewContext* context = nullptr); // if given, a cell under the point stays there
// Describes a target for tooltips, in several lines.
std::string describe(const Trace& trace, const scene::Target& target);

} // namespace warptree::panels
