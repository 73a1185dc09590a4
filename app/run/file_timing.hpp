// Kernel files as rows of a table of timings.
#pragma once

#include "app/measure/timing/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace warptree::runs {

// Files by the name that stands in their rows: "mine.cu".
using TimedFiles = std::map<std::string, std::string, std::less<>>;

// The combinations of these axes that concern the file; what a file leaves no choice of (its element type, where it has
// none of reduction.cuh) is what it is. Impossible ones stay, with the reason. Throws FileError.
std::vector<timing::Planned> plan_file(const std::string& variant, const std::string& path, const timing::Axes& axes);

// As options of a run of the file.
RunOptions timed_options(const timing::Configuration& what, const std::string& path, std::uint64_t seed);

// What a run of the file must move: each input once, and each result once; partial ones not. Throws what makes it no kernel.
timing::Traffic traffic_of(const RunOptions& options);

} // namespace warptree::runs
