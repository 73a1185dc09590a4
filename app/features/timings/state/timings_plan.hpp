// What to measure on a GPU so that it stands beside what the Timings screen shows.
#pragma once

#include "app/features/timings/state/timings.hpp"
#include "app/measure/timing/plan.hpp"
#include "app/run/file_timing.hpp"

#include <cstdint>
#include <vector>

namespace warptree::session {

// The experiments on screen: every kernel of the chosen kind that can run under the conditions, and each configuration
// that a shown series has there (its grid, its parameters), in the mode and the quantity shown, and the peers that give
// its peaks. Those of the shown n first; then, where the figure goes against n, those of its curves; cold and warm, or several
// block sizes, where the figure compares those. A reduction is measured down to its one value, unless the quantity or the finish says
// otherwise. What cannot run keeps its place, with the reason. `multiprocessors`: of the GPU.
std::vector<timing::Planned> plan_of(const Timings& shown, std::uint32_t multiprocessors);

// Appends what is measured of kernel files beside `all`: in its sizes and modes, under the conditions shown. A file that is
// no kernel keeps its place, with the reason.
void plan_files(const runs::TimedFiles& files, const timing::Conditions& conditions, std::vector<timing::Planned>& all);

} // namespace warptree::session
