#include "app/trace/model/metrics.hpp"

#include <algorithm>

namespace warptree {

namespace {
std::uint64_t issued(const Counters& step, std::uint32_t block) {
    return step.active_warps * std::min<std::uint64_t>(block, kWarpSize);
}
std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}
// As findings count: of two blocks' races, only they tell.
std::uint64_t races(const Launch& launch, std::uint64_t by_steps) {
    std::uint64_t all = 0;
    for (const Finding& f : launch.findings) {
        all += is_race(f.kind) ? f.times : 0;
    }
    return all == 0 ? by_steps : all;
}
} // namespace

std::optional<double> Metrics::lane_efficiency() const { return share(working_lanes, issued_lanes); }

std::optional<double> lane_efficiency(const Counters& step, std::uint32_t block) {
    return share(step.active_threads, issued(step, block));
}

Metrics metrics(const Trace& trace) {
    Metrics m;
    m.launches = trace.launches.size();
    const auto combines = [](const Launch& launch) {
        return std::any_of(launch.steps.begin(), launch.steps.end(),
                           [](const Step& s) { return s.kind == StepKind::stage; });
    };
    const bool stages = std::any_of(trace.launches.begin(), trace.launches.end(), combines);
    for (const Launch& launch : trace.launches) {
        m.blocks += launch.grid;
        const std::uint64_t before = m.totals.hazards;
        for (const Step& step : launch.steps) {
            m.totals += step.counters;
            m.diverging_warp_steps += !stages || step.kind == StepKind::stage ? step.counters.divergent_warps : 0;
            if (step.kind == StepKind::stage) {
                m.working_lanes += step.counters.active_threads;
                m.issued_lanes += issued(step.counters, launch.block);
            }
        }
        m.totals.hazards = before + races(launch, m.totals.hazards - before);
    }
    return m;
}

std::vector<std::uint32_t> retirement(const Launch& launch, std::uint32_t block) {
    std::vector<std::uint32_t> last(launch.warps());
    for (std::uint32_t step = 0; step < launch.steps.size(); ++step) {
        for (unsigned warp = 0; warp < launch.warps() && launch.steps[step].kind == StepKind::stage; ++warp) {
            last[warp] = launch.warp_step(block, step, warp).active != 0 ? step : last[warp];
        }
    }
    return last;
}

} // namespace warptree
