#include "kernels/trace/recorder.hpp"

#include "app/theory/banks/rules.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace warptree {

Recorder::Recorder(const RecorderSetup& setup)
    : setup_(setup), warps_((setup.block_threads + kWarpSize - 1) / kWarpSize), hazards_(setup.shared_elements),
      array_hazards_(0) {
    slots_.resize(64);
    grow();
}

void Recorder::grow() {
    step_capacity_ = std::max(steps_.size(), step_capacity_ + 16);
    counters_.resize(step_capacity_);
    masks_.resize(step_capacity_ * warps_);
}

void Recorder::begin_block(std::uint32_t block) {
    block_ = block;
    full_ = block >= setup_.window_first && block - setup_.window_first < setup_.window_count;
    std::fill(masks_.begin(), masks_.end(), Masks{});
    nodes_.clear();
    outputs_.clear();
    array_outputs_.clear();
    published_.clear();
    aggregates_seen_ = 0;
    emitted_.clear();
    stalls_.clear();
    furthest_ = meeting_ = 0;
    kept_now_ = {};
    kept_now_.block = block;
}

// A slot holds one warp request while the lanes of the warp pass it one by one.
Recorder::Slot& Recorder::find_slot(ThreadTrace& t, AccessKind kind, SourceLine at, unsigned bytes) {
    const std::uint16_t ordinal = t.ordinal[is_shared(kind) ? 0 : 1];
    for (std::size_t i = 0; i < slots_used_; ++i) {
        if (slots_[i].is_of(t, kind, ordinal, bytes)) {
            t.slot = static_cast<std::uint16_t>(i);
            return slots_[i];
        }
    }
    if (slots_used_ == slots_.size()) {
        slots_.resize(slots_.size() * 2);
    }
    t.slot = static_cast<std::uint16_t>(slots_used_);
    Slot& slot = slots_[slots_used_++];
    slot.step = t.step;
    slot.path = t.path;
    slot.ordinal = ordinal;
    slot.kind = kind;
    slot.line = at;
    slot.mask = 0;
    slot.bytes = bytes;
    slot_warp_ = t.warp;
    return slot;
}

Origin Recorder::load(ThreadTrace& t, std::uint32_t element, std::uint64_t bits, SourceLine at) {
    access(t, AccessKind::global_load, element, at, setup_.element_bytes);
    return this->element(t, element, bits, at);
}

void Recorder::load_vector(ThreadTrace& t, std::uint32_t vector, unsigned vector_bytes, SourceLine at) {
    access(t, AccessKind::global_load, vector, at, vector_bytes);
}

void Recorder::shared_vector(ThreadTrace& t, AccessKind kind, std::uint32_t vector, unsigned vector_bytes,
                             SourceLine at) {
    access(t, kind, vector, at, vector_bytes);
    const unsigned elements = vector_bytes / setup_.element_bytes;
    for (unsigned k = 0; k < elements; ++k) {
        note_shared(t, vector * elements + k, kind == AccessKind::shared_store, at);
    }
}

Origin Recorder::element(ThreadTrace& t, std::uint32_t element, std::uint64_t bits, SourceLine at) {
    masks(t.step, t.warp).load |= 1U << t.lane;
    const bool later = setup_.input_metas != nullptr;
    return {nodes_.leaf(full_ || later || setup_.many_readers,
                        {element, t.step, t.thread, NodeKind::leaf, false, {at, kNone, bits}}),
            later ? setup_.input_metas[element].depth : 0, later && setup_.input_metas[element].empty};
}

Origin Recorder::partial(ThreadTrace& t, std::uint32_t index, std::uint64_t bits, SourceLine at, bool told) {
    access(t, AccessKind::global_load, index, at, (told ? 2 : 1) * setup_.element_bytes);
    masks(t.step, t.warp).load |= 1U << t.lane;
    reads_partials_ = true;
    return {nodes_.leaf(true, {index, t.step, t.thread, NodeKind::partial, false, {at, kNone, bits}}),
            setup_.output_metas[index].depth, setup_.output_metas[index].empty};
}

void Recorder::ticket(ThreadTrace& t, SourceLine at) {
    ++counters_[t.step].atomics;
    access(t, AccessKind::atomic, 0, at, sizeof(std::uint32_t));
}

void Recorder::array_access(ThreadTrace& t, AccessKind kind, std::uint64_t first, std::uint32_t i, SourceLine at) {
    access(t, kind, static_cast<std::uint32_t>(first + i), at, setup_.element_bytes);
    array_first_ = first;
    array_hazards_.note({i, t.thread, t.step, t.warp_epoch, t.shuffles, at, kind == AccessKind::global_store});
}

void Recorder::array_stored(const ThreadTrace& t, std::uint64_t first, std::uint32_t i, Origin value, SourceLine at) {
    if (i >= array_outputs_.size()) {
        array_outputs_.resize(i + 1U, {kNone, OutputTo::output, 0, 0, {}, SourceLine::none()});
    }
    array_outputs_[i] = {static_cast<std::uint32_t>(first + i), OutputTo::output, t.step, t.thread, value, at};
}

void Recorder::published(ThreadTrace& t, std::uint32_t tile, Origin value, SourceLine at) {
    access(t, AccessKind::global_store, tile, at, 2 * setup_.element_bytes);
    published_.push_back(value);
}

Origin Recorder::seen(ThreadTrace& t, const Sighting& what, SourceLine at) {
    access(t, AccessKind::global_load, what.tile, at, 2 * setup_.element_bytes);
    takes_part(t);
    aggregates_seen_ += what.is_prefix ? 0 : 1;
    return {nodes_.leaf(true, {what.element, t.step, t.thread, NodeKind::partial, false, {at, kNone, what.bits}}),
            what.depth};
}

Origin Recorder::identity(ThreadTrace& t, std::uint64_t bits, SourceLine at) {
    if (!full_) {
        return {kIdentityRef, 0, true};
    }
    return {nodes_.leaf(true, {kNone, t.step, t.thread, NodeKind::identity, false, {at, kNone, bits}}), 0, true};
}

Origin Recorder::combine(ThreadTrace& t, Origin left, Origin right, std::uint64_t bits, SourceLine at) {
    const bool padding = left.empty || right.empty;
    ++counters_[t.step].combines;
    counters_[t.step].padding_combines += padding ? 1 : 0;
    Origin made =
        operation(t, padding ? BlockNodes::Operation::padding : BlockNodes::Operation::combine, left, right, bits, at);
    ++made.depth;
    made.empty = left.empty && right.empty;
    return made;
}

Origin Recorder::product(ThreadTrace& t, Origin left, Origin right, std::uint64_t bits, SourceLine at) {
    Origin made = operation(t, BlockNodes::Operation::product, left, right, bits, at);
    made.empty = left.empty || right.empty;
    return made;
}

Origin Recorder::operation(ThreadTrace& t, BlockNodes::Operation what, Origin left, Origin right, std::uint64_t bits,
                           SourceLine at) {
    takes_part(t);
    // While loading, an only counted block merges a thread's combines, so that a long grid-stride loop needs no
    // memory for each of its elements.
    const bool merge = !full_ && setup_.input_metas == nullptr && t.step == 0;
    return {nodes_.combine(merge ? &t.load_node : nullptr, full_, what, left.node, right.node, t.step, t.thread,
                           {at, kNone, bits}),
            std::max(left.depth, right.depth)};
}

void Recorder::output(ThreadTrace& t, OutputTo to, std::uint32_t index, Origin value, SourceLine at) {
    const bool atomic = to == OutputTo::atomic_total;
    masks(t.step, t.warp).store |= 1U << t.lane;
    if (atomic) {
        ++counters_[t.step].atomics;
    }
    const bool told = to == OutputTo::told;
    to = told ? OutputTo::output : to;
    access(t, atomic ? AccessKind::atomic : AccessKind::global_store, index, at, (told ? 2 : 1) * setup_.element_bytes);
    outputs_.push_back({index, to, t.step, t.thread, value, at});
    if (to == OutputTo::output && setup_.output_metas != nullptr) {
        setup_.output_metas[index].depth = value.depth; // this block may read it back before it ends
        setup_.output_metas[index].empty = value.empty;
    }
}

void Recorder::store_vector(ThreadTrace& t, std::uint32_t vector, unsigned vector_bytes, SourceLine at) {
    access(t, AccessKind::global_store, vector, at, vector_bytes);
}

void Recorder::element_put(ThreadTrace& t, std::uint32_t index, Origin value, SourceLine at) {
    masks(t.step, t.warp).store |= 1U << t.lane;
    outputs_.push_back({index, OutputTo::output, t.step, t.thread, value, at});
    if (setup_.output_metas != nullptr) {
        setup_.output_metas[index].depth = value.depth;
        setup_.output_metas[index].empty = value.empty;
    }
}

void Recorder::shuffle(ThreadTrace& t, ShuffleKind kind, unsigned delta, unsigned width, SourceLine at) {
    ++t.shuffles;
    const auto matches = [&](const ShuffleSlot& s) {
        return s.shuffle.step == t.step && s.path == t.path && s.number == t.shuffles;
    };
    const auto found = std::find_if(shuffle_slots_.begin(), shuffle_slots_.end(), matches);
    if (found != shuffle_slots_.end()) {
        found->shuffle.mask |= 1U << t.lane;
        return;
    }
    shuffle_slots_.push_back({{block_, t.step, t.warp, kind, static_cast<std::uint8_t>(width),
                               static_cast<std::uint16_t>(delta), 1U << t.lane, at},
                              t.shuffles,
                              t.path});
}

void Recorder::barrier(const ThreadTrace& t, SourceLine at) {
    ++counters_[t.step].barriers;
    if (full_) {
        kept_now_.barriers.push_back({block_, t.step, at});
    }
}

void Recorder::end_warp(std::uint32_t paused) {
    const auto open = [paused](std::uint32_t mask) { return paused != 0 && (mask & paused) == 0; };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slots_used_; ++i) {
        if (open(slots_[i].mask)) {
            slots_[kept++] = slots_[i];
        } else {
            flush_slot(slots_[i]);
        }
    }
    slots_used_ = kept;
    std::erase_if(shuffle_slots_, [&](const ShuffleSlot& s) {
        if (open(s.shuffle.mask)) {
            return false;
        }
        ++counters_[s.shuffle.step].shuffles;
        if (full_) {
            kept_now_.shuffles.push_back(s.shuffle);
        }
        return true;
    });
}

void Recorder::flush_slot(const Slot& slot) {
    Counters& c = counters_[slot.step];
    Request request{block_, slot.step, static_cast<std::uint16_t>(slot_warp_), slot.kind,
                    static_cast<std::uint8_t>(slot.bytes)};
    const unsigned size = slot.bytes;
    switch (slot.kind) {
    case AccessKind::shared_load:
    case AccessKind::shared_store: {
        const bool store = slot.kind == AccessKind::shared_store;
        request.wavefronts =
            static_cast<std::uint16_t>(banks::wavefronts(slot.index.data(), slot.mask, size, setup_.banks, store));
        request.ideal = static_cast<std::uint16_t>(
            banks::ideal_wavefronts(slot.index.data(), slot.mask, size, setup_.banks, store));
        (store ? c.shared_store_requests : c.shared_load_requests) += 1;
        (store ? c.shared_store_wavefronts : c.shared_load_wavefronts) += request.wavefronts;
        (store ? c.shared_store_ideal : c.shared_load_ideal) += request.ideal;
        break;
    }
    case AccessKind::global_load:
    case AccessKind::global_store: {
        const bool store = slot.kind == AccessKind::global_store;
        request.sectors = static_cast<std::uint16_t>(banks::sectors(slot.index.data(), slot.mask, size));
        (store ? c.global_store_requests : c.global_load_requests) += 1;
        (store ? c.global_store_sectors : c.global_load_sectors) += request.sectors;
        break;
    }
    case AccessKind::shared_atomic: // no strategy makes one
    case AccessKind::atomic:
        request.sectors = static_cast<std::uint16_t>(banks::sectors(slot.index.data(), slot.mask, size));
    }
    if (!full_) {
        return;
    }
    request.mask = slot.mask;
    request.line = slot.line;
    request.first_index = static_cast<std::uint32_t>(kept_now_.indices.size());
    for (std::uint32_t rest = slot.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        kept_now_.indices.push_back(slot.index[lane]);
        kept_now_.sequences.push_back(slot.sequence[lane]);
    }
    kept_now_.requests.push_back({request, slot.path});
}

void Recorder::end_interval() {
    hazards_.end_interval(block_, steps_, found_);
    for (const Hazard& h : found_) {
        ++counters_[h.second_step].hazards;
    }
    const std::size_t shared = found_.size();
    array_hazards_.end_interval(block_, steps_, found_);
    for (std::size_t i = shared; i < found_.size(); ++i) {
        found_[i].word += static_cast<std::uint32_t>(array_first_);
        found_[i].space = MemorySpace::output;
        ++counters_[found_[i].second_step].hazards;
    }
    meeting_ = furthest_;
    if (full_) {
        kept_now_.hazards.insert(kept_now_.hazards.end(), found_.begin(), found_.end());
    }
    found_.clear();
}

void Recorder::count_warps() {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        const auto id = static_cast<std::uint16_t>(step);
        Counters& c = counters_[id];
        const StepKind kind = steps_[id].kind;
        for (unsigned w = 0; w < warps_; ++w) {
            const Masks& m = masks(id, w);
            const std::uint32_t active = active_lanes(kind, m);
            if (active == 0) {
                continue;
            }
            c.active_threads += static_cast<unsigned>(std::popcount(active));
            ++c.active_warps;
            const bool split = kind == StepKind::stage && m.other != 0;
            c.divergent_warps += active != existing_lanes(w) || split ? 1U : 0U;
        }
    }
}

std::uint32_t Recorder::active_lanes(StepKind kind, const Masks& m) {
    return kind == StepKind::load ? m.load : kind == StepKind::store ? m.store : m.combine;
}

std::uint32_t Recorder::existing_lanes(unsigned warp) const {
    const std::uint32_t left = setup_.block_threads - warp * kWarpSize;
    return left >= kWarpSize ? 0xFFFFFFFFU : (1U << left) - 1;
}

void Recorder::stall(const ThreadTrace& t, StallKind kind, std::uint32_t expected, SourceLine at) {
    const auto same = [&](const Stall& s) {
        return s.warp == t.warp && s.step == t.step && s.kind == kind && s.line == at;
    };
    const auto found = std::find_if(stalls_.begin(), stalls_.end(), same);
    if (found != stalls_.end()) {
        found->mask |= 1U << t.lane;
    } else {
        stalls_.push_back({block_, t.step, t.warp, kind, 1U << t.lane, static_cast<std::uint16_t>(expected), at});
    }
}

void Recorder::end_block() {
    end_interval();
    count_warps();
    stalled_blocks_ += stalls_.empty() ? 0 : 1;
    std::copy_if(array_outputs_.begin(), array_outputs_.end(), std::back_inserter(outputs_),
                 [](const PendingOutput& o) { return o.index != kNone; });
    const auto reach = [this](Origin value) {
        const PartialMeta meta{nodes_.mark_useful(value.node, setup_.input_metas, setup_.output_metas), value.depth,
                               value.empty};
        reached_ = {reached_.leaves + meta.leaves, std::max(reached_.depth, meta.depth)};
        return meta;
    };
    for (const PendingOutput& o : outputs_) {
        const PartialMeta meta = reach(o.value);
        emitted_.push_back({o.index, o.to, meta});
        if (o.to == OutputTo::output && setup_.output_metas != nullptr) {
            setup_.output_metas[o.index] = meta;
        }
    }
    std::for_each(published_.begin(), published_.end(), reach);
    if (!published_.empty()) {
        look_backs_.resize(std::max<std::size_t>(look_backs_.size(), block_ + std::size_t{1}));
        look_backs_[block_] = aggregates_seen_;
    }
    for (const BlockNodes::Combine& c : nodes_.combines) {
        counters_[c.step].useful_combines += c.useful ? c.count : 0;
    }
    if (full_) {
        kept_now_.masks.assign(masks_.begin(), masks_.begin() + static_cast<std::ptrdiff_t>(steps_.size() * warps_));
        kept_now_.nodes = nodes_;
        kept_now_.outputs = outputs_;
        kept_now_.stalls = stalls_;
        kept_.push_back(std::move(kept_now_));
    }
}

} // namespace warptree
