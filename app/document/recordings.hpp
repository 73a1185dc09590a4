// Recordings from real GPUs and published figures that ship with the program, below assets/.
#pragma once

#include "app/measure/clocks/clocks.hpp"
#include "app/measure/code/recording.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/measure/timing/results.hpp"
#include "app/theory/kernel_resources.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace warptree::session {

// Read once each; empty when nothing was recorded. Throw FileError for an unusable file.
const std::vector<counters::Recording>& recorded_counters(); // assets/counters
const std::vector<counters::Explanation>& explanations();    // assets/counters/explanations.json
const std::vector<clocks::Recording>& recorded_clocks();     // assets/clocks
// assets/code of a strategy, read on first use; nullptr: there is none, or it cannot be used.
const code::Recording* recorded_code(std::string_view strategy);
// assets/timings: measured before published, by file name; an unusable file is left out.
const std::vector<timing::Series>& recorded_timings();
// Registers and memory of the compiled kernels, assets/kernels; null when they cannot be read.
const theory::ResourceTable* recorded_kernels();

// The recording of a strategy nearest in block size and type, exact matches first; nullptr when there is none.
const clocks::Recording* nearest_clocks(std::string_view strategy, std::uint32_t block, ElementType type);

} // namespace warptree::session
