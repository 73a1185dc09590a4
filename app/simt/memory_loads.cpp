// Loads: values, their data flow, and findings.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::simt {

using compile::Space;
using record::kNoTag;
using record::Tag;

Tag BlockRun::load_tag(const Instruction& i, const LaneOffsets& at, unsigned lane, std::uint64_t offset,
                       std::uint64_t bits, ValueType type) {
    switch (at.space) {
    case Space::shared:
        return clustered_ ? cluster_tag(*at.owner, i, lane, static_cast<std::uint32_t>(offset), bits, type)
                          : shared_tag(lane, static_cast<std::uint32_t>(offset));
    case Space::local: return warp_->local_tags[std::size_t{lane} * (warp_->local_bytes / 4) + offset / 4];
    default: break;
    }
    Allocation& a = memory_[at.allocation];
    const std::uint64_t element = a.element_at(offset);
    record::DataFlow& flow = recorder_.flow();
    record::DataFlow::Leaf leaf;
    leaf.element = element;
    leaf.segment = recorder_.segment(warp_->number);
    leaf.allocation = static_cast<std::uint16_t>(at.allocation);
    leaf.thread = static_cast<std::uint16_t>(thread(lane));
    if (const Stored* const stored = a.stored(); stored != nullptr) {
        const Stored& s = stored[element];
        if (s.by(block_) && !s.atomic) {
            return s.tag;
        }
        if (s.by_anybody()) {
            leaf.kind = record::LeafKind::partial;
            leaf.depth = s.depth;
        }
    }
    if (leaf.kind == record::LeafKind::element && element < a.depths.size()) {
        leaf.kind = a.depths[element] == record::kOnlyIdentity ? record::LeafKind::identity : leaf.kind;
        leaf.depth = a.depths[element] == record::kOnlyIdentity ? 0 : a.depths[element];
    }
    const ValueType element_type = bytes(a.shape().element) == bytes(type) ? a.shape().element : type;
    return flow.leaf(leaf, {bits, i.location, element_type, 0, record::DataFlow::kNowhere});
}

// Tags for the usual case while counting: an array that is not stored to. False: another case.
bool BlockRun::take_leaves(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group,
                           unsigned component, Tag* tags) {
    const Allocation& allocation = memory_[at.allocation];
    if (allocation.has_stores() || !allocation.depths.empty() || recorder_.full()) {
        return false;
    }
    record::DataFlow& flow = recorder_.flow();
    record::DataFlow::Leaf leaf;
    leaf.segment = recorder_.segment(warp_->number);
    leaf.allocation = static_cast<std::uint16_t>(at.allocation);
    const std::uint64_t skip = std::uint64_t{component} * a.bytes;
    each_active(group, [&](unsigned l) {
        leaf.element = allocation.element_at(at.offset[l] + skip);
        leaf.thread = static_cast<std::uint16_t>(thread(l));
        tags[l] = flow.leaf(leaf, {0, i.location, a.type, 0, record::DataFlow::kNowhere});
    });
    return true;
}

void BlockRun::load(const Instruction& i) {
    if (attempt_ != nullptr) {
        return try_load(i);
    }
    const compile::Access& a = program_.accesses[i.c];
    const unsigned size = a.bytes * a.count;
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, size, false, at);
        if (group == 0) {
            stop();
            return;
        }
        rest &= ~group;
        const bool follow = follows() && at.space != Space::local;
        // An access to several memories never waits, because its first part must not be repeated.
        if (follow && group == mask_.bits && !memory_agrees(a, at, group) && !stop_waiting()) {
            retry_later();
            return;
        }
        load_group(i, a, at, group);
        if (follow) {
            take_loaded(i, a, group);
        }
        if (logs() && at.space != Space::local) {
            log_scalars(a, compile::LogKind::load, at, i.dst, group);
        }
    }
    looked(a.is_volatile && at.space != Space::local);
}

template <class T, class U>
static void gather(U* dst, const std::byte* data, const std::uint64_t* offset, std::uint32_t mask) {
    if (mask == kAllLanes) {
        for (unsigned l = 0; l < kLanes; ++l) {
            T value;
            std::memcpy(&value, data + offset[l], sizeof value);
            dst[l] = value;
        }
        return;
    }
    each_active(mask, [&](unsigned l) {
        T value;
        std::memcpy(&value, data + offset[l], sizeof value);
        dst[l] = value;
    });
}

void BlockRun::load_group(const Instruction& i, const compile::Access& a, LaneOffsets& at, std::uint32_t group) {
    const bool wide = a.bytes == 8;
    if (at.space == Space::local) {
        each_active(group, [&](unsigned l) { at.offset[l] += std::uint64_t{l} * warp_->local_bytes; });
    } else {
        request(i, at.space == Space::shared ? AccessKind::shared_load : AccessKind::global_load, a.bytes * a.count, at,
                group);
    }
    for (unsigned k = 0; k < a.count; ++k) {
        Row* const dst = rows_ + i.dst + k * (wide ? 2 : 1);
        const std::byte* const data = at.data + k * a.bytes;
        switch (a.bytes) {
        case 1: gather<std::uint8_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
        case 2: gather<std::uint16_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
        case 4: gather<std::uint32_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
        default: gather<std::uint64_t>(values<std::uint64_t>(dst), data, at.offset, group); break;
        }
    }
    if (at.space == Space::shared && !lane_stores_.empty() && at.owner == this) {
        see_own_stores(i, a, at, group);
    }
    if (at.space == Space::local) {
        each_active(group, [&](unsigned l) { at.offset[l] -= std::uint64_t{l} * warp_->local_bytes; });
    } else if (at.space == Space::shared) {
        if (recorder_.full() && a.count == 1 && at.owner == this) {
            note_read(group, at.offset);
        }
        SharedMemory& memory = at.owner->shared_;
        std::uint32_t never = 0;
        each_active(group, [&](unsigned l) {
            never |= memory.written(static_cast<std::uint32_t>(at.offset[l])) == 0 ? 1U << l : 0U;
        });
        each_active(never, [&](unsigned l) {
            Finding f;
            f.kind = FindingKind::uninitialised;
            f.array = array_of(*at.owner, static_cast<std::uint32_t>(at.offset[l]), f.index, f.elements);
            if (is_remote(at)) {
                find(std::move(f), i, l);
            } else {
                report_unwritten(std::move(f), i, l, record::kSharedAllocation, at.offset[l]);
            }
        });
        note_loads(i, a, at, group);
    } else {
        check_written(i, a, at, group);
        if (a.is_volatile || stores_.may_be_written(at.allocation)) {
            note_loads(i, a, at, group);
        }
    }
    if (i.tag_dst == 0) {
        return;
    }
    for (unsigned k = 0; k < a.count; ++k) {
        Tag* const tags = tag_row(static_cast<std::uint16_t>(i.tag_dst + k));
        if (a.selection == compile::kNone && at.space == Space::shared && !clustered_) {
            each_active(group, [&](unsigned l) {
                tags[l] = shared_tag(l, static_cast<std::uint32_t>(at.offset[l]) + k * a.bytes);
            });
            continue;
        }
        if (a.selection == compile::kNone && at.space == Space::global && take_leaves(i, a, at, group, k, tags)) {
            continue;
        }
        each_active(group, [&](unsigned l) {
            const std::uint64_t bits = value_of(i.dst + k * (wide ? 2 : 1), l, wide);
            const Tag tag = load_tag(i, at, l, at.offset[l] + std::uint64_t{k} * a.bytes, bits, a.type);
            tags[l] =
                a.selection == compile::kNone ? tag : tag_selection(program_.selections[a.selection], l, tag, bits);
        });
    }
}

// Reports races of loads, and lets flags be acquired.
void BlockRun::note_loads(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group) {
    const std::uint16_t flags = note_flags(a);
    const Note now = note_of(i, flags);
    const unsigned size = a.bytes * a.count;
    if (at.space == Space::shared && size <= 8 && !clustered_) { // the usual case, without a call
        const std::uint32_t settled = clocks_.settled();
        Note of_lane = now;
        each_active(group, [&](unsigned l) {
            const auto place = static_cast<std::uint32_t>(at.offset[l]);
            of_lane.thread = static_cast<std::uint16_t>(thread(l));
            if (!shared_.note_usual(place, size, of_lane, 0, settled)) {
                note_shared(i, of_lane, *this, l, place, size, nullptr);
            }
        });
    } else {
        each_active(group, [&](unsigned l) { note(i, now, at, l, at.offset[l], size, nullptr); });
    }
    if (a.is_volatile) {
        each_active(group, [&](unsigned l) { acquire(at, l, at.offset[l], flags, Look::sees); });
    }
}

// Reports loads of uninitialised elements.
void BlockRun::check_written(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                             std::uint32_t group) {
    Allocation& allocation = memory_[at.allocation];
    std::uint64_t furthest = 0;
    each_active(group, [&](unsigned l) { furthest = std::max(furthest, at.offset[l]); });
    allocation.loaded(furthest + std::uint64_t{a.bytes} * a.count);
    if (allocation.watched()) {
        each_active(group, [&](unsigned l) { allocation.saw_load(at.offset[l], std::uint64_t{a.bytes} * a.count); });
    }
    if (allocation.shape().defined) {
        return;
    }
    const Stored* const stored = allocation.stored();
    each_active(group, [&](unsigned l) {
        for (std::uint64_t b = 0; b < std::uint64_t{a.bytes} * a.count;
             b += std::max<unsigned>(a.bytes, allocation.shape().element_bytes)) {
            const std::uint64_t element = allocation.element_at(at.offset[l] + b);
            if ((stored == nullptr || !stored[element].by_anybody()) &&
                !allocation.initialised(at.offset[l] + b,
                                        std::min<std::uint64_t>(a.bytes, allocation.shape().element_bytes))) {
                Finding f;
                f.kind = FindingKind::uninitialised;
                f.array = allocation.shape().name;
                f.index = static_cast<std::int64_t>(element);
                f.elements = allocation.shape().elements;
                if (allocation.shape().read_only) { // zero, which may be meant
                    f.severity = Severity::risk;
                    f.text = "which the program has not set: constant memory begins as zeros";
                }
                report_unwritten(std::move(f), i, l, at.allocation, element);
            }
        }
    });
}

// Patches values just loaded from shared memory with what each lane has stored there itself.
void BlockRun::see_own_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                              std::uint32_t group) {
    const bool wide = a.bytes == 8;
    for (unsigned k = 0; k < a.count; ++k) {
        const std::uint32_t row = i.dst + k * (wide ? 2 : 1);
        each_active(group, [&](unsigned l) {
            LaneStores::Entry read{static_cast<std::uint32_t>(at.offset[l]) + k * a.bytes, a.bytes,
                                   value_of(row, l, wide), kNoTag};
            lane_stores_.see(l, read);
            set_value(row, l, wide, read.bits);
        });
    }
}

Tag BlockRun::shared_tag(unsigned lane, std::uint32_t place) {
    LaneStores::Entry read{place, 1, 0, shared_.tag(place)};
    if (!lane_stores_.empty()) {
        lane_stores_.see(lane, read);
    }
    return read.tag;
}

} // namespace warptree::simt
