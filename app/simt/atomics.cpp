// Atomics. A warp-level instruction performs them lane by lane.
#include "app/simt/block_run.hpp"

#include <cstring>
#include <utility>

namespace warptree::simt {

using compile::AtomicOperation;
using compile::Space;
using record::kNoTag;
using record::Tag;

namespace {
Operation operation_of(AtomicOperation operation) {
    switch (operation) {
    case AtomicOperation::add:
    case AtomicOperation::fadd: return Operation::add;
    case AtomicOperation::sub: return Operation::subtract;
    case AtomicOperation::min:
    case AtomicOperation::umin:
    case AtomicOperation::fmin: return Operation::minimum;
    case AtomicOperation::max:
    case AtomicOperation::umax:
    case AtomicOperation::fmax: return Operation::maximum;
    case AtomicOperation::and_: return Operation::and_;
    case AtomicOperation::or_: return Operation::or_;
    case AtomicOperation::xor_: return Operation::xor_;
    default: return Operation::none;
    }
}
} // namespace

void BlockRun::atomic(const Instruction& i) {
    if (attempt_ != nullptr) {
        return try_atomic(i);
    }
    const compile::Atomic& what = program_.atomics[i.c];
    const compile::Access& a = program_.accesses[what.access];
    show_stores();
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, a.bytes, true, at);
        if (group == 0) {
            stop();
            return;
        }
        rest &= ~group;
        if (follows() && at.space != Space::local && group == mask_.bits) {
            if (!atomic_as_logged(i, what, a, at, group)) {
                return;
            }
            continue;
        }
        if (at.space != Space::local) {
            fragment_.request = request(i, at.space == Space::shared ? AccessKind::shared_atomic : AccessKind::atomic,
                                        a.bytes, at, group);
        }
        each_active(group, [&](unsigned l) { atomic_lane(i, what, a, at, l); });
    }
    looked(what.result_used);
}

// Whether the lane's atomic would not change the value that the GPU found.
bool BlockRun::leaves_as_is(const compile::Atomic& what, const compile::Access& a, unsigned lane) {
    const compile::LoggedEvent* const event = logged(lane, compile::LogKind::atomic, 0);
    const bool wide = a.bytes == 8;
    const std::uint64_t expected = what.expected == compile::kNone ? 0 : value_of(what.expected, lane, wide);
    return event != nullptr && apply(what.operation, a.type, a.bytes, event->value, value_of(what.value, lane, wide),
                                     expected) == event->value;
}

// Performs them in the order of the log, where each lane found what the previous one left. False: the rest must wait.
bool BlockRun::atomic_as_logged(const Instruction& i, const compile::Atomic& what, const compile::Access& a,
                                const LaneOffsets& at, std::uint32_t group) {
    std::uint32_t rest = std::exchange(fragment_.pending, 0);
    if (rest == 0) {
        rest = group;
        fragment_.request =
            request(i, at.space == Space::shared ? AccessKind::shared_atomic : AccessKind::atomic, a.bytes, at, group);
    }
    while (rest != 0) {
        unsigned lane = next_to_change(at, a.bytes, rest);
        if (lane == kLanes) {
            if (!stop_waiting()) {
                fragment_.pending = rest;
                retry_later();
                return false;
            }
            lane = lowest(rest);
            if (!leaves_as_is(what, a, lane)) { // an atomic that changes nothing may come before or after any other
                report_difference(i, lane, "the GPU found another value there");
            }
        }
        atomic_lane(i, what, a, at, lane);
        ++progress_;
        const compile::LoggedEvent* const event = take_logged(i, lane, compile::LogKind::atomic);
        if (event != nullptr && i.dst != compile::kNone) {
            set_value(i.dst, lane, a.bytes == 8, event->value);
        }
        rest &= ~(1U << lane);
    }
    return true;
}

// What the lane's operand is made of.
Tag BlockRun::tag_put(const Instruction& i, const compile::Atomic& what, const compile::Access& a, unsigned lane) {
    const Tag tag = tag_at(what.tag_value, lane);
    if (!what.counts || tag == kNoTag) {
        return tag;
    }
    return make_node(Operation::function, tag, kNoTag, lane, value_of(what.value, lane, a.bytes == 8), a.type,
                     i.location, record::Role::maps);
}

// What the value now in memory is made of.
Tag BlockRun::tag_atomic(const Instruction& i, const compile::Atomic& what, const compile::Access& a, unsigned lane,
                         Tag there, std::uint64_t bits) {
    const Tag value = tag_put(i, what, a, lane);
    if (what.operation == AtomicOperation::exchange) {
        return value;
    }
    if (what.operation == AtomicOperation::compare_exchange) {
        // The new value was computed from the expected one. If another lane has meanwhile stored equal bits,
        // combine with what is there instead, so that no element is lost.
        const Tag expected = tag_at(what.tag_expected, lane);
        record::DataFlow& flow = recorder_.flow();
        if (there == kNoTag || expected == kNoTag || there == expected || value == kNoTag || record::is_leaf(value)) {
            return value;
        }
        record::DataFlow::Node node = flow.node_of(value);
        if (node.left != expected && node.right != expected) {
            return value;
        }
        (node.left == expected ? node.left : node.right) = there;
        return make_node(node.operation, node.left, node.right, lane, bits, a.type, i.location, node.role);
    }
    const Operation operation = operation_of(what.operation);
    if (operation == Operation::none || value == kNoTag) {
        return there;
    }
    if (there == kNoTag) {
        return value;
    }
    recorder_.combines(warp_->number, 1U << lane, 0, fragment_.pc);
    const Tag tag = make_node(operation, there, value, lane, bits, a.type, i.location, record::Role::combines);
    if (tag != kNoTag && !record::is_leaf(tag)) {
        recorder_.flow().node_of(tag).atomic = true;
    }
    return tag;
}

void BlockRun::atomic_lane(const Instruction& i, const compile::Atomic& what, const compile::Access& a,
                           const LaneOffsets& at, unsigned lane) {
    const bool wide = a.bytes == 8;
    const std::uint64_t offset = at.offset[lane], value = value_of(what.value, lane, wide);
    const std::uint64_t expected = what.expected == compile::kNone ? 0 : value_of(what.expected, lane, wide);
    const auto give = [&](std::uint64_t old, Tag tag) {
        if (i.dst != compile::kNone) {
            if (wide) {
                values<std::uint64_t>(rows_ + i.dst)[lane] = old;
            } else {
                values<std::uint32_t>(rows_ + i.dst)[lane] = static_cast<std::uint32_t>(old);
            }
        }
        if (i.tag_dst != 0) {
            tag_row(i.tag_dst)[lane] = tag;
        }
    };
    if (at.space == Space::global && memory_[at.allocation].watched()) {
        memory_[at.allocation].saw_store(offset, a.bytes);
    }
    record::DataFlow& flow = recorder_.flow();
    const bool signals = fences_.fresh(thread(lane));
    fences_.stored(thread(lane));
    const unsigned flags = kAtomic | (what.scope == compile::Scope::block ? kBlockScope : 0);
    if (at.space == Space::global && stores_.noted()) { // the old value is never read
        note(i, note_of(i, flags | kWrites | kChanges | kComparisons), at, lane, offset, a.bytes, &value);
        NotedStore s;
        s.flags = static_cast<std::uint16_t>(flags | kWrites);
        s.offset = offset;
        s.bits = value;
        s.location = i.location;
        s.allocation = static_cast<std::uint16_t>(at.allocation);
        s.thread = static_cast<std::uint16_t>(thread(lane));
        s.bytes = a.bytes;
        s.atomic = true;
        s.operation = what.operation;
        s.type = a.type;
        s.segment = static_cast<std::uint16_t>(std::min(recorder_.segment(warp_->number), 0xFFFFU));
        if (fragment_.request != record::BlockRecorder::kNotKept) {
            recorder_.stored_atomically(fragment_.request, lane, stores_.list().size(), true);
        }
        stores_.list().push_back(s);
        if (!bare_) {
            flow.outputs.push_back({memory_[at.allocation].element_at(offset), tag_put(i, what, a, lane),
                                    recorder_.segment(warp_->number), i.location, s.allocation, s.thread, true});
        }
        give(0, kNoTag);
        ++progress_;
        return;
    }
    if (logs() && at.space != Space::local) {
        std::uint64_t there = 0;
        std::memcpy(&there, at.data + offset, a.bytes);
        log(lane, compile::LogKind::atomic, a.bytes, base_of(at) + offset, there);
    }
    std::byte* const data =
        at.space == Space::local ? at.data + std::uint64_t{lane} * warp_->local_bytes + offset : at.data + offset;
    std::uint64_t old = 0;
    std::memcpy(&old, data, a.bytes);
    const std::uint64_t now = apply(what.operation, a.type, a.bytes, old, value, expected);
    if (prepared_.tells_overflow() && loses(what.operation, a.type, old, value)) {
        find(overflow_of(old, value), i, lane);
    }
    const bool changes = now != old || what.operation == AtomicOperation::exchange ||
                         (what.operation == AtomicOperation::compare_exchange && old == expected);
    const bool uses_old = what.operation != AtomicOperation::exchange || what.result_used;
    const bool exchanged = what.operation != AtomicOperation::compare_exchange || old == expected;
    if (at.space != Space::local) {
        const unsigned changed = changes ? kChanges | prepared_.comparisons().changed(old, now, a.bytes) : 0;
        note(i, note_of(i, flags | (exchanged ? kWrites : 0) | changed), at, lane, offset, a.bytes, &now);
        const bool takes = now != old && (what.operation == AtomicOperation::compare_exchange ||
                                          (what.operation == AtomicOperation::exchange && !signals));
        acquire(at, lane, offset, static_cast<std::uint16_t>(flags),
                takes               ? Look::takes
                : !what.result_used ? Look::ignores
                                    : Look::sees);
        if (exchanged) {
            release(at, lane, offset, now, static_cast<std::uint16_t>(flags), true);
        }
        if (takes) {
            fences_.take(clocks_, flag_place(at, offset), old, thread(lane));
        }
    }
    std::memcpy(data, &now, a.bytes);
    if (at.space != Space::local && fragment_.request != record::BlockRecorder::kNotKept) {
        recorder_.stored_atomically(fragment_.request, lane, cut(now, a.bytes));
    }
    progress_ += now != old ? 1 : 0;
    Tag before = kNoTag;
    switch (at.space) {
    case Space::shared: {
        const auto place = static_cast<std::uint32_t>(offset);
        SharedMemory& memory = at.owner->shared_;
        before = clustered_ ? cluster_tag(*at.owner, i, lane, place, old, a.type) : memory.tag(place);
        if (uses_old && memory.written(place) == 0) {
            Finding f;
            f.kind = FindingKind::uninitialised;
            f.writes = true;
            f.array = array_of(*at.owner, place, f.index, f.elements);
            if (is_remote(at)) {
                find(std::move(f), i, lane);
            } else {
                report_unwritten(std::move(f), i, lane, record::kSharedAllocation, offset);
            }
        }
        memory.written(place) = 1;
        if (exchanged) {
            memory.tag(place) = tag_atomic(i, what, a, lane, before, now);
            if (clustered_) {
                memory.origin(place) = block_;
            }
            if (changes && at.owner == this) {
                flow.stored(memory.tag(place), record::kSharedAllocation, place / a.bytes);
            }
        }
        break;
    }
    case Space::global: {
        Allocation& allocation = memory_[at.allocation];
        const std::uint64_t element = allocation.element_at(offset);
        Stored& s = allocation.store(element);
        if (uses_old && !s.by_anybody() && !allocation.initialised(offset, a.bytes)) {
            Finding f;
            f.kind = FindingKind::uninitialised;
            f.writes = true;
            f.array = allocation.shape().name;
            f.index = static_cast<std::int64_t>(element);
            f.elements = allocation.shape().elements;
            report_unwritten(std::move(f), i, lane, at.allocation, element);
        }
        before = s.by(block_) ? s.tag : kNoTag;
        if (exchanged) {
            const bool chain =
                what.operation == AtomicOperation::exchange || what.operation == AtomicOperation::compare_exchange;
            const Tag tag = chain ? tag_atomic(i, what, a, lane, before, now) : tag_put(i, what, a, lane);
            if (!bare_) {
                flow.outputs.push_back({element, tag, recorder_.segment(warp_->number), i.location,
                                        static_cast<std::uint16_t>(at.allocation),
                                        static_cast<std::uint16_t>(thread(lane)), !chain});
            }
            s.depth = flow.depth(tag);
            s.tag = chain ? tag : kNoTag;
            s.is_by(block_);
            s.atomic = true;
        }
        break;
    }
    default: break;
    }
    give(old, before);
}

} // namespace warptree::simt
