// What is timed on this machine's GPU: kernels compiled from source, their peers, and empty kernels.
#pragma once

#include "app/measure/gpu/interpreted_first.hpp"
#include "app/measure/gpu/real_kernel.hpp"
#include "app/measure/gpu/timing_bench.hpp"
#include "app/measure/timing/harness.hpp"

#include <memory>
#include <string>

namespace warptree::runs {

// `options` belong to the kernel's file, `what` is the configuration; `depth` and `scan` bound the rounding of floats.
// All throw OptionError for problems that show up only here.
struct KernelToTime {
    timing::Configuration what;
    RunOptions options;
    const Interpreted* found = nullptr;
    std::uint64_t depth = 0;
    timing::ScanDepth scan;
};
std::unique_ptr<timing::Experiment> open_kernel(TimingBench& bench, RealCode& code, const GpuOptions& gpu_options,
                                                const KernelToTime& kernel);

// One of timing::kPeers.
std::string peer_refusal(const timing::Configuration& what);
std::unique_ptr<timing::Experiment> open_peer(TimingBench& bench, const timing::Configuration& what,
                                              std::uint64_t seed);

// An empty kernel in the grid of the strategy's launches.
std::unique_ptr<timing::Experiment> open_empty(TimingBench& bench, const timing::Configuration& what);

} // namespace warptree::runs
