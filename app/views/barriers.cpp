#include "app/views/barriers.hpp"

#include "app/views/parts.hpp"
#include "app/views/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warptree::scene {

namespace {
std::uint32_t threads_in(const std::vector<std::uint32_t>& masks) {
    std::uint32_t threads = 0;
    for (const std::uint32_t mask : masks) {
        threads += static_cast<std::uint32_t>(std::popcount(mask));
    }
    return threads;
}

std::uint32_t existing_lanes(const Launch& launch, unsigned warp) {
    const std::uint32_t threads = std::min(kWarpSize, launch.block - warp * kWarpSize);
    return threads == kWarpSize ? ~0U : (1U << threads) - 1;
}

// If arrivals were not recorded, all threads arrived: the barrier completed.
void take_arrivals(const Launch& launch, std::uint32_t row, BarrierLine& barrier) {
    const auto by_row = [](const Arrival& a, std::uint32_t r) { return a.barrier < r; };
    auto at = std::lower_bound(launch.arrivals.begin(), launch.arrivals.end(), row, by_row);
    if (at == launch.arrivals.end() || at->barrier != row) {
        for (unsigned w = 0; w < launch.warps(); ++w) {
            barrier.arrived[w] = existing_lanes(launch, w);
        }
        return;
    }
    for (; at != launch.arrivals.end() && at->barrier == row; ++at) {
        if (at->warp < barrier.arrived.size()) {
            barrier.arrived[at->warp] |= at->mask;
        }
    }
}

void add_passed(const Launch& launch, std::uint32_t block, std::vector<BarrierLine>& all) {
    for (std::uint32_t row = 0; row < launch.barriers.size(); ++row) {
        const Barrier& b = launch.barriers[row];
        if (b.block != block) {
            continue;
        }
        BarrierLine& it = all.emplace_back();
        it.step = b.step;
        it.line = b.line;
        it.arrived.resize(launch.warps());
        take_arrivals(launch, row, it);
        it.takes_all = b.expected == 0 || b.expected == launch.block;
        it.threads = threads_in(it.arrived);
        // Threads that have exited are not waited for; of those that skip a barrier that all have to reach, a finding tells.
        const bool skipped = std::any_of(launch.findings.begin(), launch.findings.end(), [&](const Finding& f) {
            return f.kind == FindingKind::barrier_divergence && f.line == b.line;
        });
        it.expected = skipped && b.number == 0 ? launch.block : b.expected != 0 ? b.expected : it.threads;
    }
}

void add_stalled(const Launch& launch, std::uint32_t block, std::vector<BarrierLine>& all) {
    const std::size_t first = all.size();
    for (const Stall& s : launch.stalls) {
        if (s.block != block || s.kind != StallKind::barrier || s.warp >= launch.warps()) {
            continue;
        }
        auto it = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                               [&](const BarrierLine& b) { return b.step == s.step && b.line == s.line; });
        if (it == all.end()) {
            all.push_back({s.step, s.line, std::vector<std::uint32_t>(launch.warps()), 0, s.expected, false,
                           s.expected == launch.block});
            it = all.end() - 1;
        }
        it->arrived[s.warp] |= s.mask;
        it->threads = threads_in(it->arrived);
    }
}

// A missing barrier before each step that races with an earlier one.
void add_missing(const Launch& launch, std::uint32_t block, std::vector<BarrierLine>& all) {
    std::vector<bool> races(launch.steps.size());
    for (const Hazard& h : launch.hazards) {
        if (h.block == block && h.first_step < h.second_step && h.second_step < races.size()) {
            races[h.second_step] = true;
        }
    }
    for (std::uint32_t step = 1; step < races.size(); ++step) {
        if (races[step]) {
            BarrierLine& it = all.emplace_back();
            it.step = step - 1;
            it.arrived.resize(launch.warps());
            it.passed = false;
            it.missing = true;
        }
    }
}
} // namespace

std::vector<BarrierLine> barrier_lines(const Launch& launch, std::uint32_t block) {
    std::vector<BarrierLine> all;
    add_passed(launch, block, all);
    add_stalled(launch, block, all);
    add_missing(launch, block, all);
    std::stable_sort(all.begin(), all.end(),
                     [](const BarrierLine& a, const BarrierLine& b) { return a.step < b.step; });
    return all;
}

void add_barrier(const BarrierLook& look, const BarrierLine& barrier, const std::vector<Span>& warps, float y,
                 Layer& layer) {
    const ViewContext& context = *look.context;
    const Theme& theme = *context.theme;
    const bool now = barrier.step == look.current, later = barrier.step > look.current;
    const float present = later                             ? 0
                          : now && context.moment.phase < 1 ? 0
                          : now ? std::min(1.0F, context.moment.barrier / session::kAllArrived)
                                : 1;
    const Color there = barrier.passed ? now && context.moment.barrier < 1 ? theme.accent : theme.agree : theme.hazard;
    const float width = look.width * context.scale * (now ? 1.5F : 1.0F), dash = 4 * context.scale;
    // Segments of arriving warps grow from their middles, all at once: the order of arrival is not recorded. Adjacent
    // warps share a segment if nothing moves, or if they are too narrow to distinguish.
    struct Piece {
        Span span;
        bool arrives;
    };
    std::vector<Piece> pieces;
    for (std::size_t w = 0; w < warps.size(); ++w) {
        const Span& s = warps[w];
        const bool arrives = w < barrier.arrived.size() && barrier.arrived[w] != 0;
        const bool share = present <= 0 || present >= 1 || s.to - s.from < 8 * context.scale;
        if (share && !pieces.empty() && pieces.back().arrives == arrives) {
            pieces.back().span.to = s.to;
        } else {
            pieces.push_back({s, arrives});
        }
    }
    for (const auto& [span, arrives] : pieces) {
        const float middle = (span.from + span.to) / 2, half = (span.to - span.from) / 2 * present;
        if (!arrives || half < span.to - middle - 0.5F) {
            const Color ahead = barrier.missing && barrier.step < look.current      ? theme.hazard
                                : barrier.passed || present == 0 || barrier.missing ? theme.faint
                                                                                    : theme.hazard;
            layer.curves.push_back(
                straight({span.from, y}, {span.to, y}, context.scale, with_alpha(ahead, 0.8F), dash));
        }
        if (arrives && half > 0.5F) {
            layer.curves.push_back(straight({middle - half, y}, {middle + half, y}, width, there));
        }
    }
}

std::string barrier_text(const Trace& trace, const BarrierLine& b) {
    if (b.missing) {
        return "nothing orders the racing accesses before and after this point";
    }
    const std::string where = b.line.known() ? " at " + written_at(trace, b.line) : std::string();
    if (!b.passed) {
        return fmt::format("{} of {} arrived at the barrier{} and wait forever", b.threads, b.expected, where);
    }
    return b.takes_all && b.threads >= b.expected
               ? fmt::format("all {} threads arrived at the barrier{}", b.threads, where)
               : fmt::format("{} of {} arrived at the barrier{}", b.threads, b.expected, where);
}

} // namespace warptree::scene
