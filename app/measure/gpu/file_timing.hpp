// Kernel files as rows of a table of timings.
#pragma once

#include "app/measure/timing/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace warptree::runs {

// Paths of the files by the name in their rows: "mine.cu".
using TimedFiles = std::map<std::string, std::string, std::less<>>;

// The combinations of these axes that apply to the file; what the file fixes (its element type, if it does not
// include reduction.cuh) is not varied. Impossible combinations are kept, with the reason. Throws FileError.
std::vector<timing::Planned> plan_file(const std::string& variant, const std::string& path, const timing::Axes& axes);

// The configuration as options for a run of the file.
RunOptions timed_options(const timing::Configuration& what, const std::string& path, std::uint64_t seed);

// The bytes that a run must move: each input and each result once, without partial results. `reached`: as in
// Interpreted, for a result whose size the file does not state. Throws for unusable files.
timing::Traffic traffic_of(const RunOptions& options, const std::map<std::string, double>& reached);

} // namespace warptree::runs
