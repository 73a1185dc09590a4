#include "app/trace/record/block_recorder.hpp"

#include "app/theory/banks/rules.hpp"
#include "app/trace/record/step_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warptree::record {

BlockRecorder::BlockRecorder(std::uint32_t threads, int banks, const std::vector<std::uint32_t>& named, bool merges)
    : threads_(threads), banks_(banks), named_(named), merges_(merges), warps_((threads + kWarpSize - 1) / kWarpSize) {}

std::uint32_t BlockRecorder::existing(unsigned warp) const {
    const std::uint32_t left = threads_ - warp * kWarpSize;
    return left >= kWarpSize ? 0xFFFFFFFFU : (1U << left) - 1;
}

void BlockRecorder::begin(std::uint32_t block, bool full) {
    block_ = block;
    full_ = full;
    sequence_.clear();
    step_of_.clear();
    tallies_.assign(1, {});
    outers_.assign(1, {});
    masks_.assign(warps_.size(), {});
    hazards_.clear();
    left_.clear();
    ran_.clear();
    flow_.begin(full);
    events_.clear();
    for (Warp& w : warps_) {
        w.place = furthest_ = StepSequence::kBefore;
        w.barrier_last = false;
        open(w);
        w.first = w.alone = true;
    }
}

void BlockRecorder::open(Warp& w) {
    w.segment = static_cast<std::uint32_t>(step_of_.size());
    step_of_.push_back(w.place);
    w.stage = w.first = w.global_load = w.global_store = w.global_atomic = w.shared_store = false;
    w.empty = true;
    w.after_barrier = w.barrier_last;
    w.location = w.line = w.site = 0;
    w.lanes = {};
    w.counters = {};
}

void BlockRecorder::step_to(Warp& w, const StepKey& key) {
    w.place = sequence_.advance(w.place, key);
    if (w.place >= tallies_.size()) {
        tallies_.resize(w.place + 1U);
        outers_.resize(tallies_.size());
        masks_.resize(tallies_.size() * warps_.size());
    }
}

// Decides to which step the open segment belongs and counts it there. A segment without a step of its own joins the
// previous step.
void BlockRecorder::close(unsigned index) {
    Warp& w = warps_[index];
    const std::uint32_t name = named_.empty() ? 0 : named_[w.location];
    if (w.stage || w.empty) {
        // Decided when it began; or nothing happened, so it is no step.
    } else if (w.global_store && !(w.first && w.global_load)) {
        const StepKey store{StepKind::store, false, name, 0};
        if (!sequence_.has(w.place, store)) { // after what other warps do in the meantime
            w.place = sequence_.later(w.place, furthest_);
        }
        step_to(w, store);
    } else if (w.first || w.global_load) {
        step_to(w, {StepKind::load, false, w.first ? 0 : name, 0});
    } else if (w.after_barrier || w.place == StepSequence::kBefore) {
        step_to(w, {StepKind::other, false, name != 0 ? name : w.location, 0});
    }
    step_of_[w.segment] = w.place;
    if (w.empty) {
        return;
    }
    tallies_[w.place] += w.counters;
    LaneMasks& m = masks_[w.place * warps_.size() + index];
    m.load_other = m.load == 0 ? w.lanes.load_other : m.load_other;
    m.store_other = m.store == 0 ? w.lanes.store_other : m.store_other;
    m.load |= w.lanes.load;
    m.store |= w.lanes.store;
    m.touch |= w.lanes.touch;
    m.other = m.combine == 0 ? w.lanes.other : m.other;
    m.combine |= w.lanes.combine;
}

void BlockRecorder::begin_stage(unsigned index, const StepKey& key, std::uint32_t line) {
    Warp& w = warps_[index];
    // Preceding reads belong to it; earlier writes belong to the previous segment.
    const bool goes_on =
        !w.stage && !w.first && !w.global_load && !w.global_store && (w.after_barrier || !w.shared_store);
    const bool nothing_yet = !w.stage && w.first && w.empty;
    if (!goes_on && !nothing_yet) {
        close(index);
        open(w);
    }
    w.first = w.alone = false;
    w.stage = true;
    w.key = key;
    w.line = line;
    w.before_stage = w.place;
    step_to(w, key);
}

void BlockRecorder::turn(unsigned warp, std::uint32_t loop, std::int64_t value, const OuterValue& outer) {
    begin_stage(warp, {StepKind::stage, false, loop, value}, 0);
    outers_[warps_[warp].place].add(outer);
}

void BlockRecorder::statement(unsigned warp, std::uint32_t statement, std::uint32_t line) {
    begin_stage(warp, {StepKind::stage, true, statement, 0}, line);
}

void BlockRecorder::leave(unsigned warp) {
    Warp& w = warps_[warp];
    if (w.stage) {
        close(warp);
        open(w);
    }
}

void BlockRecorder::touch(Warp& w, std::uint32_t mask, std::uint32_t location) {
    place_branches(w);
    w.location = w.empty ? location : w.location;
    w.empty = w.barrier_last = false;
    w.lanes.touch |= mask;
}

std::uint32_t BlockRecorder::access(unsigned warp, const Access& a) {
    Warp& w = warps_[warp];
    // The combine's result may be stored on another line.
    if (w.stage && w.key.statement && a.line != w.line && w.lanes.combine != 0 && a.kind != AccessKind::shared_store) {
        leave(warp);
    }
    const std::uint32_t name = named_.empty() ? 0 : named_[a.location];
    if (name != 0 && !w.stage && !w.empty && name != named_[w.location]) { // a named statement is a step of its own
        close(warp);
        open(w);
    }
    const bool stores = a.kind == AccessKind::global_store || a.kind == AccessKind::atomic;
    // Of atomics the order is kept, which their place among the steps would not tell.
    const bool turns = a.in_loop && w.alone && a.kind == AccessKind::global_load && w.global_store && !w.global_atomic;
    if (turns || (stores && !w.stage && (!a.in_loop || w.alone) && w.global_load && !w.global_store)) {
        close(warp);
        open(w);
    }
    touch(w, a.mask, a.location);
    Counters& c = w.counters;
    std::uint16_t wavefronts = 0, ideal = 0, sectors = 0;
    switch (a.kind) {
    case AccessKind::shared_load:
    case AccessKind::shared_store: {
        const bool store = a.kind == AccessKind::shared_store;
        std::uint32_t words[kWarpSize];
        const std::uint32_t* index = a.index;
        if (a.bytes < 4) { // several lanes may access one word
            for (unsigned l = 0; l < kWarpSize; ++l) {
                words[l] = banks::banked(a.index[l], a.bytes);
            }
            index = words;
        }
        wavefronts = static_cast<std::uint16_t>(banks::wavefronts(index, a.mask, a.bytes, banks_, store));
        ideal = static_cast<std::uint16_t>(banks::ideal_wavefronts(index, a.mask, a.bytes, banks_, store));
        (store ? c.shared_store_requests : c.shared_load_requests) += 1;
        (store ? c.shared_store_wavefronts : c.shared_load_wavefronts) += wavefronts;
        (store ? c.shared_store_ideal : c.shared_load_ideal) += ideal;
        w.shared_store |= store;
        break;
    }
    case AccessKind::shared_atomic:
        c.atomics += lanes_of(a.mask);
        w.shared_store = true;
        break;
    case AccessKind::remote_load: break; // over the network between multiprocessors, with no banks of this one
    case AccessKind::remote_store: w.shared_store = true; break;
    case AccessKind::remote_atomic:
        c.atomics += lanes_of(a.mask);
        w.shared_store = true;
        break;
    case AccessKind::global_load:
    case AccessKind::global_store:
    case AccessKind::atomic:
        sectors = a.constant ? std::uint16_t{0} : static_cast<std::uint16_t>(banks::sectors(a.index, a.mask, a.bytes));
        if (a.kind == AccessKind::global_load) {
            c.global_load_requests += a.constant ? 0 : 1;
            c.global_load_sectors += sectors;
            w.global_load = true;
            w.load_site = w.lanes.load == 0 ? a.location : w.load_site;
            w.lanes.load_other |= a.location != w.load_site && (a.mask & w.lanes.load) == 0 ? a.mask : 0;
            w.lanes.load |= a.mask;
        } else {
            if (a.kind == AccessKind::atomic) {
                w.global_atomic = true;
                c.atomics += lanes_of(a.mask);
            } else {
                c.global_store_requests += 1;
                c.global_store_sectors += sectors;
            }
            w.global_store = true;
            w.store_site = w.lanes.store == 0 ? a.location : w.store_site;
            w.lanes.store_other |= a.location != w.store_site && (a.mask & w.lanes.store) == 0 ? a.mask : 0;
            w.lanes.store |= a.mask;
        }
        break;
    }
    if (!full_ || events_.indices.size() >= kMostKept) {
        return kNotKept;
    }
    events_.requests.push_back({w.segment, a.mask, a.location, static_cast<std::uint32_t>(events_.indices.size()),
                                a.kind, a.bytes, static_cast<std::uint16_t>(warp), a.allocation, wavefronts, ideal,
                                sectors});
    for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
        events_.indices.push_back(a.index[std::countr_zero(rest)]);
    }
    return static_cast<std::uint32_t>(events_.requests.size() - 1);
}

void BlockRecorder::stored(std::uint32_t request, unsigned part, unsigned parts, std::uint32_t mask,
                           const std::array<std::uint64_t, kWarpSize>& by_lane) {
    StoreEvent event{request, mask, static_cast<std::uint32_t>(events_.stored.size()), static_cast<std::uint8_t>(part),
                     static_cast<std::uint8_t>(parts)};
    event.shape = keep_lanes(events_.stored, by_lane, mask);
    events_.stores.push_back(event);
}

void BlockRecorder::shuffle(unsigned warp, ShuffleEvent event, const std::uint8_t* source) {
    Warp& w = warps_[warp];
    touch(w, event.mask, event.location);
    ++w.counters.shuffles;
    if (full_ && events_.sources.size() < kMostKept) {
        event.segment = w.segment;
        event.warp = static_cast<std::uint16_t>(warp);
        event.first_source = static_cast<std::uint32_t>(events_.sources.size());
        events_.sources.insert(events_.sources.end(), source, source + kWarpSize);
        events_.shuffles.push_back(event);
    }
}

void BlockRecorder::vote(unsigned warp, VoteEvent event) {
    Warp& w = warps_[warp];
    touch(w, event.mask, event.location);
    if (full_ && events_.votes.size() < kMostKept) {
        event.segment = w.segment;
        event.warp = static_cast<std::uint16_t>(warp);
        events_.votes.push_back(event);
    }
}

void BlockRecorder::branch(unsigned warp, BranchEvent event) {
    if (full_ && events_.branches.size() < kMostKept) {
        event.segment = warps_[warp].segment;
        event.warp = static_cast<std::uint16_t>(warp);
        warps_[warp].branches.push_back(static_cast<std::uint32_t>(events_.branches.size()));
        events_.branches.push_back(event);
    }
}

void BlockRecorder::hazard(unsigned warp, HazardEvent event) {
    constexpr std::size_t kMost = 1U << 16;
    if (hazards_.size() == kMost) {
        hazard(warp);
        return;
    }
    event.segment = warps_[warp].segment;
    hazards_.push_back(event);
}

void BlockRecorder::sync_warp(unsigned warp, SyncEvent event) {
    if (full_ && events_.syncs.size() < kMostKept) {
        event.segment = warps_[warp].segment;
        event.warp = static_cast<std::uint16_t>(warp);
        events_.syncs.push_back(event);
    }
}

void BlockRecorder::watch(unsigned warp, std::uint32_t variable, std::uint32_t mask, const std::uint32_t* low,
                          const std::uint64_t* wide) {
    const std::size_t slot = std::size_t{variable} * warps_.size() + warp;
    if (slot >= watched_.size()) {
        watched_.resize(slot + 1, 0xFFFFFFFFU);
    }
    const std::uint32_t segment = warps_[warp].segment;
    std::uint32_t& place = watched_[slot];
    if (place >= events_.watches.size() || events_.watches[place].segment != segment ||
        events_.watches[place].variable != variable) {
        if (events_.values.size() >= kMostKept) {
            return;
        }
        place = static_cast<std::uint32_t>(events_.watches.size());
        events_.watches.push_back({segment, variable, 0, static_cast<std::uint32_t>(events_.values.size()),
                                   static_cast<std::uint16_t>(warp)});
        events_.values.resize(events_.values.size() + kWarpSize);
    }
    WatchEvent& event = events_.watches[place];
    event.mask |= mask;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        events_.values[event.first_value + l] = wide != nullptr ? wide[l] : low[l];
    }
}

// An iteration continues after a barrier; but if it has loaded from global memory and not combined yet, what precedes
// the barrier is a step of its own, as in a tiled matrix product. Returns the place of the step that the barrier ends.
std::uint32_t BlockRecorder::pass_barrier(unsigned index, std::uint32_t location, bool all_idle) {
    Warp& w = warps_[index];
    w.barrier_last = true;
    if (w.stage && !w.key.statement) {
        if (!w.global_load || w.lanes.combine != 0) {
            return w.empty ? w.before_stage : w.place; // at the start of an iteration it ends the previous step
        }
        const StepKey key = w.key;
        w.stage = false;
        w.place = w.before_stage;
        close(index);
        const std::uint32_t loads = w.place;
        open(w);
        w.stage = true;
        step_to(w, key);
        return loads;
    }
    if (w.first && all_idle) { // the first segment consists only of the barrier
        w.location = w.empty ? location : w.location;
        w.empty = false;
    }
    close(index);
    const std::uint32_t ended = w.place;
    open(w);
    return ended;
}

void BlockRecorder::cut_short(const std::vector<bool>& waiting) {
    const auto only_loads = [](const Warp& w) { return w.stage && !w.key.statement && w.lanes.combine == 0; };
    for (unsigned i = 0; i < warps_.size(); ++i) {
        if (!waiting[i] || !only_loads(warps_[i]) || !warps_[i].global_load) {
            continue;
        }
        const StepKey key = warps_[i].key;
        const std::uint32_t location = warps_[i].location;
        for (Warp& w : warps_) { // those that come later in the same iteration, too
            if (only_loads(w) && w.key == key) {
                left_.push_back(w.place);
                w.location = w.empty ? location : w.location;
                w.stage = w.empty = false;
                w.global_load = true;
                w.place = w.before_stage;
            }
        }
    }
}

// Warps by place, furthest first, so that a step shared by several warps comes after everything that precedes it.
const std::vector<unsigned>& BlockRecorder::by_place() {
    order_.resize(warps_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    const auto same = [&](const Warp& w) { return w.place == warps_.front().place; };
    if (!std::all_of(warps_.begin(), warps_.end(), same)) {
        std::stable_sort(order_.begin(), order_.end(), [&](unsigned a, unsigned b) {
            return warps_[a].place != warps_[b].place &&
                   sequence_.later(warps_[a].place, warps_[b].place) == warps_[a].place;
        });
    }
    furthest_ = warps_[order_.front()].place;
    return order_;
}

// Between two barriers all warps share one load or store step, including those with nothing to load or store.
void BlockRecorder::join_others(std::span<const std::uint32_t> arrived) {
    const auto here = [&](unsigned i) { return arrived.empty() || arrived[i] != 0; };
    const auto free = [&](unsigned i) { return here(i) && !warps_[i].stage; };
    const auto only_loads = [&](unsigned i) { // so far in the iteration
        const Warp& w = warps_[i];
        return here(i) && w.stage && !w.key.statement && w.lanes.combine == 0 && !w.empty;
    };
    bool any_loads = false, any_stores = false, any_turns = false;
    std::uint32_t loads_at = 0, stores_at = 0; // location in the first such warp, for the step's name
    for (unsigned i = 0; i < warps_.size(); ++i) {
        const bool behind = free(i) && warps_[i].after_barrier;
        const bool loads = behind && warps_[i].global_load && !warps_[i].global_store;
        const bool stores = behind && warps_[i].global_store;
        loads_at = loads && !any_loads ? warps_[i].location : loads_at;
        stores_at = stores && !any_stores ? warps_[i].location : stores_at;
        any_loads |= loads;
        any_stores |= stores;
        any_turns |= only_loads(i) && warps_[i].global_load;
    }
    if (!any_loads && !any_stores && !any_turns) {
        return;
    }
    for (unsigned i = 0; i < warps_.size(); ++i) {
        Warp& w = warps_[i];
        if (free(i) && w.after_barrier && !w.empty && !w.global_load && !w.global_store && (any_loads || any_stores)) {
            (any_loads ? w.global_load : w.global_store) = true;
            w.location = any_loads ? loads_at : stores_at;
        }
        w.global_load |= any_turns && only_loads(i);
    }
}

void BlockRecorder::barrier(std::span<const std::uint32_t> arrived, BarrierEvent event) {
    join_others(arrived);
    bool all_idle = true;
    for (unsigned i = 0; i < warps_.size(); ++i) {
        all_idle &= arrived[i] == 0 || (warps_[i].first && warps_[i].empty);
    }
    std::uint32_t furthest = StepSequence::kBefore;
    for (const unsigned i : by_place()) {
        if (arrived[i] != 0) {
            furthest = sequence_.later(furthest, pass_barrier(i, event.location, all_idle));
        }
    }
    furthest_ = StepSequence::kBefore;
    for (unsigned i = 0; i < warps_.size(); ++i) { // what follows it comes after what other warps did before it
        if (arrived[i] != 0 && !warps_[i].stage) {
            warps_[i].place = sequence_.later(warps_[i].place, furthest);
        }
    }
    ++tallies_[furthest].barriers;
    if (full_ && events_.arrived.size() < kMostKept) {
        event.step = furthest;
        event.first_mask = static_cast<std::uint32_t>(events_.arrived.size());
        events_.arrived.insert(events_.arrived.end(), arrived.begin(), arrived.end());
        events_.barriers.push_back(event);
    }
}

void BlockRecorder::count_warps() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        Counters& c = steps_[s].counters;
        const auto row = lanes_.begin() + static_cast<std::ptrdiff_t>(s * warps_.size());
        const bool global = std::any_of(row, row + static_cast<std::ptrdiff_t>(warps_.size()),
                                        [](const LaneMasks& m) { return (m.load | m.store) != 0; });
        for (unsigned i = 0; i < warps_.size(); ++i) {
            LaneMasks& m = lanes_[s * warps_.size() + i];
            const StepKind kind = steps_[s].key.kind;
            if (kind == StepKind::load && !global) { // a first step that only prepares shared memory
                m.load = m.touch;
            }
            const std::uint32_t active = m.active(kind);
            m.other = active & (kind == StepKind::stage   ? m.other
                                : kind == StepKind::load  ? m.load_other
                                : kind == StepKind::store ? m.store_other
                                                          : 0);
            if ((m.other & active & (~active + 1)) != 0) { // "other" must not contain the lowest lane
                m.other = active & ~m.other;
            }
            if (active != 0) {
                c.active_threads += lanes_of(active);
                ++c.active_warps;
                c.divergent_warps += active != existing(i) || m.other != 0 ? 1U : 0U;
            }
        }
    }
}

// Takes what is part of a merge of records out of the counts.
void BlockRecorder::fold_records() {
    if (!merges_) {
        return;
    }
    records_.fold(flow_, [this](const DataFlow::Node& node) {
        Counters& c = tallies_[step_of_[node.segment]];
        --c.combines;
        c.padding_combines -= node.role == Role::pads ? 1 : 0;
    });
}

// The steps in order. Of those between two barriers that race, the order is the one in which they ran.
std::vector<std::uint32_t> BlockRecorder::steps_as_run() {
    std::vector<std::uint32_t> order, place(tallies_.size());
    for (std::uint32_t s = sequence_.first(); s != StepSequence::kBefore; s = sequence_.next(s)) {
        place[s] = static_cast<std::uint32_t>(order.size());
        order.push_back(s);
    }
    std::vector<std::uint32_t> contrary; // places before which another ran
    for (const auto& [first, second] : ran_) {
        if (place[step_of_[second]] < place[step_of_[first]]) {
            contrary.push_back(place[step_of_[second]]);
        }
    }
    std::sort(contrary.begin(), contrary.end());
    std::size_t begin = 0;
    auto next = contrary.begin();
    for (std::size_t end = 1; end <= order.size() && next != contrary.end(); ++end) {
        if (tallies_[order[end - 1]].barriers != 0 || end == order.size()) {
            if (*next < end) {
                order_between_barriers(std::span(order).subspan(begin, end - begin), place);
            }
            next = std::find_if(next, contrary.end(), [&](std::uint32_t at) { return at >= end; });
            begin = end;
        }
    }
    return order;
}

void BlockRecorder::order_between_barriers(std::span<std::uint32_t> steps, const std::vector<std::uint32_t>& place) {
    const std::vector<std::uint32_t> old(steps.begin(), steps.end());
    const std::uint32_t first = place[old.front()];
    std::vector<std::vector<std::uint32_t>> of_warp(warps_.size());
    for (std::uint32_t k = 0; k < old.size(); ++k) {
        for (unsigned w = 0; w < warps_.size(); ++w) {
            const LaneMasks& m = masks_[old[k] * warps_.size() + w];
            if ((m.touch | m.load | m.store | m.combine) != 0) {
                of_warp[w].push_back(k);
            }
        }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ran;
    for (const auto& [earlier, later] : ran_) {
        const std::uint32_t a = place[step_of_[earlier]] - first, b = place[step_of_[later]] - first;
        if (a != b && a < old.size() && b < old.size()) {
            ran.emplace_back(a, b);
        }
    }
    const std::vector<std::uint32_t> order = order_as_run(static_cast<std::uint32_t>(old.size()), of_warp, ran);
    for (std::size_t k = 0; k < old.size(); ++k) {
        steps[k] = old[order[k]];
    }
    if (steps.back() != old.back()) { // the barrier that ends them all
        std::swap(tallies_[steps.back()].barriers, tallies_[old.back()].barriers);
        for (BarrierEvent& b : events_.barriers) {
            b.step = b.step == old.back() ? steps.back() : b.step;
        }
    }
}

void BlockRecorder::end() {
    join_others({});
    for (const unsigned i : by_place()) {
        close(i);
    }
    fold_records();
    steps_.clear();
    lanes_.clear();
    std::vector<std::uint32_t> place(tallies_.size());
    std::erase_if(left_,
                  [this](std::uint32_t s) { return std::find(step_of_.begin(), step_of_.end(), s) != step_of_.end(); });
    for (const std::uint32_t s : steps_as_run()) {
        if (std::find(left_.begin(), left_.end(), s) != left_.end()) {
            continue; // nothing is left of it
        }
        place[s] = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back({sequence_.key(s), tallies_[s], outers_[s]});
        const auto row = masks_.begin() + static_cast<std::ptrdiff_t>(s * warps_.size());
        lanes_.insert(lanes_.end(), row, row + static_cast<std::ptrdiff_t>(warps_.size()));
    }
    for (std::uint32_t& step : step_of_) {
        step = place[step];
    }
    for (BarrierEvent& b : events_.barriers) {
        b.step = place[b.step];
    }
    if (!steps_.empty()) { // barriers before the first step
        steps_.front().counters.barriers += tallies_[StepSequence::kBefore].barriers;
    }
    for (HazardEvent& h : hazards_) {
        if (step_of_[h.segment] < step_of_[h.other_segment]) {
            std::swap(h.segment, h.other_segment);
            std::swap(h.thread, h.other_thread);
            std::swap(h.location, h.other_location);
            std::swap(h.writes, h.other_writes);
        }
        ++steps_[step_of_[h.segment]].counters.hazards;
    }
    if (full_) {
        events_.hazards = hazards_;
    }
    flow_.mark_useful();
    for (const DataFlow::Node& node : flow_.nodes) {
        if (node.useful && node.role == Role::combines) {
            ++steps_[step_of_[node.segment]].counters.useful_combines;
        }
    }
    count_warps();
}

} // namespace warptree::record
