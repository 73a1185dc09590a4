#include "app/measure/timing/estimate.hpp"

#include "app/measure/timing/launches.hpp"

#include <algorithm>

namespace warptree::timing {

namespace {
// Seconds, as observed on an H200.
constexpr double kLaunch = 3e-6;       // per launch
constexpr double kAround = 12e-6;      // per sample: events and the gate kernel
constexpr double kOpen = 2e-3;         // per point: memory and results
constexpr double kPrepare = 20e-3;     // per input: memory
constexpr double kHostElement = 12e-9; // per element on one core, for the reference of floats; integers take a quarter
constexpr double kShareOfPeak = 0.25, kFlushShare = 0.8;

double run_seconds(const Configuration& c, const Pace& pace) {
    const std::size_t count = is_known_peer(c.variant) || find_strategy(c.variant) == nullptr ? 1 : launches(c).size();
    return static_cast<double>(count) * kLaunch +
           static_cast<double>(traffic(c).total()) / (kShareOfPeak * pace.peak_bytes_per_second);
}

double point_seconds(const Configuration& c, const StopRule& rule, unsigned warm_ups, const Pace& pace) {
    const double run = run_seconds(c, pace);
    const double flush =
        c.mode == Mode::cold ? static_cast<double>(pace.flush_bytes) / (kFlushShare * pace.peak_bytes_per_second) : 0;
    const double sample = run + flush + kAround;
    const double least = static_cast<double>(rule.min_samples) * sample;
    const double checks = is_floating(c.type) ? 2 : 1;
    return kOpen + (checks + warm_ups) * sample +
           std::min(std::max(rule.min_time, least), std::max(rule.time_limit, sample));
}
} // namespace

std::vector<GroupEstimate> estimate(std::span<const Planned> plan, const StopRule& rule, unsigned warm_ups,
                                    const Pace& pace) {
    std::vector<GroupEstimate> all;
    for (const Planned& p : plan) {
        if (!p.skipped.empty()) {
            continue;
        }
        auto group = std::find_if(all.begin(), all.end(),
                                  [&](const GroupEstimate& g) { return g.n == p.what.n && g.type == p.what.type; });
        if (group == all.end()) {
            const double elements = static_cast<double>(p.what.n) * (is_floating(p.what.type) ? 2 : 0.25);
            const double prepare = kPrepare + elements * kHostElement / std::max(1U, pace.cores);
            group = all.insert(all.end(), {p.what.type, p.what.n, 0, prepare});
        }
        ++group->points;
        group->seconds += point_seconds(p.what, rule, warm_ups, pace);
    }
    return all;
}

} // namespace warptree::timing
