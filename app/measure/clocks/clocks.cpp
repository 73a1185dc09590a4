#include "app/measure/clocks/clocks.hpp"

#include "app/measure/clocks/step_table.hpp"
#include "app/trace/model/phase_label.hpp"

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

// Takes the steps of a block's warps apart, barrier interval after barrier interval; a step is the one that a trace knows
// it as: a warp comes from a barrier in the furthest step that any warp of the block had entered.
class Walk {
  public:
    void block(std::span<const WarpClock> clocks, std::span<const Mark> marks, std::uint32_t capacity) {
        std::vector<Warp> warps;
        for (std::size_t w = 0; w < clocks.size(); ++w) {
            warps.push_back({marks.subspan(w * capacity, std::min(clocks[w].marks, capacity))});
            warps.back().began = clocks[w].first_cycle;
        }
        meeting_ = furthest_ = 0;
        for (bool more = true; more; meeting_ = furthest_) {
            more = false;
            for (Warp& warp : warps) {
                more |= interval(warp);
            }
        }
        for (std::size_t w = 0; w < clocks.size(); ++w) {
            leave(warps[w], clocks[w].last_cycle);
        }
    }

    std::vector<StepCycles> steps() {
        std::map<std::pair<Phase, std::uint32_t>, unsigned> met;
        unsigned loads = 0, stores = 0;
        std::vector<StepCycles> all;
        for (const std::uint16_t id : table_.order()) {
            const StepTable::Entry& step = table_[id];
            std::string label;
            switch (step.kind) {
            case StepKind::load: // after the store, what the other blocks stored
                label = ++loads == 1 ? "load" : stores != 0 ? "load partials" : fmt::format("load ({})", loads);
                break;
            case StepKind::store: label = ++stores > 1 ? "store total" : "store"; break;
            case StepKind::other: break; // strategies have none
            case StepKind::stage: {
                const unsigned times = ++met[{step.phase, step.stride}];
                label = stage_label(step.phase, step.stride) + (times > 1 ? fmt::format(" ({})", times) : "");
                break;
            }
            }
            all.push_back(summary(std::move(label), gathered_[id]));
        }
        return all;
    }

  private:
    struct Warp {
        std::span<const Mark> marks; // yet to come
        std::uint16_t step = 0;
        std::uint64_t began = 0, reached = 0;
        double waited = 0;
    };

    // Up to behind the next barrier; false when the marks end before one.
    bool interval(Warp& warp) {
        while (!warp.marks.empty()) {
            const Mark& mark = warp.marks.front();
            warp.marks = warp.marks.subspan(1);
            switch (mark.kind) {
            case MarkKind::stage: next(warp, StepKind::stage, mark); break;
            case MarkKind::store: next(warp, StepKind::store, mark); break;
            case MarkKind::gather: next(warp, StepKind::load, mark); break;
            case MarkKind::barrier_reached: warp.reached = mark.cycle; break;
            case MarkKind::barrier_left: warp.waited += static_cast<double>(mark.cycle - warp.reached); return true;
            }
        }
        return false;
    }
    void next(Warp& warp, StepKind kind, const Mark& mark) {
        leave(warp, mark.cycle);
        const std::uint16_t from = table_[warp.step].rank < table_[meeting_].rank ? meeting_ : warp.step;
        warp.step = table_.advance(from, kind, mark.stride, mark.phase);
        warp.began = mark.cycle;
        warp.waited = 0;
        furthest_ = table_[warp.step].rank > table_[furthest_].rank ? warp.step : furthest_;
    }
    void leave(const Warp& warp, std::uint64_t cycle) {
        gathered_.resize(std::max(gathered_.size(), table_.size()));
        gathered_[warp.step].cycles.push_back(static_cast<double>(cycle - warp.began));
        gathered_[warp.step].waiting.push_back(warp.waited);
    }
    static StepCycles summary(std::string label, Gathered& g) {
        const auto [least, most] = std::minmax_element(g.cycles.begin(), g.cycles.end());
        const double lowest = *least, highest = *most;
        return {std::move(label), g.cycles.size(), lowest, median(g.cycles), highest, median(g.waiting)};
    }

    StepTable table_;
    std::vector<Gathered> gathered_;           // by step
    std::uint16_t furthest_ = 0, meeting_ = 0; // of the block: entered by any warp, and at the last barrier
};
} // namespace

std::vector<StepCycles> step_cycles(std::span<const WarpClock> warps, std::uint32_t warps_per_block,
                                    std::span<const Mark> marks, std::uint32_t capacity) {
    Walk walk;
    for (std::size_t first = 0; first + warps_per_block <= warps.size(); first += warps_per_block) {
        walk.block(warps.subspan(first, warps_per_block), marks.subspan(first * capacity), capacity);
    }
    return warps.empty() ? std::vector<StepCycles>{} : walk.steps();
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
                       "The readings cost: {:.2f} µs a launch with them, {:.2f} µs without ({:+.1f} %; medians of {} "
                       "each, in turns).\n",
                       o.multiprocessors, r.multiprocessors, o.most_blocks, static_cast<double>(o.end_ns) / 1e3,
                       r.timer_ns, r.clocked_us, r.plain_us, 100 * r.overhead(), r.samples);
    return out;
}

} // namespace warptree::clocks
