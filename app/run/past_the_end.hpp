// What a launch over fewer elements than its threads shows of a kernel that is told how many there are.
#pragma once

#include "app/run/launch_run.hpp"

#include <string>
#include <vector>

namespace warptree::runs {

// A sentence for each array of which `run` stored to one element past its n, or of which each of its threads, as many as
// `shown` has elements, loaded one. Only arrays whose size nobody stated: whether they have n elements is not known.
std::vector<std::string> past_the_end(const KernelLaunch& shown, const LaunchRun& run);

} // namespace warptree::runs
