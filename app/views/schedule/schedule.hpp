// Which multiprocessor ran each block, and when.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/measure/clocks/clocks.hpp"

#include <string>

namespace warptree::scene {

// At the top, all multiprocessors, one row each: the stronger the colour, the more blocks run at once. Below, the first
// few of them with a bar for each block. Time runs to the right. Text appears only where it fits.
Drawing draw_schedule(const clocks::Recording& recording, const Theme& theme, const TextMeasure& measure, float scale,
                      Rect area);

// One or two sentences: blocks, multiprocessors, most blocks resident on one, and the overhead of the clock readings.
std::string schedule_sentence(const clocks::Recording& recording);

// The whole picture: title, schedule, sentence, on its background.
Drawing compose_schedule(const clocks::Recording& recording, const Theme& theme, const TextMeasure& measure,
                         float scale, float width, float height);

} // namespace warptree::scene
