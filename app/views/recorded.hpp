// What hardware said of the step on screen, as facts beside the computed ones. Pure functions of recordings.
#pragma once

#include "app/measure/clocks/clocks.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

// "H200" of "NVIDIA H200".
std::string short_device(const std::string& device);

// Of launches in blocks of the trace's size and type; none of others. Every note begins with the recorded launch.
//
// Cycles of the step, where the recording has a step of that label.
std::vector<Fact> clock_facts(const Trace& trace, const session::Moment& moment, const clocks::Recording& recording);

// Of the launch: counts as predicted or not, and what the compiler made of the branches.
std::vector<Fact> counter_facts(const Trace& trace, const counters::Recording& recording,
                                const std::vector<counters::Explanation>& explanations);

} // namespace warptree::scene
