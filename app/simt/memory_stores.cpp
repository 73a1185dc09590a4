// Stores: values, their data flow, and findings.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace warptree::simt {

using compile::Space;
using record::kNoTag;
using record::Tag;

void BlockRun::store(const Instruction& i) {
    if (attempt_ != nullptr) {
        return try_store(i);
    }
    const compile::Access& a = program_.accesses[i.c];
    const unsigned size = a.bytes * a.count;
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, size, true, at);
        if (group == 0) {
            stop();
            return;
        }
        rest &= ~group;
        if (at.space != Space::local) {
            const std::uint32_t kept = request(
                i, at.space == Space::shared ? AccessKind::shared_store : AccessKind::global_store, size, at, group);
            for (unsigned k = 0; k < a.count; ++k) {
                keep_stored(kept, a.bytes, k, a.count, group,
                            [&](unsigned l) { return value_of(i.dst + k * (a.bytes == 8 ? 2 : 1), l, a.bytes == 8); });
            }
            ++progress_;
            if (logs()) {
                log_scalars(a, compile::LogKind::store, at, i.dst, group);
            }
            if (follows()) {
                compare_with_stores(i, a, at, group);
            }
        }
        if (a.is_volatile && at.space != Space::local) {
            each_active(group, [&](unsigned l) {
                release(at, l, at.offset[l], value_of(i.dst, l, a.bytes == 8), note_flags(a), false);
            });
        }
        if (at.space == Space::shared) {
            store_shared(i, a, at, group);
            continue;
        }
        if (i.tag_b != 0 && at.space == Space::global && tagged_[i.tag_b] != 0) {
            each_active(group, [&](unsigned l) { recorder_.flow().place(tag_at(i.tag_b, l)); });
        }
        const bool wide = a.bytes == 8;
        for (unsigned k = 0; k < a.count; ++k) {
            const std::uint32_t from = i.dst + k * (wide ? 2 : 1);
            const auto tag_row_number = static_cast<std::uint16_t>(i.tag_dst == 0 ? 0 : i.tag_dst + k);
            const std::size_t outputs_before = recorder_.flow().outputs.size();
            each_active(group, [&](unsigned l) {
                const std::uint64_t bits = value_of(from, l, wide);
                Tag tag = tag_at(tag_row_number, l);
                if (a.selection != compile::kNone && !bare_) {
                    tag = tag_selection(program_.selections[a.selection], l, tag, bits);
                }
                store_scalar(i, a, at, l, at.offset[l] + std::uint64_t{k} * a.bytes, bits, tag);
            });
            if (at.space == Space::global && a.bytes >= memory_[at.allocation].shape().element_bytes) {
                recorder_.flow().lose_overwritten(outputs_before);
            }
        }
        fragment_.looks = 0;
    }
}

// What a store of these bits changes in shared memory: kChanges, and comparisons; 0: they are there already.
std::uint16_t BlockRun::changes(SharedMemory& memory, std::uint32_t place, std::uint64_t bits, unsigned bytes) const {
    if (memory.written(place) == 0) {
        return kChanges | kComparisons;
    }
    return changes(memory.at(place), bits, bytes);
}

std::uint16_t BlockRun::changes(const std::byte* there, std::uint64_t bits, unsigned bytes) const {
    if (bytes == 4) {
        std::uint32_t old = 0;
        std::memcpy(&old, there, sizeof old);
        return old == static_cast<std::uint32_t>(bits) ? 0 : kChanges | prepared_.comparisons().changed(old, bits, 4);
    }
    std::uint64_t old = 0;
    std::memcpy(&old, there, bytes);
    return std::memcmp(&old, &bits, bytes) == 0 ? 0 : kChanges | prepared_.comparisons().changed(old, bits, bytes);
}

void BlockRun::put_shared(BlockRun& owner, std::uint32_t place, std::uint64_t bits, unsigned bytes, Tag tag) {
    SharedMemory& memory = owner.shared_;
    std::byte* const data = memory.at(place);
    switch (bytes) {
    case 4: std::memcpy(data, &bits, 4); break;
    case 8: std::memcpy(data, &bits, 8); break;
    default: std::memcpy(data, &bits, bytes); break;
    }
    const unsigned granule = 1U << memory.shift();
    memory.written(place) = 1;
    memory.tag(place) = tag;
    for (std::uint32_t b = granule; b < bytes; b += granule) {
        memory.written(place + b) = 1;
        memory.tag(place + b) = kNoTag;
    }
    if (clustered_) {
        memory.origin(place) = block_;
        if (&owner != this) {
            return;
        }
    }
    recorder_.flow().stored(tag, record::kSharedAllocation, place / bytes);
}

void BlockRun::show_stores() {
    if (!lane_stores_.empty()) {
        lane_stores_.drain(setup_.order == Order::reverse,
                           [this](const LaneStores::Entry& e) { put_shared(*this, e.place, e.bits, e.bytes, e.tag); });
    }
}

// Reports races of stores to shared memory, before any of them is made.
void BlockRun::note_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group) {
    const bool wide = a.bytes == 8, fenced = fences_.any(), full = recorder_.full(), usual = !clustered_;
    const std::uint32_t settled = clocks_.settled();
    SharedMemory& memory = at.owner->shared_;
    const Note now = note_of(i, note_flags(a) | kWrites | (a.streaming && !a.atomic ? kVolatile : 0));
    each_active(group, [&](unsigned l) {
        const auto place = static_cast<std::uint32_t>(at.offset[l]);
        Note of_lane = now;
        of_lane.thread = static_cast<std::uint16_t>(thread(l));
        if (fenced) {
            of_lane.flags |= a.is_volatile && fences_.fresh(thread(l)) ? kAfterFence : 0;
            fences_.stored(thread(l));
        }
        if (a.count == 1) {
            const std::uint64_t bits = value_of(i.dst, l, wide);
            of_lane.flags |= changes(memory, place, bits, a.bytes);
            if (!usual || !shared_.note_usual(place, a.bytes, of_lane, bits, settled)) {
                note_shared(i, of_lane, *at.owner, l, place, a.bytes, &bits);
            } else if (full) {
                shared_.set_writer(place, a.bytes, {of_lane.location, of_lane.segment, of_lane.thread});
            }
            return;
        }
        std::array<std::uint64_t, 16> value; // 1 byte each at least
        for (unsigned k = 0; k < a.count; ++k) {
            const std::uint64_t bits = value_of(i.dst + k * (wide ? 2 : 1), l, wide);
            std::memcpy(reinterpret_cast<std::byte*>(value.data()) + k * a.bytes, &bits, sizeof bits);
            of_lane.flags |= changes(memory, place + k * a.bytes, bits, a.bytes);
        }
        note_shared(i, of_lane, *at.owner, l, place, a.bytes * a.count, value.data());
    });
}

void BlockRun::store_shared(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                            std::uint32_t group) {
    const bool wide = a.bytes == 8;
    BlockRun& owner = *at.owner;
    const bool at_once = !setup_.lanes_apart || &owner != this;
    note_stores(i, a, at, group);
    for (unsigned k = 0; k < a.count; ++k) {
        const auto tag_row_number = static_cast<std::uint16_t>(i.tag_dst == 0 ? 0 : i.tag_dst + k);
        each_active(group, [&](unsigned l) {
            const std::uint64_t bits = value_of(i.dst + k * (wide ? 2 : 1), l, wide);
            Tag tag = tag_at(tag_row_number, l);
            if (a.selection != compile::kNone && !bare_) {
                tag = tag_selection(program_.selections[a.selection], l, tag, bits);
            }
            const std::uint32_t place = static_cast<std::uint32_t>(at.offset[l]) + k * a.bytes;
            if (!unwritten_.empty() && &owner == this) {
                note_written(i, l, record::kSharedAllocation, place);
            }
            if (at_once) {
                put_shared(owner, place, bits, a.bytes, tag);
                return;
            }
            if (lane_stores_.full(l)) {
                show_stores();
            }
            lane_stores_.put(l, {place, a.bytes, bits, tag});
            for (std::uint32_t b = 0; b < a.bytes; ++b) {
                shared_.written(place + b) = 1;
            }
        });
    }
    fragment_.looks = 0;
}

void BlockRun::store_scalar(const Instruction& i, const compile::Access& a, const LaneOffsets& at, unsigned lane,
                            std::uint64_t offset, std::uint64_t bits, Tag tag) {
    record::DataFlow& flow = recorder_.flow();
    Note now = note_of(i, note_flags(a) | kWrites | (a.streaming && !a.atomic ? kVolatile : 0));
    now.flags |= a.is_volatile && fences_.fresh(thread(lane)) ? kAfterFence : 0;
    if (at.space != Space::local) {
        fences_.stored(thread(lane));
    }
    switch (at.space) {
    case Space::shared: {
        const auto place = static_cast<std::uint32_t>(offset);
        now.flags |= changes(at.owner->shared_, place, bits, a.bytes);
        note(i, now, at, lane, offset, a.bytes, &bits);
        if (at.owner == this) {
            note_written(i, lane, record::kSharedAllocation, place);
        }
        put_shared(*at.owner, place, bits, a.bytes, tag);
        return;
    }
    case Space::local: {
        std::memcpy(at.data + std::uint64_t{lane} * warp_->local_bytes + offset, &bits, a.bytes);
        Tag* const tags = &warp_->local_tags[std::size_t{lane} * (warp_->local_bytes / 4) + offset / 4];
        tags[0] = tag;
        if (a.bytes == 8) {
            tags[1] = kNoTag;
        }
        return;
    }
    default: break;
    }
    Allocation& allocation = memory_[at.allocation];
    const std::uint64_t element = allocation.element_at(offset);
    note_written(i, lane, at.allocation, element);
    const auto number = static_cast<std::uint16_t>(at.allocation);
    const auto by = static_cast<std::uint16_t>(thread(lane));
    if (!bare_) {
        flow.outputs.push_back({element, tag, recorder_.segment(warp_->number), i.location, number, by, false});
        flow.stored(tag, number, static_cast<std::uint32_t>(element));
    }
    std::byte* const data = allocation.data() + offset;
    now.flags |= changes(data, bits, a.bytes);
    note(i, now, at, lane, offset, a.bytes, &bits);
    if (allocation.watched()) {
        allocation.saw_store(offset, a.bytes);
    }
    if (stores_.noted()) {
        NotedStore s;
        s.flags = static_cast<std::uint16_t>(now.flags & ~(kChanges | kComparisons));
        s.offset = offset;
        s.bits = bits;
        s.location = i.location;
        s.allocation = number;
        s.thread = by;
        s.bytes = a.bytes;
        s.segment = static_cast<std::uint16_t>(std::min(now.segment, 0xFFFFU));
        stores_.list().push_back(s);
        return;
    }
    if (bare_) { // nobody asks what it is made of
        std::memcpy(data, &bits, a.bytes);
        const std::uint64_t size = allocation.shape().element_bytes;
        allocation.initialise(element * size, (std::max<std::uint64_t>(a.bytes, size) + size - 1) / size * size);
        return;
    }
    Stored& s = allocation.store(element);
    std::memcpy(data, &bits, a.bytes);
    s.is_by(block_);
    s.tag = tag;
    s.depth = flow.depth(tag);
    s.atomic = false;
    for (std::uint64_t b = allocation.shape().element_bytes; b < a.bytes; b += allocation.shape().element_bytes) {
        Stored& more = allocation.store(element + b / allocation.shape().element_bytes);
        more = s;
        more.tag = kNoTag;
    }
}

} // namespace warptree::simt
