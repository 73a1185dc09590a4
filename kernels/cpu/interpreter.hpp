// Runs a launch in the interpreter, blocks spread over threads; those of a kernel that looks back run in order on one
// (see tile_board.hpp).
#pragma once

#include "kernels/launch.hpp"

namespace warptree::cpu {

unsigned default_workers(); // one a core

// `progress_from` … `progress_to`: the launch's share of the run. Throws Cancelled.
LaunchResult launch(const LaunchRequest& request, RunControl& control, double progress_from, double progress_to);

} // namespace warptree::cpu
