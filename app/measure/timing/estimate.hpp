// Estimates in advance how long measuring a plan will take.
#pragma once

#include "app/measure/timing/plan.hpp"
#include "app/measure/timing/sampler.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warptree::timing {

// The assumptions of the estimate; the defaults are for an H200 with 16 host cores.
struct Pace {
    double peak_bytes_per_second = 4.8e12; // theoretical; kernels are assumed to reach a quarter of it on average
    std::uint64_t flush_bytes = 120ULL << 20;
    unsigned cores = 16; // of the host, which computes the references
};

// Points of one n and type, which are sampled in turns.
struct GroupEstimate {
    ElementType type;
    std::uint64_t n;
    std::size_t points;
    double seconds;
};

// Points that are skipped take no time and are not counted. In the order of the plan.
std::vector<GroupEstimate> estimate(std::span<const Planned> plan, const StopRule& rule, unsigned warm_ups,
                                    const Pace& pace);

} // namespace warptree::timing
