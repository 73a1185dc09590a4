// Scheduling: which warp of a block and which of its fragments runs, and what they wait for.
#include "app/simt/block_run.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace warptree::simt {

namespace {
constexpr std::uint64_t kTurn = 1U << 16;  // instructions a warp executes before others run
constexpr std::uint32_t kMostLooks = 64;   // polling loads before others run
constexpr std::uint32_t kBarriers = 16;    // per block, as in hardware
constexpr std::uint64_t kCheck = 1U << 12; // instructions between checks of the limits
constexpr std::uint64_t kWork = 1U << 22;  // bytes that instructions read and format before others run
} // namespace

BlockRun::BlockRun(const LaunchSetup& setup, const Prepared& prepared, Stores& stores, Attempt* attempt)
    : setup_(setup), program_(*setup.program), prepared_(prepared), memory_(*setup.memory), stores_(stores),
      attempt_(attempt), bare_(setup.findings_only), clustered_(volume(setup.cluster_shape()) > 1),
      recorder_(setup.threads(), setup.banks, prepared.named(), prepared.merges_records()),
      warps_((setup.threads() + kLanes - 1) / kLanes) {
    const std::uint32_t x = setup.block[0], y = setup.block[1];
    for (std::uint32_t t = 0; t < warps_.size() * kLanes; ++t) {
        threads_[0].push_back(t % x);
        threads_[1].push_back(t / x % y);
        threads_[2].push_back(t / x / y);
    }
}

void BlockRun::begin(std::uint32_t block) {
    block_ = block;
    index_ = {block % setup_.grid[0], block / setup_.grid[0] % setup_.grid[1], block / setup_.grid[0] / setup_.grid[1]};
    const bool full = block >= setup_.window_first && block - setup_.window_first < setup_.window_count;
    recorder_.begin(block, full);
    lane_stores_.drain(false, [](const LaneStores::Entry&) {}); // left over from a stopped block
    shared_.begin_block(setup_.shared_bytes(), prepared_.has_small_shared_accesses() ? 0 : 2, full, attempt_ == nullptr,
                        clustered_ && attempt_ == nullptr);
    clocks_.begin_block(static_cast<unsigned>(warps_.size()));
    began_ = clocks_.settled();
    if (attempt_ != nullptr) {
        shared_writes_.resize((shared_.bytes() >> shared_.shift()) + 2);
        shared_reads_.resize(shared_writes_.size());
    }
    fences_.begin_block(block, setup_.threads());
    shared_flags_.clear();
    findings_.clear();
    waits_.clear();
    read_unwritten_ = false;
    printed_.clear();
    printed_bytes_ = next_check_ = worked_ = raced_ = 0;
    memory_.budget().give(std::exchange(recorded_, 0));
    instructions_ = lane_instructions_ = progress_ = 0;
    at_grid_barrier_ = finished_ = doubtful_ = false;
    passed_alone_.clear();
    unwritten_.clear();
    ended_before_.clear();
    early_.assign(kBarriers, 0);
    arrived_early_.clear();
    random_.seed(setup_.seed * 0x9E3779B97F4A7C15ULL + block);
    turns_.clear();
    reads_ = {};
    identities_.clear();
    if (follows()) {
        followed_.assign(setup_.threads(), 0);
        lost_.assign(setup_.threads(), 0);
        forced_ = false;
    }

    const compile::Kernel& kernel = setup_.code();
    for (unsigned w = 0; w < warps_.size(); ++w) {
        Warp& warp = warps_[w];
        warp_ = &warp;
        warp.number = w;
        warp.existing = warp.live = recorder_.existing(w);
        warp.cluster_arrived = warp.cluster_passed = 0;
        warp.left.fill(0);
        warp.around.fill(0);
        warp.fragments.clear();
        while (!warp.frames.empty()) {
            release_frame(warp.frames.back().get());
        }
        while (!warp.reconvergences.empty()) {
            release_reconvergence(warp.reconvergences.back().get());
        }
        warp.stage_loop = compile::kNone;
        warp.stage_frame = nullptr;
        warp.apart = false;
        std::fill(warp.local_tags.begin(), warp.local_tags.end(), record::kNoTag);
        Fragment f;
        f.frame = enter_function(kernel.function, nullptr);
        f.pc = f.frame->code->blocks.front().first;
        f.mask = warp.existing;
        for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
            const compile::Parameter& parameter = kernel.parameters[p];
            const Argument& argument = setup_.arguments[p];
            if (parameter.kind == compile::Parameter::Kind::record) {
                for (unsigned l = 0; l < kLanes; ++l) {
                    std::copy(argument.record.begin(), argument.record.end(),
                              warp.local.begin() + std::size_t{l} * warp.local_bytes + parameter.local_offset);
                }
            }
            if (parameter.row == compile::kNone) {
                continue;
            }
            const std::uint64_t bits = parameter.kind == compile::Parameter::Kind::record
                                           ? compile::kLocalBase + parameter.local_offset
                                           : argument.bits;
            const bool wide = parameter.kind != compile::Parameter::Kind::value || bytes(parameter.element) == 8;
            if (wide) {
                std::fill_n(values<std::uint64_t>(&f.frame->rows[parameter.row]), kLanes, bits);
            } else {
                std::fill_n(values<std::uint32_t>(&f.frame->rows[parameter.row]), kLanes,
                            static_cast<std::uint32_t>(bits));
            }
        }
        warp.fragments.push_back(f);
    }
}

const std::vector<unsigned>& BlockRun::turn_order() {
    if (turns_.empty()) {
        turns_.resize(warps_.size());
        std::iota(turns_.begin(), turns_.end(), 0U);
        if (setup_.order == Order::reverse) {
            std::reverse(turns_.begin(), turns_.end());
        } else if (setup_.order == Order::random) {
            for (std::size_t k = turns_.size(); k > 1; --k) { // same sequence on every platform, unlike std::shuffle
                std::swap(turns_[k - 1], turns_[random_() % k]);
            }
        }
    }
    return turns_;
}

Outcome BlockRun::run() {
    const Outcome outcome = run_on();
    finished_ = outcome != Outcome::waits;
    return outcome;
}

Outcome BlockRun::run_on() {
    for (;;) {
        const std::uint64_t before = progress_;
        bool ready = false;
        for (const unsigned w : turn_order()) {
            run_warp(warps_[w]);
            if (findings_.ends_the_run() || doubtful_ || given_up()) {
                return Outcome::stopped;
            }
            ready |= std::any_of(warps_[w].fragments.begin(), warps_[w].fragments.end(),
                                 [](const Fragment& f) { return f.state == State::ready; });
        }
        if (std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.ended(); })) {
            return Outcome::ended;
        }
        if (release_barriers()) {
            turns_.clear(); // a new order for each barrier interval
            continue;
        }
        if (ready && progress_ != before) {
            continue;
        }
        if (ready) {
            return Outcome::waits;
        }
        at_grid_barrier_ = std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) {
            std::uint32_t there = 0;
            for (const Fragment& f : w.fragments) {
                there |= f.state == State::at_grid_barrier ? f.mask : 0;
            }
            return there == w.live; // none waits to reconverge with those
        });
        if (at_grid_barrier_ || waits_for_cluster()) {
            return Outcome::waits;
        }
        if (let_waiting_lanes_go()) {
            continue;
        }
        report_stuck();
        return Outcome::stuck;
    }
}

// Some threads wait at the cluster's barrier, and for no others of this block.
bool BlockRun::waits_for_cluster() const {
    return arrived_at_cluster_barrier() && std::any_of(warps_.begin(), warps_.end(), [](const Warp& w) {
               return std::any_of(w.fragments.begin(), w.fragments.end(),
                                  [](const Fragment& f) { return f.state == State::at_cluster_barrier; });
           });
}

bool BlockRun::given_up() const {
    const auto set = [](const std::atomic<bool>* flag) {
        return flag != nullptr && flag->load(std::memory_order_relaxed);
    };
    return set(setup_.cancel) || set(setup_.abandoned);
}

std::uint64_t BlockRun::recorded_bytes() const {
    return recorder_.bytes() + (stores_.noted() ? stores_.bytes() : 0) + printed_.size();
}

void BlockRun::charge_recording() {
    if (const std::uint64_t recorded = recorded_bytes(); recorded > recorded_) {
        memory_.budget().take(recorded - recorded_, "what is recorded of the blocks");
        recorded_ = recorded;
    }
}

// Between fragments: of instructions, processor time and memory.
void BlockRun::check_limits() {
    next_check_ = instructions_ + kCheck;
    const std::uint64_t most = memory_.budget().most();
    if (const Fragment& at = last_run(); instructions_ >= setup_.most_instructions && at.mask != 0) {
        report_endless(at); // a loop that waits at barriers never has a whole turn
    } else if (setup_.time != nullptr && setup_.time->up()) {
        report_limit(fmt::format("the run has taken its {:.3g} s of processor time; --time allows more",
                                 std::chrono::duration<double>(setup_.time->most()).count()));
    } else if (recorded_bytes() > most / 2) { // a part, so that the same block ends the run on any number of cores
        report_limit(fmt::format("what is recorded of its block takes half of the {} of memory that a run may take; "
                                 "--memory allows more, --window 0:0 records none",
                                 in_bytes(most)));
    } else {
        charge_recording();
    }
}

// Runs until none of the warp's fragments can continue, or its turn is over.
void BlockRun::run_warp(Warp& warp) {
    warp_ = &warp;
    turn_ends_ = instructions_ + kTurn;
    turn_is_over_ = false;
    while (!turn_is_over_ && choose_fragment()) {
        try {
            if (recorder_.full()) {
                execute_full();
            } else {
                execute_counting();
            }
        } catch (const OptionError& e) { // the budget of memory
            if (stores_
                    .noted()) { // it may be another block on another number of cores, so it has no place in the trace
                throw;
            }
            report_limit(e.what());
        }
        if (instructions_ >= next_check_ && !findings_.ends_the_run()) {
            check_limits();
        }
        if (fragment_.mask != 0) {
            warp.fragments.push_back(fragment_);
        }
        if (findings_.ends_the_run() || doubtful_) {
            return;
        }
    }
    show_stores();
}

// Takes the warp's next ready fragment: the one that diverged last.
bool BlockRun::choose_fragment() {
    std::vector<Fragment>& list = warp_->fragments;
    for (std::size_t k = list.size(); k-- > 0;) {
        if (list[k].state == State::ready) {
            fragment_ = list[k];
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
            load_fragment();
            return true;
        }
    }
    return release_warp_barrier() && choose_fragment();
}

// The fragment that ran last, which may have been put back, or waits for others of its warp: then one of those. Its mask is 0 if
// there is none.
const Fragment& BlockRun::last_run() const {
    if (fragment_.mask != 0 || warp_->fragments.empty()) {
        return fragment_;
    }
    return turn_is_over_ ? warp_->fragments.front() : warp_->fragments.back();
}

// The fragment has run for long or polls memory: lets the warp's other fragments, other warps and other blocks run.
void BlockRun::turn_over() {
    fragment_.looks = 0;
    turn_is_over_ = true;
    running_ = false;
    if (instructions_ >= setup_.most_instructions) {
        report_endless(fragment_);
    }
    warp_->fragments.insert(warp_->fragments.begin(), fragment_);
    fragment_.mask = 0;
}

void BlockRun::worked(std::uint64_t bytes) {
    worked_ += bytes;
    if (worked_ >= kWork) {
        worked_ = 0;
        turn_ends_ = next_check_ = instructions_; // after this instruction
    }
}

void BlockRun::looked(bool is_volatile) {
    if (!is_volatile) {
        return;
    }
    if (++fragment_.looks >= kMostLooks) {
        turn_ends_ = instructions_; // ends after this instruction
    }
}

void BlockRun::wait(State state) {
    fragment_.state = state;
    fragment_.segment = recorder_.segment(warp_->number);
    --fragment_.pc; // retried or skipped when it resumes
    running_ = false;
}

// Each mask orders its own lanes. Those of a mask whose lanes are not all here wait apart from the others.
void BlockRun::sync_warp(const Instruction& i) {
    const std::uint32_t* const asked = values<std::uint32_t>(rows_ + i.a);
    check_mask(i, i.a);
    std::uint32_t synced = 0;
    std::vector<Fragment> apart;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t mask = asked[lowest(rest)];
        std::uint32_t lanes = 0;
        each_active(rest, [&](unsigned l) { lanes |= asked[l] == mask ? 1U << l : 0U; });
        rest &= ~lanes;
        if ((mask & warp_->live & ~lanes) == 0) {
            synced_lanes(mask);
            synced |= lanes;
            continue;
        }
        Fragment waiting = fragment_;
        waiting.mask = lanes;
        waiting.wants = mask;
        waiting.state = State::at_warp_barrier;
        --waiting.pc;
        apart.push_back(waiting);
    }
    if (synced != 0) {
        recorder_.sync_warp(warp_->number, {0, synced, i.location, 0});
    }
    if (apart.empty()) {
        return;
    }
    if (synced == 0 && apart.size() == 1) {
        fragment_.wants = apart.front().wants;
        wait(State::at_warp_barrier);
        return;
    }
    warp_->fragments.insert(warp_->fragments.end(), apart.begin(), apart.end());
    if (synced != 0) {
        set_mask(synced);
    } else {
        drop_fragment();
    }
}

void BlockRun::synced_lanes(std::uint32_t mask) {
    clocks_.sync_warp(warp_->number, mask, warp_->existing);
    fences_.sync_warp(warp_->number, mask & warp_->existing);
}

// Lets fragments continue that wait for one another at warp barriers with the same mask, each from its own barrier.
bool BlockRun::release_warp_barrier() {
    for (const Fragment& first : warp_->fragments) {
        if (first.state != State::at_warp_barrier) {
            continue;
        }
        std::uint32_t here = 0;
        for (const Fragment& f : warp_->fragments) {
            here |= f.state == State::at_warp_barrier && f.wants == first.wants ? f.mask : 0;
        }
        if ((first.wants & warp_->live & ~here) != 0) {
            continue;
        }
        show_stores();
        const std::uint32_t wants = first.wants;
        synced_lanes(wants);
        for (Fragment& f : warp_->fragments) {
            if (f.state == State::at_warp_barrier && f.wants == wants) {
                recorder_.sync_warp(warp_->number, {0, f.mask, f.frame->code->code[f.pc].location, 0});
                ++f.pc;
                f.state = State::ready;
            }
        }
        return true;
    }
    return false;
}

void BlockRun::barrier(const Instruction& i) {
    const compile::Barrier& b = program_.barriers[i.c];
    const unsigned l = lowest(mask_.bits);
    const std::uint32_t number =
        b.number == compile::kNone ? 0 : static_cast<std::uint32_t>(value_of(b.number, l, false));
    const std::uint32_t threads =
        b.threads == compile::kNone ? 0 : static_cast<std::uint32_t>(value_of(b.threads, l, false));
    if (number >= kBarriers || threads % kLanes != 0) {
        Finding f;
        f.kind = FindingKind::trap;
        f.text = number >= kBarriers ? "a block has only barriers 0 to 15"
                                     : "the thread count of a barrier must be a multiple of 32";
        find(std::move(f), i, l);
        return;
    }
    if (!b.waits) {
        early_[number] += kLanes;
        arrived_early_.push_back({number, warp_->number, clocks_.tick()});
        ++progress_;
        return;
    }
    fragment_.barrier = number;
    fragment_.threads = threads;
    wait(State::at_barrier);
}

void BlockRun::grid_barrier(const Instruction& i) {
    if (setup_.without_grid_barriers) {
        Finding f;
        f.kind = FindingKind::trap;
        f.mask = mask_.bits;
        f.text = "a barrier of the whole grid is for launches by cudaLaunchCooperativeKernel alone";
        find(std::move(f), i, lowest(mask_.bits));
        stop();
        return;
    }
    wait(State::at_grid_barrier);
}

void BlockRun::pass_grid_barrier() {
    std::vector<std::uint32_t> arrived(warps_.size());
    std::uint32_t location = 0, threads = 0;
    for (Warp& w : warps_) {
        for (Fragment& f : w.fragments) {
            const Instruction& here = f.frame->code->code[f.pc];
            report_ended_before(here, {});
            location = here.location;
            arrived[w.number] |= f.mask;
            threads += record::lanes_of(f.mask);
            f.state = State::ready;
            ++f.pc;
        }
    }
    clocks_.join(warps_.size() == kLanes ? kAllLanes : (1U << warps_.size()) - 1);
    fences_.join();
    if (!bare_) {
        recorder_.barrier(arrived, {location, 0, threads, 0, 0});
    }
    at_grid_barrier_ = false;
    ++progress_;
    turns_.clear();
}

bool BlockRun::release_barriers() {
    std::uint32_t waited_at = 0; // barriers, one bit each
    for (const Warp& w : warps_) {
        for (const Fragment& f : w.fragments) {
            waited_at |= f.state == State::at_barrier ? 1U << f.barrier : 0U;
        }
    }
    bool any = false;
    each_active(waited_at, [&](unsigned number) { any |= complete_barrier(number); });
    return any;
}

// As an H100 does (tests/golden/barrier_rules): a barrier that names no count of threads waits for those that have not
// exited; one that does counts whole warps that arrive, with lanes that have exited, and misses warps that have. The
// lanes of a warp cannot meet at several aligned instructions. An H100 lets whole warps meet so also at __syncthreads,
// which the language does not.
bool BlockRun::complete_barrier(std::uint32_t number) {
    std::uint32_t arrived[kLanes] = {}; // by warp: mask of lanes
    std::uint32_t asked = 0, come = early_[number], live = 0, warps = 0;
    const Instruction* place = nullptr;
    bool one_place = true;
    for (const Warp& w : warps_) {
        live += record::lanes_of(w.live);
        const Instruction* in_warp = nullptr;
        for (const Fragment& f : w.fragments) {
            if (f.state != State::at_barrier || f.barrier != number) {
                continue;
            }
            const Instruction* const here = &f.frame->code->code[f.pc];
            const auto aligned = [&](const Instruction* i) { return program_.barriers[i->c].aligned; };
            if (in_warp != nullptr && in_warp != here && (aligned(in_warp) || aligned(here))) {
                return false;
            }
            in_warp = here;
            one_place =
                one_place && (place == nullptr || place == here || program_.barriers[here->c].number != compile::kNone);
            place = here;
            asked = f.threads != 0 ? f.threads : asked;
            arrived[w.number] |= f.mask;
        }
        if (arrived[w.number] != 0) {
            warps |= 1U << w.number;
            come += asked != 0 && arrived[w.number] == w.live ? kLanes : record::lanes_of(arrived[w.number]);
        }
    }
    if (place == nullptr || (asked == 0 ? come != live || !one_place : come < asked)) {
        return false;
    }
    if (asked == 0) {
        report_ended_before(*place, program_.barriers[place->c].within);
    }
    early_[number] = 0;
    for (Warp& w : warps_) {
        report_divergent_barriers(w, number);
    }
    const compile::Barrier& b = program_.barriers[place->c];
    std::uint64_t holds = 0, threads = 0;
    for (Warp& w : warps_) {
        for (const Fragment& f : w.fragments) {
            if (f.state != State::at_barrier || f.barrier != number) {
                continue;
            }
            const compile::Barrier& own = program_.barriers[f.frame->code->code[f.pc].c];
            if (own.predicate != compile::kNone) {
                const std::uint32_t* const p = values<std::uint32_t>(&f.frame->rows[own.predicate]);
                each_active(f.mask, [&](unsigned l) { holds += p[l] != 0 ? 1 : 0; });
                threads += record::lanes_of(f.mask);
            }
        }
    }
    const std::uint32_t result = b.reduce == compile::Barrier::Reduce::count ? static_cast<std::uint32_t>(holds)
                                 : b.reduce == compile::Barrier::Reduce::all ? (holds == threads ? 1U : 0U)
                                                                             : (holds != 0 ? 1U : 0U);
    if (!bare_) {
        recorder_.barrier({arrived, warps_.size()}, {place->location, number, asked != 0 ? asked : live, 0, 0});
    }
    for (const Arrived& a : arrived_early_) {
        if (a.barrier == number) {
            each_active(warps, [&](unsigned w) { clocks_.learn(w, a.warp, a.time); });
        }
    }
    std::erase_if(arrived_early_, [&](const Arrived& a) { return a.barrier == number; });
    clocks_.join(warps);
    fences_.join();
    for (Warp& w : warps_) {
        for (Fragment& f : w.fragments) {
            if (f.state != State::at_barrier || f.barrier != number) {
                continue;
            }
            const compile::Instruction& here = f.frame->code->code[f.pc];
            if (here.dst != compile::kNone) {
                std::uint32_t* const dst = values<std::uint32_t>(&f.frame->rows[here.dst]);
                each_active(f.mask, [&](unsigned l) { dst[l] = result; });
            }
            ++f.pc;
            f.state = State::ready;
        }
    }
    ++progress_;
    return true;
}

} // namespace warptree::simt
