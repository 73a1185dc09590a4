// What is said of threads that wait: at barriers that others do not reach, for lanes of their warp, for other blocks.
#include "app/simt/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace warptree::simt {

// Reports a fragment that waits at this barrier diverged, when the warp's other lanes can no longer reconverge with it.
void BlockRun::report_divergent_barriers(Warp& warp, std::uint32_t number) {
    for (const Fragment& at : warp.fragments) {
        const Instruction& i = at.frame->code->code[at.pc];
        if (at.state != State::at_barrier || at.barrier != number || at.mask == warp.live ||
            !program_.barriers[i.c].aligned) {
            continue;
        }
        warp_ = &warp;
        if (!std::exchange(warp.apart, true) && !bare_) {
            recorder_.leave(warp.number);
            warp.stage_loop = kNone;
        }
        Finding f;
        f.kind = FindingKind::barrier_divergence;
        f.mask = warp.live & ~at.mask; // the lanes elsewhere
        find(std::move(f), i, lowest(at.mask));
        return;
    }
}

std::uint32_t BlockRun::live_threads() const {
    return std::accumulate(warps_.begin(), warps_.end(), 0U,
                           [](std::uint32_t sum, const Warp& w) { return sum + record::lanes_of(w.live); });
}

// The barrier completes although threads have exited. Those that left by a statement around the barrier skip it; for
// the others it suffices by CUDA's words on __syncthreads that they have exited. `within`: as Barrier::within.
void BlockRun::report_ended_before(const Instruction& barrier, const std::vector<std::uint32_t>& within) {
    const std::uint32_t live = live_threads();
    const auto told = std::pair(&barrier, live);
    if (live == setup_.threads() ||
        std::find(ended_before_.begin(), ended_before_.end(), told) != ended_before_.end()) {
        return;
    }
    ended_before_.push_back(told);
    const auto skips = [&](std::uint32_t left) {
        const compile::Location& branch = program_.locations[left];
        return std::any_of(within.begin(), within.end(), [&](std::uint32_t at) {
            const compile::Location& around = program_.locations[at];
            return around.file == branch.file && around.line == branch.line && around.column <= branch.column;
        });
    };
    std::uint32_t waiting = kNobody, ended[2] = {}, first[2] = {kNobody, kNobody}, left[2] = {}; // [1]: skip it
    const Fragment* waiter = nullptr;
    for (Warp& w : warps_) {
        const auto at = std::find_if(w.fragments.begin(), w.fragments.end(), [&](const Fragment& f) {
            return f.state != State::ready && &f.frame->code->code[f.pc] == &barrier;
        });
        if (at != w.fragments.end()) {
            warp_ = &w;
            waiting = w.number * kLanes + lowest(w.live);
            waiter = &*at;
            break;
        }
    }
    // They went on behind a statement around the barrier: by another edge than those that wait, or to a branch below it.
    const auto went_on = [&](const Warp& w, unsigned l) {
        if (w.around[l] == 0 || !skips(w.around[l])) {
            return false;
        }
        return waiter != nullptr && waiter->around == w.around[l]
                   ? waiter->way != w.way[l]
                   : program_.locations[w.left[l]].line > program_.locations[barrier.location].line;
    };
    for (const Warp& w : warps_) {
        each_active(w.existing & ~w.live, [&](unsigned l) {
            const bool skipped = went_on(w, l);
            const unsigned group = skipped || skips(w.left[l]) ? 1 : 0;
            ++ended[group];
            if (first[group] == kNobody) {
                first[group] = w.number * kLanes + l;
                left[group] = skipped ? w.around[l] : w.left[l];
            }
        });
    }
    const unsigned group = ended[1] != 0 ? 1 : 0;
    Finding f;
    f.kind = FindingKind::barrier_divergence;
    f.severity = group == 1 ? Severity::fault : Severity::risk;
    f.other_thread = first[group];
    f.other_block = block_;
    f.other_line = line_at(program_, left[group]);
    f.other_step = recorder_.segment(first[group] / kLanes);
    f.text = fmt::format("{} of the block's {} threads", ended[group], setup_.threads());
    find(std::move(f), barrier, waiting % kLanes);
}

// Threads of the block wait at different instructions for one another: whole warps, as the lanes of one are reported by
// report_divergent_barriers().
void BlockRun::report_two_places() {
    Warp* holder = nullptr;
    const Fragment* first = nullptr;
    for (Warp& w : warps_) {
        for (const Fragment& f : w.fragments) {
            if (f.state != State::at_barrier || f.threads != 0) {
                continue;
            }
            if (first == nullptr) {
                holder = &w;
                first = &f;
            }
            const Instruction &one = first->frame->code->code[first->pc], &other = f.frame->code->code[f.pc];
            if (&one == &other || first->barrier != f.barrier) {
                continue;
            }
            Finding finding;
            finding.kind = FindingKind::barrier_divergence;
            finding.other_thread = w.number * kLanes + lowest(f.mask);
            finding.other_block = block_;
            finding.other_line = line_at(program_, other.location);
            finding.other_step = recorder_.segment(w.number);
            warp_ = holder;
            find(std::move(finding), one, lowest(first->mask));
            return;
        }
    }
}

// Lanes that spin for what others of their warp do only after reconverging with them.
void BlockRun::report_lockstep(Warp& warp, const Reconvergence& waits) {
    const std::uint32_t missing = waits.expected & ~waits.arrived;
    const auto spinning = std::find_if(warp.fragments.begin(), warp.fragments.end(), [&](const Fragment& f) {
        return f.state == State::ready && (f.mask & missing) != 0;
    });
    if (spinning == warp.fragments.end()) {
        return;
    }
    const compile::FunctionCode& code = *spinning->frame->code;
    std::uint32_t at = std::min<std::uint32_t>(spinning->pc, static_cast<std::uint32_t>(code.code.size() - 1));
    while (at > 0 && program_.locations[code.code[at].location].line == 0) {
        --at;
    }
    Finding f;
    f.kind = FindingKind::lockstep;
    f.severity = Severity::risk;
    f.mask = waits.arrived;
    f.other_thread = warp.number * kLanes + lowest(waits.arrived);
    f.other_block = block_;
    find(std::move(f), code.code[at], lowest(spinning->mask & missing));
}

// No thread can continue: reports which threads wait where.
void BlockRun::report_stuck() {
    const std::size_t before = findings_.list().size();
    for (Warp& w : warps_) {
        for (std::uint32_t number = 0; number < early_.size(); ++number) {
            report_divergent_barriers(w, number);
        }
    }
    if (findings_.list().size() == before) {
        report_two_places();
    }
    std::uint32_t location = 0, first = 0;
    bool any = false;
    for (const Warp& w : warps_) {
        for (const Fragment& f : w.fragments) {
            const std::uint32_t here = f.frame->code->code[f.pc].location;
            const bool warp_barrier = f.state == State::at_warp_barrier;
            waits_.push_back({w.number, f.mask, here, f.segment,
                              warp_barrier ? StallKind::warp_barrier : StallKind::barrier,
                              warp_barrier     ? record::lanes_of(f.wants & w.live)
                              : f.threads != 0 ? f.threads
                                               : live_threads()});
            if (!any) {
                location = here;
                first = w.number * kLanes + lowest(f.mask);
                any = true;
            }
        }
    }
    Finding f;
    f.kind = FindingKind::deadlock;
    f.block = block_;
    f.thread = first;
    f.line = line_at(program_, location);
    f.step = waits_.empty() ? recorder_.segment(first / kLanes) : waits_.front().segment;
    findings_.add(std::move(f));
}

void BlockRun::report_waiting_for_blocks(const Others& others) {
    for (const Warp& w : warps_) {
        for (const Fragment& f : w.fragments) {
            const std::uint32_t here = f.frame->code->code[f.pc].location;
            const bool polls = f.state == State::ready && !at_grid_barrier_ && !waits_for_cluster();
            waits_.push_back({w.number, f.mask, here, f.segment,
                              polls                               ? StallKind::memory
                              : f.state == State::at_warp_barrier ? StallKind::warp_barrier
                                                                  : StallKind::barrier,
                              polls ? 0 : live_threads()});
        }
    }
    if (waits_.empty()) {
        return;
    }
    Finding f;
    f.kind = FindingKind::deadlock;
    f.block = block_;
    f.thread = waits_.front().warp * kLanes + lowest(waits_.front().mask);
    f.line = line_at(program_, waits_.front().location);
    f.step = waits_.front().segment;
    f.text =
        others.waiting != 0
            ? fmt::format("it waits for blocks that cannot start before one of the {} resident blocks ends",
                          others.resident)
        : waits_for_cluster() ? std::string("it waits for all threads of its cluster, and some wait elsewhere")
        : at_grid_barrier_ && others.ended != 0
            ? fmt::format("it waits for all blocks of the grid, and {} of {} have ended without this barrier",
                          others.ended, others.ended + others.resident)
        : at_grid_barrier_
            ? std::string("it waits for all blocks of the grid, and some block's first thread has ended, or a block "
                          "waits elsewhere")
            : std::string("it waits for memory to change, and all other threads have ended or wait as well");
    findings_.add(std::move(f));
}

} // namespace warptree::simt
