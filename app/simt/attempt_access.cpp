// Accesses of a block while its launch is attempted without a history: see Attempt.
#include "app/simt/attempt.hpp"
#include "app/simt/block_run.hpp"
#include "app/simt/wide.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::simt {

using compile::Space;

namespace {
// Of lanes in their order: the bytes that they access, if these follow one another or are the same; else none.
struct Together {
    std::uint64_t first = 0, bytes = 0;
};
Together together_in_row(const std::uint64_t* offset, std::uint32_t mask, unsigned size) {
    if (mask != kAllLanes) {
        return {};
    }
    std::uint64_t apart = 0, differ = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        apart |= offset[l] ^ (offset[0] + std::uint64_t{l} * size);
        differ |= offset[l] ^ offset[0];
    }
    return {offset[0], apart == 0 ? std::uint64_t{kLanes} * size : differ == 0 ? size : 0};
}
} // namespace

// Something has to be told, or may have to be: the launch is run again.
void BlockRun::doubt() {
    doubtful_ = true;
    stop();
}

// Whether what is kept of earlier accesses is ordered before what the thread does now.
bool BlockRun::comes_before(const Last& last, std::uint32_t by) const {
    if (last.time == 0) {
        return true;
    }
    if (last.time < began_ || last.elsewhere) { // by another block; of shared memory nothing older is asked for
        return false;
    }
    if (last.time < clocks_.settled() || last.thread == by) {
        return true;
    }
    return last.thread != Last::kSeveral &&
           ((last.thread & Last::kOfWarp) == 0 ? clocks_.ordered(last.thread, last.time, by)
                                               : clocks_.ordered_warp(last.thread & ~Last::kOfWarp, last.time, by));
}

// Keeps that the thread reads what `write` wrote; false: it may race with that.
[[gnu::always_inline]] inline bool BlockRun::may_read(const Last& write, Last& read, std::uint32_t by,
                                                      std::uint32_t now) const {
    if (!comes_before(write, by)) {
        return false;
    }
    if (read.time == 0) {
        read = {now, static_cast<std::uint16_t>(by), false, false};
        return true;
    }
    read.elsewhere |= read.time < began_;
    if (read.time < clocks_.settled()) {
        read.thread = static_cast<std::uint16_t>(by);
        read.time = now;
    } else {
        read.join(by, now);
    }
    return true;
}

// Likewise that it writes.
[[gnu::always_inline]] inline bool BlockRun::may_write(Last& write, Last& read, std::uint32_t by, std::uint32_t now,
                                                       bool atomic) const {
    const bool alike = atomic && write.atomic && write.time != 0;
    if ((!alike && !comes_before(write, by)) || !comes_before(read, by)) {
        return false;
    }
    if (read.thread != by) {
        read.time = 0; // what comes after this store comes after that
    }
    if (alike) {
        write.elsewhere |= write.time < began_;
        write.join(by, now);
        return true;
    }
    // An atomic after a store by the same thread stands for the store, too, which may race with others' atomics.
    const bool only = atomic && (write.time == 0 || write.time < clocks_.settled() || write.thread != by);
    write = {now, static_cast<std::uint16_t>(by), only, false};
    return true;
}

// A row of the loads or stores of one instruction to shared memory; false: they may race.
template <bool kWrites>
[[gnu::always_inline]] inline bool BlockRun::may_access_shared(const LaneOffsets& at, std::uint32_t group,
                                                               unsigned size, bool atomic) {
    const unsigned shift = shared_.shift();
    const std::uint32_t now = clocks_.now(), settled = clocks_.settled(), first = thread(0);
    Last* const writes = shared_writes_.data();
    Last* const reads = shared_reads_.data();
    bool fine = true;
    each_active(group, [&](unsigned l) {
        const std::uint32_t by = first + l;
        for (unsigned done = 0; done < size; done += 1U << shift) {
            const std::uint64_t granule = (at.offset[l] + done) >> shift;
            Last &write = writes[granule], &read = reads[granule];
            if constexpr (kWrites) {
                if (write.time < settled && read.time < settled) { // what is older is ordered, or of another block
                    write = {now, static_cast<std::uint16_t>(by), atomic, false};
                    continue;
                }
                write.time = write.time < began_ ? 0 : write.time;
                read.time = read.time < began_ ? 0 : read.time;
                fine = fine && may_write(write, read, by, now, atomic);
            } else {
                if (write.time < settled ? write.time >= began_ : write.thread == by) {
                    if (read.time < settled) {
                        read = {now, static_cast<std::uint16_t>(by), false, false};
                    } else {
                        read.join(by, now);
                    }
                    continue;
                }
                read.time = read.time < began_ ? 0 : read.time;
                fine = fine && write.time >= began_ && may_read(write, read, by, now);
            }
        }
    });
    return fine;
}

// The same of global memory that the launch may write. Keeps what stores overwrite.
template <bool kWrites>
[[gnu::always_inline]] inline bool BlockRun::may_access_global(const LaneOffsets& at, std::uint32_t group,
                                                               unsigned size, bool atomic) {
    const unsigned shift = attempt_->shift();
    const std::uint32_t now = clocks_.now(), first = thread(0);
    constexpr std::uint64_t kInChunk = (1U << Attempt::kChunkShift) - 1;
    Attempt::Chunk* chunk = nullptr;
    Last nobody;
    std::uint64_t number = ~std::uint64_t{0};
    bool fine = true;
    each_active(group, [&](unsigned l) {
        const std::uint32_t by = first + l;
        for (unsigned done = 0; done < size; done += 1U << shift) {
            const std::uint64_t offset = at.offset[l] + done, granule = offset >> shift;
            if (granule >> Attempt::kChunkShift != number) {
                number = granule >> Attempt::kChunkShift;
                chunk = &attempt_->at(at.allocation, offset);
                if constexpr (kWrites) {
                    attempt_->keep(*chunk, at.allocation, offset);
                }
            }
            Last& write = (*chunk->writes)[granule & kInChunk];
            if constexpr (kWrites) {
                if (write.time == 0 && chunk->reads == nullptr) {
                    write = {now, static_cast<std::uint16_t>(by), atomic, false};
                } else {
                    Last& read = chunk->reads == nullptr ? nobody : (*chunk->reads)[granule & kInChunk];
                    fine = fine && may_write(write, read, by, now, atomic);
                }
            } else {
                fine = fine && may_read(write, attempt_->reads(*chunk)[granule & kInChunk], by, now);
            }
        }
    });
    return fine;
}

// What is kept of loads from global memory beside their history. False: some of it was never written.
WARPTREE_WIDE bool BlockRun::may_load(const LaneOffsets& at, std::uint32_t group, unsigned size) {
    Allocation& allocation = memory_[at.allocation];
    const bool whole = allocation.is_whole();
    if (whole && !allocation.watched()) {
        std::int64_t furthest = 0; // signed: compared as a row
        if (group == kAllLanes) {
            for (unsigned l = 0; l < kLanes; ++l) {
                const auto offset = static_cast<std::int64_t>(at.offset[l]);
                furthest = offset > furthest ? offset : furthest;
            }
        } else {
            each_active(group,
                        [&](unsigned l) { furthest = std::max(furthest, static_cast<std::int64_t>(at.offset[l])); });
        }
        allocation.loaded(static_cast<std::uint64_t>(furthest) + size);
        return true;
    }
    const Together row = together_in_row(at.offset, group, size);
    bool written = true;
    const auto see = [&](std::uint64_t first, std::uint64_t bytes) {
        allocation.loaded(first + bytes);
        if (allocation.watched()) {
            allocation.saw_load(first, bytes);
        }
        written = written && (whole || allocation.initialised(first, bytes));
    };
    if (row.bytes != 0) {
        see(row.first, row.bytes);
    } else {
        each_active(group, [&](unsigned l) { see(at.offset[l], size); });
    }
    return written;
}

void BlockRun::mark_stored(const LaneOffsets& at, std::uint32_t group, unsigned size) {
    Allocation& allocation = memory_[at.allocation];
    const std::uint32_t element = allocation.shape().element_bytes;
    const auto see = [&](std::uint64_t first, std::uint64_t bytes) {
        if (allocation.watched()) {
            allocation.saw_store(first, bytes);
        }
        if (allocation.is_whole()) {
            return;
        }
        if (!attempt_->whole_elements()) {
            allocation.initialise(first, bytes);
        } else {
            const std::uint64_t from = allocation.element_at(first) * element;
            allocation.initialise(from, (allocation.element_at(first + bytes - 1) + 1) * element - from);
        }
    };
    if (allocation.is_whole() && !allocation.watched()) {
        return;
    }
    if (const Together row = together_in_row(at.offset, group, size); row.bytes != 0) {
        see(row.first, row.bytes);
    } else {
        each_active(group, [&](unsigned l) { see(at.offset[l], size); });
    }
}

namespace {
template <class T, class U>
[[gnu::always_inline]] inline void take_row(U* dst, const std::byte* data, const std::uint64_t* offset,
                                            std::uint32_t mask) {
    const auto take = [&](unsigned l) {
        T value;
        std::memcpy(&value, data + offset[l], sizeof value);
        dst[l] = value;
    };
    if (mask == kAllLanes) {
        for (unsigned l = 0; l < kLanes; ++l) {
            take(l);
        }
    } else {
        each_active(mask, take);
    }
}
template <class T, class U>
[[gnu::always_inline]] inline void put_row(const U* src, std::byte* data, const std::uint64_t* offset,
                                           std::uint32_t mask) {
    each_active(mask, [&](unsigned l) {
        const T value = static_cast<T>(src[l]);
        std::memcpy(data + offset[l], &value, sizeof value);
    });
}
} // namespace

WARPTREE_WIDE void BlockRun::try_load(const Instruction& i) {
    const compile::Access& a = program_.accesses[i.c];
    const unsigned size = a.bytes * a.count;
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, size, false, at);
        if (group == 0 || (a.is_volatile && at.space != Space::local)) {
            return doubt();
        }
        rest &= ~group;
        if (at.space == Space::local) {
            each_active(group, [&](unsigned l) { at.offset[l] += std::uint64_t{l} * warp_->local_bytes; });
        } else if (at.space == Space::shared) {
            if (!may_access_shared<false>(at, group, size, false)) {
                return doubt();
            }
        } else if (!may_load(at, group, size) ||
                   (attempt_->may_be_written(at.allocation) && !may_access_global<false>(at, group, size, false))) {
            return doubt();
        }
        const bool wide = a.bytes == 8;
        for (unsigned k = 0; k < a.count; ++k) {
            Row* const dst = rows_ + i.dst + k * (wide ? 2 : 1);
            const std::byte* const data = at.data + k * a.bytes;
            switch (a.bytes) {
            case 1: take_row<std::uint8_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
            case 2: take_row<std::uint16_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
            case 4: take_row<std::uint32_t>(values<std::uint32_t>(dst), data, at.offset, group); break;
            default: take_row<std::uint64_t>(values<std::uint64_t>(dst), data, at.offset, group); break;
            }
        }
    }
}

WARPTREE_WIDE void BlockRun::try_store(const Instruction& i) {
    const compile::Access& a = program_.accesses[i.c];
    const unsigned size = a.bytes * a.count;
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, size, true, at);
        if (group == 0 || (at.space != Space::local && (a.is_volatile || a.atomic))) {
            return doubt();
        }
        rest &= ~group;
        if (at.space == Space::local) {
            each_active(group, [&](unsigned l) { at.offset[l] += std::uint64_t{l} * warp_->local_bytes; });
        } else if (at.space == Space::shared) {
            ++progress_;
            if (!may_access_shared<true>(at, group, size, false)) {
                return doubt();
            }
        } else {
            ++progress_;
            if (!may_access_global<true>(at, group, size, false)) {
                return doubt();
            }
            mark_stored(at, group, size);
        }
        const bool wide = a.bytes == 8;
        for (unsigned k = 0; k < a.count; ++k) {
            const Row* const from = rows_ + i.dst + k * (wide ? 2 : 1);
            std::byte* const data = at.data + k * a.bytes;
            switch (a.bytes) {
            case 1: put_row<std::uint8_t>(values<std::uint32_t>(from), data, at.offset, group); break;
            case 2: put_row<std::uint16_t>(values<std::uint32_t>(from), data, at.offset, group); break;
            case 4: put_row<std::uint32_t>(values<std::uint32_t>(from), data, at.offset, group); break;
            default: put_row<std::uint64_t>(values<std::uint64_t>(from), data, at.offset, group); break;
            }
        }
        fragment_.looks = 0;
    }
}

void BlockRun::try_atomic(const Instruction& i) {
    const compile::Atomic& what = program_.atomics[i.c];
    const compile::Access& a = program_.accesses[what.access];
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    LaneOffsets at;
    const bool wide = a.bytes == 8;
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t group = together(i, address, rest, a.bytes, true, at);
        if (group == 0 || at.space == Space::local) {
            return doubt();
        }
        rest &= ~group;
        bool fine = false;
        if (at.space == Space::shared) {
            fine = true;
            each_active(group, [&](unsigned l) {
                fine = fine && shared_writes_[at.offset[l] >> shared_.shift()].time >= began_; // initialised
            });
            fine = fine && may_access_shared<true>(at, group, a.bytes, true);
        } else {
            fine = what.scope != compile::Scope::block && may_access_global<true>(at, group, a.bytes, true);
            const Allocation& allocation = memory_[at.allocation];
            attempt_->update(at.allocation);
            each_active(group, [&](unsigned l) {
                fine = fine && (allocation.is_whole() || allocation.initialised(at.offset[l], a.bytes));
            });
            if (allocation.watched()) {
                mark_stored(at, group, a.bytes);
            }
        }
        if (!fine) {
            return doubt();
        }
        bool holds = true;
        each_active(group, [&](unsigned l) {
            const std::uint64_t value = value_of(what.value, l, wide);
            const std::uint64_t expected = what.expected == compile::kNone ? 0 : value_of(what.expected, l, wide);
            std::byte* const data = at.data + at.offset[l];
            std::uint64_t old = 0;
            std::memcpy(&old, data, a.bytes);
            const std::uint64_t now = apply(what.operation, a.type, a.bytes, old, value, expected);
            std::memcpy(data, &now, a.bytes);
            progress_ += now != old ? 1 : 0;
            holds = holds && !(prepared_.tells_overflow() && loses(what.operation, a.type, old, value));
            if (i.dst != compile::kNone) {
                set_value(i.dst, l, wide, old);
            }
        });
        if (!holds) {
            return doubt();
        }
    }
    looked(what.result_used);
}

} // namespace warptree::simt
