// Loads and stores: where they go, whether they are valid, and what they cost.
#include "app/simt/arithmetic.hpp"
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WARPTREE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WARPTREE_WIDE
#endif

namespace warptree::simt {

using compile::Space;
using record::kNoTag;
using record::Tag;

namespace {
Space space_of(std::uint64_t address) {
    if (address >= compile::kGlobalBase) {
        return Space::global;
    }
    return address >= compile::kFunctionBase ? Space::unknown
           : address >= compile::kLocalBase  ? Space::local
           : address >= compile::kSharedBase ? Space::shared
                                             : Space::unknown;
}
} // namespace

WARPTREE_WIDE void BlockRun::addresses(const Instruction& i, const compile::Access& a, std::uint64_t* address) const {
    const std::uint64_t* const base = values<std::uint64_t>(rows_ + i.a);
    const auto offset = static_cast<std::uint64_t>(a.offset);
    switch (a.index) {
    case compile::Access::Index::none:
        for (unsigned l = 0; l < kLanes; ++l) {
            address[l] = base[l] + offset;
        }
        break;
    case compile::Access::Index::i32: {
        const std::uint32_t* const index = values<std::uint32_t>(rows_ + i.b);
        const auto scale = static_cast<std::int64_t>(a.scale);
        for (unsigned l = 0; l < kLanes; ++l) {
            address[l] = base[l] + offset + static_cast<std::uint64_t>(static_cast<std::int32_t>(index[l]) * scale);
        }
        break;
    }
    case compile::Access::Index::u32: {
        const std::uint32_t* const index = values<std::uint32_t>(rows_ + i.b);
        for (unsigned l = 0; l < kLanes; ++l) {
            address[l] = base[l] + offset + std::uint64_t{index[l]} * a.scale;
        }
        break;
    }
    case compile::Access::Index::i64: {
        const std::uint64_t* const index = values<std::uint64_t>(rows_ + i.b);
        for (unsigned l = 0; l < kLanes; ++l) {
            address[l] = base[l] + offset + index[l] * a.scale;
        }
        break;
    }
    }
}

// The lanes of `rest` that access the same memory as the lowest of them; 0 if one is invalid, which is reported.
WARPTREE_WIDE std::uint32_t BlockRun::together(const Instruction& i, const std::uint64_t* address, std::uint32_t rest,
                                               unsigned size, bool writes, LaneOffsets& to) {
    const unsigned first = lowest(rest);
    to.space = space_of(address[first]);
    std::uint64_t base = 0, limit = 0;
    Allocation* allocation = nullptr;
    switch (to.space) {
    case Space::shared:
        base = compile::kSharedBase;
        limit = shared_.bytes();
        to.data = shared_.at(0);
        to.allocation = 0;
        break;
    case Space::local:
        base = compile::kLocalBase;
        limit = warp_->local_bytes;
        to.data = warp_->local.data();
        to.allocation = 0;
        break;
    case Space::global: {
        std::int64_t offset = 0;
        allocation = memory_.find(address[first], offset, to.allocation);
        if (allocation == nullptr || allocation->freed || (writes && allocation->shape().read_only)) {
            report_outside(i, address[first], first, size, writes);
            return 0;
        }
        base = compile::allocation_address(to.allocation);
        limit = allocation->bytes();
        to.data = allocation->data();
        break;
    }
    default: report_outside(i, address[first], first, size, writes); return 0;
    }
    const auto shift = static_cast<unsigned>(std::countr_zero(size));
    for (unsigned l = 0; l < kLanes; ++l) {
        to.offset[l] = address[l] - base;
        to.index[l] = static_cast<std::uint32_t>(to.offset[l] >> shift);
    }
    const std::uint64_t last = limit - size; // wraps if nothing fits; reported below
    std::uint64_t bad = limit < size ? 1 : 0;
    if (rest == kAllLanes) {
        for (unsigned l = 0; l < kLanes; ++l) {
            bad |= (to.offset[l] > last ? 1ULL : 0ULL) | (to.offset[l] & (size - 1));
        }
    } else {
        each_active(rest,
                    [&](unsigned l) { bad |= (to.offset[l] > last ? 1ULL : 0ULL) | (to.offset[l] & (size - 1)); });
    }
    if (bad == 0 && (allocation == nullptr || !allocation->shape().grows)) {
        return rest;
    }
    // Some lanes go elsewhere or nowhere, or the array grows.
    std::uint32_t group = 0;
    bool fine = true;
    each_active(rest, [&](unsigned l) {
        if (!fine || space_of(address[l]) != to.space) {
            return;
        }
        if (allocation != nullptr) {
            std::int64_t offset = 0;
            std::uint32_t number = 0;
            if (memory_.find(address[l], offset, number) == nullptr || number != to.allocation) {
                return;
            }
        }
        const auto offset = static_cast<std::int64_t>(to.offset[l]);
        const bool aligned = (to.offset[l] & (size - 1)) == 0;
        bool inside = limit >= size && to.offset[l] <= last;
        if (!inside && offset >= 0 && allocation != nullptr && allocation->shape().grows) {
            inside = allocation->grow(to.offset[l] + size);
        }
        if (!inside || !aligned) {
            report_outside(i, address[l], l, size, writes);
            fine = false;
            return;
        }
        if (allocation != nullptr && allocation->shape().grows) {
            allocation->touched(to.offset[l] + size);
        }
        group |= 1U << l;
    });
    return fine ? group : 0;
}

void BlockRun::request(const Instruction& i, AccessKind kind, unsigned size, const LaneOffsets& at,
                       std::uint32_t mask) {
    record::BlockRecorder::Access a;
    a.kind = kind;
    a.bytes = static_cast<std::uint8_t>(size);
    a.allocation = static_cast<std::uint16_t>(at.allocation);
    a.mask = mask;
    a.location = i.location;
    a.line = program_.locations[i.location].line;
    a.in_loop = fragment_.frame->code->blocks[fragment_.frame->body->block_of[fragment_.pc - 1]].loop != compile::kNone;
    a.index = at.index;
    recorder_.access(warp_->number, a);
}

Tag BlockRun::load_tag(const Instruction& i, const LaneOffsets& at, unsigned lane, std::uint64_t offset,
                       std::uint64_t bits, ValueType type) {
    switch (at.space) {
    case Space::shared: return shared_tag(lane, static_cast<std::uint32_t>(offset));
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
        if (s.block == block_ && !s.atomic) {
            return s.tag;
        }
        if (s.block != Stored::kNobodyStored) {
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

// Tags for the usual case, an array that is never stored to. False: another case.
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
        // Lanes that go to several memories never wait, as what the first ones did must not be repeated.
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
    if (at.space == Space::shared && !lane_stores_.empty()) {
        see_own_stores(i, a, at, group);
    }
    if (at.space == Space::local) {
        each_active(group, [&](unsigned l) { at.offset[l] -= std::uint64_t{l} * warp_->local_bytes; });
    } else if (at.space == Space::shared) {
        if (recorder_.full() && a.count == 1) {
            note_read(group, at.offset);
        }
        const unsigned size = a.bytes * a.count;
        std::uint32_t never = 0;
        each_active(group, [&](unsigned l) {
            never |= shared_.written(static_cast<std::uint32_t>(at.offset[l])) == 0 ? 1U << l : 0U;
        });
        each_active(never, [&](unsigned l) {
            Finding f;
            f.kind = FindingKind::uninitialised;
            f.array = array_at(static_cast<std::uint32_t>(at.offset[l]), f.index, f.elements);
            find(std::move(f), i, l);
        });
        note_shared(i, at.offset, group, size, false, 0);
    } else {
        note_global_loads(i, a, at, group);
    }
    if (i.tag_dst == 0) {
        return;
    }
    for (unsigned k = 0; k < a.count; ++k) {
        Tag* const tags = tag_row(static_cast<std::uint16_t>(i.tag_dst + k));
        if (a.selection == compile::kNone && at.space == Space::shared) {
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

// Findings of global loads: uninitialised elements and races.
void BlockRun::note_global_loads(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                                 std::uint32_t group) {
    Allocation& allocation = memory_[at.allocation];
    Stored* const stored = allocation.stored();
    if (stored == nullptr && allocation.shape().defined) {
        return;
    }
    each_active(group, [&](unsigned l) {
        for (std::uint64_t b = 0; b < std::uint64_t{a.bytes} * a.count;
             b += std::max<unsigned>(a.bytes, allocation.shape().element_bytes)) {
            const std::uint64_t element = allocation.element_at(at.offset[l] + b);
            const bool never = stored == nullptr || stored[element].block == Stored::kNobodyStored;
            if (never && !allocation.shape().defined) {
                Finding f;
                f.kind = FindingKind::uninitialised;
                f.array = allocation.shape().name;
                f.index = static_cast<std::int64_t>(element);
                f.elements = allocation.shape().elements;
                find(std::move(f), i, l);
            }
            if (stored != nullptr) {
                note_global(i, l, stored[element], at.allocation, element, false, false, a.is_volatile);
            }
        }
    });
}

void BlockRun::store(const Instruction& i) {
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
            request(i, at.space == Space::shared ? AccessKind::shared_store : AccessKind::global_store, size, at,
                    group);
            ++progress_;
            if (logs()) {
                log_scalars(a, compile::LogKind::store, at, i.dst, group);
            }
            if (follows()) {
                compare_with_stores(i, a, at, group);
            }
        }
        if (at.space == Space::shared) {
            store_shared(i, a, at, group);
            continue;
        }
        const bool wide = a.bytes == 8;
        for (unsigned k = 0; k < a.count; ++k) {
            const std::uint32_t from = i.dst + k * (wide ? 2 : 1);
            const auto tag_row_number = static_cast<std::uint16_t>(i.tag_dst == 0 ? 0 : i.tag_dst + k);
            each_active(group, [&](unsigned l) {
                const std::uint64_t bits = value_of(from, l, wide);
                Tag tag = tag_at(tag_row_number, l);
                if (a.selection != compile::kNone) {
                    tag = tag_selection(program_.selections[a.selection], l, tag, bits);
                }
                store_scalar(i, a, at, l, at.offset[l] + std::uint64_t{k} * a.bytes, bits, tag);
            });
        }
        fragment_.looks = 0;
        if (a.is_volatile && warp_->fenced) {
            clocks_.release(warp_->number);
            stores_.release(block_);
        }
    }
}

// Whether shared memory already holds these bits.
bool BlockRun::is_there(std::uint32_t place, std::uint64_t bits, unsigned bytes) {
    const std::byte* const data = shared_.at(place);
    if (shared_.written(place) == 0) {
        return false;
    }
    if (bytes == 4) {
        std::uint32_t there = 0;
        std::memcpy(&there, data, sizeof there);
        return there == static_cast<std::uint32_t>(bits);
    }
    return std::memcmp(data, &bits, bytes) == 0;
}

void BlockRun::put_shared(std::uint32_t place, std::uint64_t bits, unsigned bytes, Tag tag) {
    std::byte* const data = shared_.at(place);
    switch (bytes) {
    case 4: std::memcpy(data, &bits, 4); break;
    case 8: std::memcpy(data, &bits, 8); break;
    default: std::memcpy(data, &bits, bytes); break;
    }
    const unsigned granule = 1U << shared_.shift();
    shared_.written(place) = 1;
    shared_.tag(place) = tag;
    for (std::uint32_t b = granule; b < bytes; b += granule) {
        shared_.written(place + b) = 1;
        shared_.tag(place + b) = kNoTag;
    }
    recorder_.flow().stored(tag, record::kSharedAllocation, place / bytes);
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

void BlockRun::show_stores() {
    if (!lane_stores_.empty()) {
        lane_stores_.drain(setup_.order == Order::reverse,
                           [this](const LaneStores::Entry& e) { put_shared(e.place, e.bits, e.bytes, e.tag); });
    }
}

void BlockRun::store_shared(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                            std::uint32_t group) {
    const bool wide = a.bytes == 8;
    std::uint32_t same = group;
    for (unsigned k = 0; k < a.count; ++k) {
        // Lanes that store one value to one place count as one: the last lane for each of a few places.
        constexpr std::uint8_t kNoLane = 0xFF;
        std::array<std::uint8_t, 64> last;
        last.fill(kNoLane);
        each_active(group, [&](unsigned l) {
            const std::uint32_t row = i.dst + k * (wide ? 2 : 1);
            const std::uint64_t bits = value_of(row, l, wide);
            if (is_there(static_cast<std::uint32_t>(at.offset[l]) + k * a.bytes, bits, a.bytes)) {
                return;
            }
            std::uint8_t& before = last[at.offset[l] / a.bytes % last.size()];
            if (before == kNoLane || at.offset[before] != at.offset[l] || value_of(row, before, wide) != bits) {
                same &= ~(1U << l);
            }
            before = static_cast<std::uint8_t>(l);
        });
    }
    note_shared(i, at.offset, group, a.bytes * a.count, true, same);
    for (unsigned k = 0; k < a.count; ++k) {
        const auto tag_row_number = static_cast<std::uint16_t>(i.tag_dst == 0 ? 0 : i.tag_dst + k);
        each_active(group, [&](unsigned l) {
            const std::uint64_t bits = value_of(i.dst + k * (wide ? 2 : 1), l, wide);
            Tag tag = tag_at(tag_row_number, l);
            if (a.selection != compile::kNone) {
                tag = tag_selection(program_.selections[a.selection], l, tag, bits);
            }
            const std::uint32_t place = static_cast<std::uint32_t>(at.offset[l]) + k * a.bytes;
            if (!setup_.lanes_apart) {
                put_shared(place, bits, a.bytes, tag);
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
    if (a.is_volatile && warp_->fenced) {
        clocks_.release(warp_->number);
    }
}

void BlockRun::store_scalar(const Instruction& i, const compile::Access& a, const LaneOffsets& at, unsigned lane,
                            std::uint64_t offset, std::uint64_t bits, Tag tag) {
    record::DataFlow& flow = recorder_.flow();
    switch (at.space) {
    case Space::shared: {
        std::uint64_t offsets[kLanes];
        offsets[lane] = offset;
        const auto place = static_cast<std::uint32_t>(offset);
        note_shared(i, offsets, 1U << lane, a.bytes, true, is_there(place, bits, a.bytes) ? 1U << lane : 0U);
        put_shared(place, bits, a.bytes, tag);
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
    const auto number = static_cast<std::uint16_t>(at.allocation);
    const auto by = static_cast<std::uint16_t>(thread(lane));
    flow.outputs.push_back({element, tag, recorder_.segment(warp_->number), i.location, number, by, false});
    flow.stored(tag, number, static_cast<std::uint32_t>(element));
    if (stores_.noted()) {
        NotedStore s;
        s.offset = offset;
        s.bits = bits;
        s.location = i.location;
        s.allocation = number;
        s.thread = by;
        s.bytes = a.bytes;
        stores_.list().push_back(s);
        return;
    }
    allocation.note_stores();
    Stored& s = allocation.stored()[element];
    std::byte* const data = allocation.data() + offset;
    const bool same = std::memcmp(data, &bits, a.bytes) == 0;
    note_global(i, lane, s, at.allocation, element, true, same, a.is_volatile);
    std::memcpy(data, &bits, a.bytes);
    s.block = block_;
    s.sequence = stores_.next();
    s.tag = tag;
    s.depth = flow.depth(tag);
    s.atomic = false;
    for (std::uint64_t b = allocation.shape().element_bytes; b < a.bytes; b += allocation.shape().element_bytes) {
        Stored& more = allocation.stored()[element + b / allocation.shape().element_bytes];
        more = s;
        more.tag = kNoTag;
    }
}

} // namespace warptree::simt
