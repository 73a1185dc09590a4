// What the figures beside the bars have in common, and those with a file of their own.
#pragma once

#include "app/features/timings/timings.hpp"

#include <string>

namespace warptree::scene {

// Draws a title and a muted line below it; returns the rest of the area.
Rect figure_heading(TimingsPen& pen, const Rect& area, const std::string& title, const std::string& note);
// "Not measured: " and the reason, at the top of the room.
void not_measured(TimingsPen& pen, const Rect& room, const std::string& why);
// "NVIDIA H200" of "NVIDIA H200 (recorded)"
std::string short_name(const std::string& series);

// Curves of the kernels against n, with the measured and the theoretical peak.
void draw_sizes(TimingsPen& pen, const Rect& area);
// The samples of the selected point, else of the first row that has some: counted in bins, and in the order taken.
void draw_samples(TimingsPen& pen, const Rect& area);

} // namespace warptree::scene
