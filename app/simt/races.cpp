// Race detection in shared and in global memory.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::simt {

using compile::Space;

namespace {
// The value of a granule of 1, 2 or 4 bytes.
std::uint32_t granule_of(const void* value, unsigned at, unsigned bytes) {
    std::uint32_t out = 0;
    if (value != nullptr) {
        std::memcpy(&out, static_cast<const std::byte*>(value) + at, bytes);
    }
    return out;
}
} // namespace

std::uint16_t BlockRun::note_flags(const compile::Access& a) {
    if (a.atomic) {
        return static_cast<std::uint16_t>(kAtomic | (a.scope == compile::Scope::block ? kBlockScope : 0));
    }
    return a.is_volatile ? kVolatile : 0;
}

Note BlockRun::note_of(const Instruction& i, unsigned flags) const {
    Note note;
    note.time = clocks_.now();
    note.location = i.location;
    note.segment = recorder_.segment(warp_->number);
    note.block = block_;
    note.flags = static_cast<std::uint16_t>(flags);
    if ((flags & kWrites) == 0) {
        note.flags |= prepared_.comparisons().of_load(i.location);
    }
    return note;
}

// Notes one lane's access of `size` bytes and reports the races that it has. value: what it writes; null: nothing.
void BlockRun::note(const Instruction& i, Note now, const LaneOffsets& at, unsigned lane, std::uint64_t offset,
                    unsigned size, const void* value) {
    now.thread = static_cast<std::uint16_t>(thread(lane));
    if (at.space == Space::shared) {
        note_shared(i, now, *at.owner, lane, static_cast<std::uint32_t>(offset), size, value);
    } else {
        note_global(i, now, at.allocation, lane, offset, size, value);
    }
}

void BlockRun::note_shared(const Instruction& i, Note now, BlockRun& owner, unsigned lane, std::uint32_t offset,
                           unsigned size, const void* value) {
    struct InBlock {
        const BlockRun& run;
        std::uint32_t settled;
        std::uint64_t place;
        bool stale(const Note& n) const { return n.time < settled; }
        bool ordered(const Note& before, const Note& now) const { return run.ordered(before, now, place); }
    };
    struct InCluster {
        const BlockRun& run;
        std::uint64_t place;
        bool stale(const Note& n) const { return run.cluster_->settled(n); }
        bool ordered(const Note& before, const Note& now) const { return run.ordered(before, now, place); }
    };
    const InBlock in_block{*this, clocks_.settled(), owner.shared_place(offset)};
    const InCluster in_cluster{*this, owner.shared_place(offset)};
    SharedMemory& memory = owner.shared_;
    const unsigned granule = 1U << memory.shift();
    if (&owner != this) {
        visit(i, owner, lane, offset, now.is(kWrites));
    } else if (recorder_.full() && now.is(kWrites) && !now.is(kAtomic)) {
        memory.set_writer(offset, size, {now.location, now.segment, now.thread});
    }
    for (std::uint32_t done = 0; done < size; done += granule) {
        if (now.is(kWrites)) {
            now.value = granule_of(value, done, granule);
        }
        const auto meet = [&](const Note& before, Severity severity) {
            met_.push_back({before, severity, offset + done});
        };
        const std::uint32_t number = (offset + done) >> memory.shift();
        Word* const word = clustered_ ? memory.history().add_by_any(number, now, in_cluster, meet)
                                      : memory.history().add(number, now, in_block, meet);
        if (!met_.empty()) {
            report_races(i, now, &owner, kSharedMemory, lane, *word);
        }
    }
}

void BlockRun::note_global(const Instruction& i, Note now, std::uint32_t allocation, unsigned lane,
                           std::uint64_t offset, unsigned size, const void* value) {
    if (!now.is(kWrites) && !stores_.may_be_written(allocation)) {
        return;
    }
    struct BetweenThreads {
        const BlockRun& run;
        std::uint32_t settled; // 0 where other blocks' accesses are noted, too
        std::uint64_t place;
        bool stale(const Note& n) const { return n.time < settled; }
        bool ordered(const Note& before, const Note& now) const { return run.ordered(before, now, place); }
    };
    const BetweenThreads order{*this, stores_.noted() ? clocks_.settled() : 0, flag_place(allocation, offset)};
    const unsigned shift = stores_.shift(), granule = 1U << shift;
    bool first = false;
    for (std::uint32_t done = 0; done < size; done += granule) {
        now.value = granule_of(value, done, granule);
        Word& word = stores_.shadow().at(allocation, (offset + done) >> shift);
        first |= word.add(now, order, [&](const Note& before, Severity severity) {
            met_.push_back({before, severity, offset + done});
        });
        if (!met_.empty()) {
            report_races(i, now, nullptr, allocation, lane, word);
        }
    }
    if (first && !now.is(kWrites) && stores_.noted()) {
        NotedStore read;
        read.offset = offset;
        read.location = i.location;
        read.allocation = static_cast<std::uint16_t>(allocation);
        read.thread = now.thread;
        read.bytes = static_cast<std::uint8_t>(size);
        read.flags = now.flags;
        read.segment = static_cast<std::uint16_t>(std::min(now.segment, 0xFFFFU));
        stores_.list().push_back(read);
    }
}

bool BlockRun::ordered(const Note& before, const Note& now, std::uint64_t place) const {
    if (before.block == block_ && clocks_.ordered(before.thread, before.time, now.thread)) {
        return true;
    }
    if (clustered_ && ordered_by_cluster(before, now.thread)) {
        return true;
    }
    return ordered_by_fences(before, now, place, false);
}

bool BlockRun::ordered_by_fences(const Note& before, const Note& now, std::uint64_t place, bool as_if) const {
    const auto strong = [](const Note& n) { return (n.flags & (kAtomic | kVolatile)) != 0; };
    return fences_.ordered({before.block, before.thread, before.time, strong(before), before.is(kAtomic)},
                           {now.thread, strong(now), now.is(kWrites), place}, as_if);
}

// Reports the races in met_, one for each place of the source, and empties it.
void BlockRun::report_races(const Instruction& i, const Note& now, BlockRun* owner, std::uint32_t allocation,
                            unsigned lane, Word& word) {
    const bool shared = owner != nullptr;
    const unsigned warp = warp_->number;
    const bool again = word.reported_segment == now.segment + 1 && word.reported_block == block_ + 1;
    const auto worst =
        std::min_element(met_.begin(), met_.end(), [](const Met& a, const Met& b) { return a.severity < b.severity; });
    if (!again) {
        word.reported_segment = now.segment + 1;
        word.reported_block = block_ + 1;
        const Note& before = worst->before;
        if (shared && owner == this && before.block == block_) {
            const auto place = static_cast<std::uint32_t>(worst->offset);
            const compile::SharedArray* const array = shared_array_at(place);
            recorder_.hazard(
                warp, {.thread = now.thread,
                       .location = i.location,
                       .word = place / (array == nullptr ? 4 : array->element_bytes),
                       .writes = now.is(kWrites),
                       .other_segment = before.segment,
                       .other_thread = before.thread,
                       .other_location = before.location,
                       .other_writes = before.is(kWrites),
                       .across_shuffle = before.thread / kLanes == warp && clocks_.shuffled_since(warp, before.time)});
        } else {
            recorder_.hazard(warp);
        }
    }
    for (const Met& m : met_) {
        if (m.before.block == block_ && (!shared || owner == this)) {
            recorder_.ran_after(warp, m.before.segment);
        }
        Finding f;
        f.kind = shared ? FindingKind::race_shared : FindingKind::race_global;
        f.guess = is_guess(prepared_, now, m.before);
        f.compares = m.severity == Severity::risk && only_compares(now, m.before);
        f.times = !again && &m == &*worst ? 1 : 0; // as hazards are counted: a word and step once, under one place
        f.writes = now.is(kWrites);
        f.other_writes = m.before.is(kWrites);
        f.other_block = m.before.block;
        f.other_thread = m.before.thread;
        f.other_line = line_at(program_, m.before.location);
        f.other_step = m.before.segment;
        f.updates = prepared_.updates(i.location) && prepared_.updates(m.before.location);
        const bool lost = f.updates && f.writes && f.other_writes && prepared_.adds(i.location);
        f.severity = f.guess ? Severity::risk : lost ? Severity::fault : m.severity;
        if (shared) {
            f.array = array_of(*owner, static_cast<std::uint32_t>(m.offset), f.index, f.elements);
        } else {
            f.fence_missing =
                (!again || f.updates) && ordered_by_fences(m.before, now, flag_place(allocation, m.offset), true);
            const Allocation& a = memory_[allocation];
            f.array = a.shape().name;
            f.index = static_cast<std::int64_t>(a.element_at(m.offset));
            f.elements = a.shape().elements;
        }
        find(std::move(f), i, lane);
    }
    constexpr std::uint64_t kUnchecked = 1U << 12; // an instruction may meet hundreds, each as slow as many others
    raced_ += met_.size();
    met_.clear();
    if (raced_ >= kUnchecked) {
        raced_ = 0;
        next_check_ = instructions_;
        check_within_instruction();
    }
}

// A volatile or atomic store: what the lane has released others can now acquire there.
void BlockRun::release(const LaneOffsets& at, unsigned lane, std::uint64_t offset, std::uint64_t value,
                       std::uint16_t flags, bool chains) {
    Flags& there = flags_of(at);
    if (fences_.any() || fences_.holds_locks() || !there.empty()) {
        fences_.store(clocks_, there, flag_place(at, offset), value, thread(lane), chains, (flags & kBlockScope) == 0,
                      mates(thread(lane)));
    }
}

// Lets what the thread has loaded from a flag order what it does next.
void BlockRun::acquire(const LaneOffsets& at, unsigned lane, std::uint64_t offset, std::uint16_t flags, Look look) {
    const Flags& there = flags_of(at);
    if (!there.empty()) {
        fences_.load(there, flag_place(at, offset), thread(lane), (flags & kBlockScope) == 0, look);
    }
}

} // namespace warptree::simt
