// What is timed on the GPU at hand: kernels from their text, what stands beside them, and empty kernels.
#pragma once

#include "app/measure/timing/harness.hpp"
#include "app/run/interpreted_first.hpp"
#include "app/run/real_kernel.hpp"
#include "app/run/timing_bench.hpp"

#include <memory>
#include <string>

namespace warptree::runs {

// `options` is of the kernel's file. `what` says how; `depth` and `scan`, of a float's roundings, are bounds. All throw
// OptionError for what only comes out now.
struct KernelToTime {
    timing::Configuration what;
    RunOptions options;
    const Interpreted* found = nullptr;
    std::uint64_t depth = 0;
    timing::ScanDepth scan;
};
std::unique_ptr<timing::Experiment> open_kernel(TimingBench& bench, RealCode& code, const GpuWishes& wishes,
                                                const KernelToTime& kernel);

// One of timing::kPeers.
std::string peer_refusal(const timing::Configuration& what);
std::unique_ptr<timing::Experiment> open_peer(TimingBench& bench, const timing::Configuration& what,
                                              std::uint64_t seed);

// An empty kernel in the grid of the strategy's launches.
std::unique_ptr<timing::Experiment> open_empty(TimingBench& bench, const timing::Configuration& what);

} // namespace warptree::runs
