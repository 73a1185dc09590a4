// What one sample of a configuration does: the launches of its strategy in order, and the bytes that must move.
#pragma once

#include "app/catalogue/strategy.hpp"
#include "app/measure/timing/peers.hpp"
#include "app/measure/timing/results.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace warptree::timing {

struct KernelLaunch {
    std::uint64_t n = 0; // elements of its input
    std::uint32_t block = 1, grid = 1;
    std::uint64_t outputs = 1; // elements it writes out: partials, a total, or a scan
    friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};

// A strategy's launches: one, or with Finish::relaunch as many as it takes to leave only one block's partials.
// Throws OptionError for an unknown strategy or parameter.
std::vector<KernelLaunch> launches(const Configuration& what);

struct Traffic {
    std::uint64_t read = 0, written = 0; // bytes
    std::uint64_t total() const { return read + written; }
};
// Each input element read once and each result of a scan or copy written once; partials are not counted. Zero for
// Quantity::launch.
Traffic traffic(const Configuration& what);

// Bytes per second that no correct measurement exceeds: the theoretical peak, applied to what cannot stay in the L2
// cache. That is everything but `l2_bytes` of what is written (cold) or of all that moves (warm). 0: no limit.
double ceiling(Mode mode, const Traffic& traffic, const Provenance& where);

// How many halvings reduce n to one.
inline std::uint64_t log2_up(std::uint64_t n) { return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1)); }

// Combines on the longest path from an element to the result, at most: what bounds a floating-point error.
std::uint64_t depth_bound(const Configuration& what);

} // namespace warptree::timing
