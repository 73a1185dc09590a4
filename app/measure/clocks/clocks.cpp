#include "app/measure/clocks/clocks.hpp"

#include "app/measure/clocks/step_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace warptree::clocks {

namespace {
double median(std::vector<double>& values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The steps of one warp: a mark begins the step in which the interpreter reached it. The first step after a barrier
// begins at the barrier; a warp without marks between two barriers is in the step that the second one ends.
class Walk {
  public:
    explicit Walk(std::size_t steps) : gathered_(steps) {}

    void warp(const WarpClock& clock, std::span<const Mark> marks, const StepMarks::OfWarp& met) {
        began_ = left_ = clock.first_cycle;
        waited_ = 0;
        step_ = met.first;
        bool fresh = true; // nothing happened since the last barrier
        std::map<std::uint32_t, std::size_t> visits;
        std::size_t barriers = 0;
        std::uint64_t reached = 0;
        for (const Mark& mark : marks) {
            switch (mark.kind) {
            case MarkKind::line: {
                const auto known = met.lines.find(mark.line);
                if (known != met.lines.end()) {
                    const std::size_t visit = std::min(visits[mark.line]++, known->second.size() - 1);
                    enter(known->second[visit], fresh ? left_ : mark.cycle);
                }
                fresh = false;
                break;
            }
            case MarkKind::barrier_reached:
                if (barriers < met.barriers.size() && (fresh || !step_)) {
                    enter(met.barriers[barriers], left_);
                }
                ++barriers;
                reached = mark.cycle;
                break;
            case MarkKind::barrier_left:
                waited_ += static_cast<double>(mark.cycle - reached);
                left_ = mark.cycle;
                fresh = true;
                break;
            }
        }
        leave(clock.last_cycle);
    }

    std::vector<StepCycles> steps(const std::vector<Step>& named) {
        std::vector<StepCycles> all;
        for (std::size_t s = 0; s < gathered_.size(); ++s) {
            if (!gathered_[s].cycles.empty()) {
                all.push_back(summary(named[s].label, gathered_[s]));
            }
        }
        return all;
    }

  private:
    struct Gathered {
        std::vector<double> cycles, waiting;
    };
    void enter(std::uint16_t step, std::uint64_t cycle) {
        if (step_ && step <= *step_) {
            return;
        }
        if (step_) {
            leave(cycle);
            began_ = cycle;
        }
        step_ = step;
    }
    void leave(std::uint64_t cycle) {
        if (step_ && *step_ < gathered_.size()) {
            gathered_[*step_].cycles.push_back(static_cast<double>(cycle - began_));
            gathered_[*step_].waiting.push_back(waited_);
            waited_ = 0;
        }
    }
    static StepCycles summary(std::string label, Gathered& g) {
        const auto [least, most] = std::minmax_element(g.cycles.begin(), g.cycles.end());
        const double lowest = *least, highest = *most;
        return {std::move(label), g.cycles.size(), lowest, median(g.cycles), highest, median(g.waiting)};
    }

    std::vector<Gathered> gathered_; // by step
    std::optional<std::uint16_t> step_;
    std::uint64_t began_ = 0, left_ = 0;
    double waited_ = 0;
};
} // namespace

std::vector<StepCycles> step_cycles(std::span<const WarpClock> warps, std::uint32_t warps_per_block,
                                    std::span<const Mark> marks, std::uint32_t capacity, const Launch& launch) {
    const StepMarks met(launch);
    Walk walk(launch.steps.size());
    for (std::size_t w = 0; w < warps.size(); ++w) {
        const auto block = static_cast<std::uint32_t>(w / warps_per_block);
        if (const auto* own = met.of(block, static_cast<std::uint32_t>(w % warps_per_block))) {
            walk.warp(warps[w], marks.subspan(w * capacity, std::min(warps[w].marks, capacity)), *own);
        }
    }
    return walk.steps(launch.steps);
}

std::vector<BlockRun> block_runs(std::span<const WarpClock> warps, std::uint32_t warps_per_block) {
    std::vector<BlockRun> blocks;
    std::uint64_t origin = ~0ULL;
    for (const WarpClock& w : warps) {
        origin = std::min(origin, w.first_ns);
    }
    for (std::size_t first = 0; first + warps_per_block <= warps.size(); first += warps_per_block) {
        BlockRun run{warps[first].multiprocessor, ~0ULL, 0};
        for (const WarpClock& w : warps.subspan(first, warps_per_block)) {
            run.begin_ns = std::min(run.begin_ns, w.first_ns - origin);
            run.end_ns = std::max(run.end_ns, w.last_ns - origin);
        }
        blocks.push_back(run);
    }
    return blocks;
}

std::uint64_t timer_step(std::span<const WarpClock> warps) {
    std::vector<std::uint64_t> readings;
    for (const WarpClock& w : warps) {
        readings.push_back(w.first_ns);
        readings.push_back(w.last_ns);
    }
    std::sort(readings.begin(), readings.end());
    std::uint64_t least = 0;
    for (std::size_t i = 1; i < readings.size(); ++i) {
        const std::uint64_t step = readings[i] - readings[i - 1];
        least = step != 0 && (least == 0 || step < least) ? step : least;
    }
    return least;
}

Occupation occupation(std::span<const BlockRun> blocks) {
    Occupation o;
    std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> events; // at equal times ends sort before begins
    for (const BlockRun& b : blocks) {
        events.emplace_back(b.multiprocessor, b.begin_ns, 1);
        events.emplace_back(b.multiprocessor, b.end_ns, -1);
        o.end_ns = std::max(o.end_ns, b.end_ns);
    }
    std::sort(events.begin(), events.end());
    int running = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i == 0 || std::get<0>(events[i]) != std::get<0>(events[i - 1])) {
            ++o.multiprocessors;
            running = 0;
        }
        running += std::get<2>(events[i]);
        o.most_blocks = std::max(o.most_blocks, static_cast<std::uint32_t>(std::max(running, 0)));
    }
    return o;
}

const StepCycles* find_step(const Recording& recording, std::string_view label) {
    const auto it = std::find_if(recording.steps.begin(), recording.steps.end(),
                                 [&](const StepCycles& s) { return s.label == label; });
    return it == recording.steps.end() ? nullptr : &*it;
}

std::string to_text(const Recording& r) {
    const Occupation o = occupation(r.blocks);
    std::string out = fmt::format("{} on {}: n = {}, B = {}, {}, {} blocks\n\n", r.strategy, r.device, r.n, r.block,
                                  name(r.type), r.blocks.size());
    std::size_t wide = 13;
    for (const StepCycles& s : r.steps) {
        wide = std::max(wide, s.label.size());
    }
    out += fmt::format("{:<{}} {:>9}{:>12}{:>12}{:>12}{:>14}\n", "step", wide, "warps", "least", "median", "most",
                       "at barriers");
    for (const StepCycles& s : r.steps) {
        out += fmt::format("{:<{}} {:>9}{:>12.0f}{:>12.0f}{:>12.0f}{:>14.0f}\n", s.label, wide, s.warps, s.least,
                           s.median, s.most, s.waiting);
    }
    out += fmt::format("\nCycles of a warp from the beginning of a step to the next one's.\n"
                       "{} of {} multiprocessors ran blocks, at most {} at a time on one; the last ended after {:.2f} "
                       "µs (timer steps of {} ns).\n"
                       "With the readings, by LLVM, a launch takes {:.2f} µs; without, by NVRTC, {:.2f} µs ({:+.1f} %; "
                       "medians of {} each, in turns).\n",
                       o.multiprocessors, r.multiprocessors, o.most_blocks, static_cast<double>(o.end_ns) / 1e3,
                       r.timer_ns, r.clocked_us, r.plain_us, 100 * r.overhead(), r.samples);
    return out;
}

} // namespace warptree::clocks
