// What to measure on a GPU for comparison with what the Timings screen shows.
#pragma once

#include "app/features/timings/state/timings.hpp"
#include "app/measure/gpu/file_timing.hpp"
#include "app/measure/timing/plan.hpp"

#include <cstdint>
#include <vector>

namespace warptree::session {

// The experiments on screen, in the mode and the quantity shown: every kernel of the chosen kind that can run under the
// conditions, each configuration (grid, parameters) that a shown series has there, and the peers that give the peaks.
// Those of the shown n first; then, if the figure is against n, those of its curves; if it compares cold and warm or
// block sizes, those. A reduction is measured down to its one value, unless the quantity or the finish says otherwise.
// What cannot run keeps its place, with the reason. `multiprocessors`: of the GPU.
std::vector<timing::Planned> plan_of(const Timings& shown, std::uint32_t multiprocessors);

// Appends the experiments with kernel files: in the sizes and modes of `all`, under the conditions shown. A file that
// cannot be used keeps its place, with the reason.
void plan_files(const runs::TimedFiles& files, const timing::Conditions& conditions, std::vector<timing::Planned>& all);

} // namespace warptree::session
