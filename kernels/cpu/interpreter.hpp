// Runs a launch in the interpreter, blocks spread over threads.
#pragma once

#include "kernels/launch.hpp"

namespace warptree::cpu {

unsigned default_workers(); // one a core

// `progress_from` … `progress_to`: the launch's share of the run. Throws Cancelled.
LaunchResult launch(const LaunchRequest& request, RunControl& control, double progress_from, double progress_to);

} // namespace warptree::cpu
