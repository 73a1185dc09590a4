// Hardware measurements of the step on screen, as facts beside the computed ones. Pure functions.
#pragma once

#include "app/measure/clocks/clocks.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

// "H200" of "NVIDIA H200".
std::string short_device(const std::string& device);

// Only recordings with the trace's block size and type are used. Every note begins with the recorded launch.
//
// Cycles of the step, if the recording has a step with that label.
std::vector<Fact> clock_facts(const Trace& trace, const session::Moment& moment, const clocks::Recording& recording);

// For the launch: whether counters match the prediction, and how the compiler implemented the branches.
std::vector<Fact> counter_facts(const Trace& trace, const counters::Recording& recording,
                                const std::vector<counters::Explanation>& explanations);

} // namespace warptree::scene
