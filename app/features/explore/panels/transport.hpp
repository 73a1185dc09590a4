// Buttons and the strip of steps for moving through time.
#pragma once

#include "app/document/playback.hpp"
#include "app/features/explore/panels/panel.hpp"

#include <span>
#include <string>

namespace warptree::panels {

struct TransportStep {
    std::string label;          // "s = 4"; shortened if there is little room
    bool attention = false;     // underlined: warps diverge
    bool begins_launch = false; // a line before it
    bool barrier = false;       // a line after it: it ends at a barrier
    bool wrong = false;         // marked: something goes wrong in it
};
// One step for each place of the playback from `first` on, the current one among them; none: only the buttons. `caption`:
// what the labels count; empty: the part before "=" of labels that have no room for it.
void draw_transport(Context& context, session::Playback& playback, std::span<const TransportStep> steps,
                    const scene::Rect& area, const std::string& caption = {}, std::uint32_t first = 0);

} // namespace warptree::panels
