// The cost of a whole run, summed over its launches and all their blocks.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warptree {

struct Metrics {
    std::uint64_t launches = 0, blocks = 0;
    Counters totals; // of all launches; hazards: as the findings count races, where there are any
    // Only for stages, because loads and stores have their own access patterns: lanes that combine, and all lanes of the
    // warps in which any combines, per warp and step.
    std::uint64_t working_lanes = 0, issued_lanes = 0;
    // Of stages, too; where nothing combines, as in a stencil, of all steps.
    std::uint64_t diverging_warp_steps = 0;

    std::uint64_t shared_wavefronts() const { return totals.shared_load_wavefronts + totals.shared_store_wavefronts; }
    std::uint64_t shared_ideal() const { return totals.shared_load_ideal + totals.shared_store_ideal; }
    std::uint64_t excess_wavefronts() const { return shared_wavefronts() - shared_ideal(); }
    std::uint64_t sectors() const { return totals.global_load_sectors + totals.global_store_sectors; }
    std::optional<double> lane_efficiency() const; // 0 … 1; nullopt without a stage in which a lane combines
};
Metrics metrics(const Trace& trace);

// Active lanes divided by all lanes of warps with an active lane; nullopt if no lane is active. `block`: threads per
// block.
std::optional<double> lane_efficiency(const Counters& step, std::uint32_t block);

// By warp, for a block in the window: index of the last stage in which it has an active lane; 0 if it has none after
// the load.
std::vector<std::uint32_t> retirement(const Launch& launch, std::uint32_t block);

} // namespace warptree
