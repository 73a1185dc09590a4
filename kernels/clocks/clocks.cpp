#include "kernels/clocks/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

struct Gathered {
    std::vector<double> cycles, waiting;
};

// Takes the steps of one warp apart.
class Walk {
  public:
    Walk(std::vector<std::string>& order, std::map<std::string, Gathered>& steps) : order_(order), steps_(steps) {}

    void warp(const WarpClock& clock, std::span<const Mark> marks) {
        seen_.clear();
        enter("load", clock.first_cycle);
        for (const Mark& mark : marks) {
            switch (mark.kind) {
            case MarkKind::stage: {
                leave(mark.cycle);
                const int times = ++seen_[mark.stride];
                enter(times == 1 ? fmt::format("s = {}", mark.stride) : fmt::format("s = {} ({})", mark.stride, times),
                      mark.cycle);
                break;
            }
            case MarkKind::store:
                leave(mark.cycle);
                enter("store", mark.cycle);
                break;
            case MarkKind::barrier_reached: reached_ = mark.cycle; break;
            case MarkKind::barrier_left: waited_ += static_cast<double>(mark.cycle - reached_); break;
            }
        }
        leave(clock.last_cycle);
    }

  private:
    void enter(std::string label, std::uint64_t cycle) {
        label_ = std::move(label);
        began_ = cycle;
        waited_ = 0;
        if (steps_.find(label_) == steps_.end()) { // behind the one before it
            const auto before = std::find(order_.begin(), order_.end(), previous_);
            order_.insert(before == order_.end() ? order_.end() : before + 1, label_);
        }
        previous_ = label_;
    }
    void leave(std::uint64_t cycle) {
        Gathered& g = steps_[label_];
        g.cycles.push_back(static_cast<double>(cycle - began_));
        g.waiting.push_back(waited_);
    }

    std::vector<std::string>& order_;
    std::map<std::string, Gathered>& steps_;
    std::map<std::uint32_t, int> seen_;
    std::string label_, previous_;
    std::uint64_t began_ = 0, reached_ = 0;
    double waited_ = 0;
};
} // namespace

std::vector<StepCycles> step_cycles(std::span<const WarpClock> warps, std::span<const Mark> marks,
                                    std::uint32_t capacity) {
    std::vector<std::string> order;
    std::map<std::string, Gathered> steps;
    Walk walk(order, steps);
    for (std::size_t w = 0; w < warps.size(); ++w) {
        walk.warp(warps[w], marks.subspan(w * capacity, std::min(warps[w].marks, capacity)));
    }
    std::vector<StepCycles> all;
    for (const std::string& label : order) {
        Gathered& g = steps[label];
        const auto [least, most] = std::minmax_element(g.cycles.begin(), g.cycles.end());
        const double lowest = *least;
        const double highest = *most;
        all.push_back({label, g.cycles.size(), lowest, median(g.cycles), highest, median(g.waiting)});
    }
    return all;
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
    std::vector<std::tuple<std::uint32_t, std::uint64_t, int>> events; // ends before begins at the same time
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
    out += fmt::format("{:<14}{:>10}{:>12}{:>12}{:>12}{:>14}\n", "step", "warps", "least", "median", "most",
                       "at barriers");
    for (const StepCycles& s : r.steps) {
        out += fmt::format("{:<14}{:>10}{:>12.0f}{:>12.0f}{:>12.0f}{:>14.0f}\n", s.label, s.warps, s.least, s.median,
                           s.most, s.waiting);
    }
    out += fmt::format("\nCycles of a warp from the beginning of a step to the next one's.\n"
                       "{} of {} multiprocessors ran blocks, at most {} at a time on one; the last ended after {:.2f} "
                       "us (timer steps of {} ns).\n"
                       "The readings cost: {:.2f} us a launch with them, {:.2f} us without ({:+.1f} %; medians of {} "
                       "each, in turns).\n",
                       o.multiprocessors, r.multiprocessors, o.most_blocks, static_cast<double>(o.end_ns) / 1e3,
                       r.timer_ns, r.clocked_us, r.plain_us, 100 * r.overhead(), r.samples);
    return out;
}

} // namespace warptree::clocks
