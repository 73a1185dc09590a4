// Memory copies, including asynchronous ones, and the device heap.
#include "app/simt/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warptree::simt {

using compile::Space;
using record::Tag;

// Copies `bytes` (1, 2, 4, 8 or 16) for each lane: a load and a store, of values with their tags.
void BlockRun::copy_bytes(const Instruction& i, const std::uint64_t* to, const std::uint64_t* from, unsigned bytes,
                          std::uint32_t mask) {
    const unsigned part = std::min(bytes, 8U) == 8 && bytes == 16 ? 4 : std::min(bytes, 8U);
    compile::Access scalar;
    scalar.bytes = static_cast<std::uint8_t>(part);
    scalar.type = part == 8 ? ValueType::u64 : ValueType::u32;
    std::vector<std::uint64_t> bits(std::size_t{kLanes} * (bytes / part));
    std::vector<Tag> tags(bits.size());
    LaneOffsets at;
    for (std::uint32_t rest = mask; rest != 0;) {
        const std::uint32_t group = together(i, from, rest, bytes, false, at);
        if (group == 0) {
            stop();
            return;
        }
        rest &= ~group;
        if (attempt_ != nullptr && at.space != Space::local) {
            return doubt();
        }
        if (at.space != Space::local) {
            request(i, at.space == Space::shared ? AccessKind::shared_load : AccessKind::global_load, bytes, at, group);
        }
        each_active(group, [&](unsigned l) {
            const std::byte* const data =
                at.data + (at.space == Space::local ? std::uint64_t{l} * warp_->local_bytes : 0);
            for (unsigned k = 0; k < bytes / part; ++k) {
                std::uint64_t& value = bits[l * (bytes / part) + k];
                value = 0;
                std::memcpy(&value, data + at.offset[l] + std::uint64_t{k} * part, part);
                tags[l * (bytes / part) + k] =
                    load_tag(i, at, l, at.offset[l] + std::uint64_t{k} * part, value, scalar.type);
            }
        });
        if (at.space != Space::local) {
            const Note now = note_of(i, 0);
            each_active(group, [&](unsigned l) { note(i, now, at, l, at.offset[l], bytes, nullptr); });
        }
    }
    for (std::uint32_t rest = mask; rest != 0;) {
        const std::uint32_t group = together(i, to, rest, bytes, true, at);
        if (group == 0) {
            stop();
            return;
        }
        rest &= ~group;
        if (attempt_ != nullptr && at.space != Space::local) {
            return doubt();
        }
        if (at.space != Space::local) {
            const std::uint32_t kept = request(
                i, at.space == Space::shared ? AccessKind::shared_store : AccessKind::global_store, bytes, at, group);
            for (unsigned k = 0; k < bytes / part; ++k) {
                keep_stored(kept, part, k, bytes / part, group,
                            [&](unsigned l) { return bits[l * (bytes / part) + k]; });
            }
            ++progress_;
        }
        each_active(group, [&](unsigned l) {
            for (unsigned k = 0; k < bytes / part; ++k) {
                store_scalar(i, scalar, at, l, at.offset[l] + std::uint64_t{k} * part, bits[l * (bytes / part) + k],
                             tags[l * (bytes / part) + k]);
            }
        });
    }
}

// Copies in the largest units that addresses and size allow.
// Each unit of a copy or fill counts as an instruction.
void BlockRun::check_within_instruction() {
    constexpr std::uint64_t kUnits = 1U << 8; // each may be 32 stores that race
    if (instructions_ >= setup_.most_instructions) {
        report_endless(fragment_);
        stop();
    } else if (instructions_ >= next_check_ || instructions_ % kUnits == 0) {
        check_limits();
        if (findings_.ends_the_run() || given_up()) {
            stop();
        }
    }
}

void BlockRun::copy_memory(const Instruction& i) {
    const std::uint64_t *to = values<std::uint64_t>(rows_ + i.dst), *from = values<std::uint64_t>(rows_ + i.a);
    const std::uint64_t* const count = values<std::uint64_t>(rows_ + i.c);
    std::uint64_t most = 0, all = 0;
    each_active(mask_.bits, [&](unsigned l) {
        most = std::max(most, count[l]);
        all |= count[l] | to[l] | from[l];
    });
    const unsigned unit = (all & 7) == 0 ? 8 : (all & 3) == 0 ? 4 : (all & 1) == 0 ? 2 : 1;
    whole_copy_ = count;
    for (std::uint64_t done = 0; done < most && running_; done += unit) {
        std::uint64_t source[kLanes], target[kLanes];
        std::uint32_t some = 0;
        each_active(mask_.bits, [&](unsigned l) {
            source[l] = from[l] + done;
            target[l] = to[l] + done;
            some |= done < count[l] ? 1U << l : 0U;
        });
        copy_bytes(i, target, source, unit, some);
        ++instructions_;
        check_within_instruction();
    }
    whole_copy_ = nullptr;
}

void BlockRun::fill_memory(const Instruction& i) {
    const std::uint64_t* const to = values<std::uint64_t>(rows_ + i.dst);
    const std::uint32_t* const byte = values<std::uint32_t>(rows_ + i.a);
    const std::uint64_t* const count = values<std::uint64_t>(rows_ + i.c);
    std::uint64_t most = 0, all = 0;
    each_active(mask_.bits, [&](unsigned l) {
        most = std::max(most, count[l]);
        all |= count[l] | to[l];
    });
    compile::Access scalar;
    scalar.bytes = (all & 7) == 0 ? 8 : (all & 3) == 0 ? 4 : 1;
    scalar.type = scalar.bytes == 8 ? ValueType::u64 : ValueType::u32;
    LaneOffsets at;
    whole_copy_ = count;
    for (std::uint64_t done = 0; done < most && running_; done += scalar.bytes) {
        std::uint64_t target[kLanes];
        std::uint32_t rest = 0;
        each_active(mask_.bits, [&](unsigned l) {
            target[l] = to[l] + done;
            rest |= done < count[l] ? 1U << l : 0U;
        });
        while (rest != 0) {
            const std::uint32_t group = together(i, target, rest, scalar.bytes, true, at);
            if (group == 0) {
                whole_copy_ = nullptr;
                stop();
                return;
            }
            rest &= ~group;
            if (attempt_ != nullptr && at.space != Space::local) {
                whole_copy_ = nullptr;
                return doubt();
            }
            if (at.space != Space::local) {
                const std::uint32_t kept =
                    request(i, at.space == Space::shared ? AccessKind::shared_store : AccessKind::global_store,
                            scalar.bytes, at, group);
                keep_stored(kept, scalar.bytes, 0, 1, group,
                            [&](unsigned l) { return (byte[l] & 0xFFU) * 0x0101010101010101ULL; });
                ++progress_;
            }
            each_active(group, [&](unsigned l) {
                store_scalar(i, scalar, at, l, at.offset[l], (byte[l] & 0xFFU) * 0x0101010101010101ULL, record::kNoTag);
            });
        }
        ++instructions_;
        check_within_instruction();
    }
    whole_copy_ = nullptr;
}

// The copy completes at once, so a kernel that reads before it waits is not detected.
void BlockRun::copy_async(const Instruction& i) {
    if (attempt_ != nullptr) {
        return doubt();
    }
    const compile::Copy& c = program_.copies[i.c];
    const std::uint64_t *to = values<std::uint64_t>(rows_ + c.to), *from = values<std::uint64_t>(rows_ + c.from);
    if (c.filled == compile::kNone) {
        copy_bytes(i, to, from, c.bytes, mask_.bits);
        return;
    }
    // Lanes with a partial copy: word by word, first the source bytes, then zeros.
    const std::uint32_t* const filled = values<std::uint32_t>(rows_ + c.filled);
    std::uint32_t whole = 0;
    each_active(mask_.bits, [&](unsigned l) { whole |= filled[l] >= c.bytes ? 1U << l : 0U; });
    if (whole != 0) {
        copy_bytes(i, to, from, c.bytes, whole);
    }
    compile::Access scalar;
    scalar.bytes = 4;
    scalar.type = ValueType::u32;
    for (unsigned k = 0; k < c.bytes && running_; k += 4) {
        std::uint64_t source[kLanes], target[kLanes];
        std::uint32_t some = 0, none = 0;
        each_active(mask_.bits & ~whole, [&](unsigned l) {
            source[l] = from[l] + k;
            target[l] = to[l] + k;
            (k < filled[l] ? some : none) |= 1U << l;
        });
        if (some != 0) {
            copy_bytes(i, target, source, 4, some);
        }
        if (none != 0 && running_) {
            LaneOffsets at;
            for (std::uint32_t rest = none; rest != 0;) {
                const std::uint32_t group = together(i, target, rest, 4, true, at);
                if (group == 0) {
                    stop();
                    return;
                }
                rest &= ~group;
                keep_stored(request(i, AccessKind::shared_store, 4, at, group), 4, 0, 1, group,
                            [](unsigned) { return 0; });
                each_active(group,
                            [&](unsigned l) { store_scalar(i, scalar, at, l, at.offset[l], 0, record::kNoTag); });
            }
        }
    }
}

// 0: no heap is that large.
std::uint64_t BlockRun::heap_allocate(const Instruction& i, unsigned lane, std::uint64_t size) {
    const MemoryBudget& budget = memory_.budget();
    if (size > budget.most()) {
        return 0;
    }
    const bool many = memory_.full();
    if (many || size > budget.left()) {
        Finding f;
        f.kind = FindingKind::limit;
        f.severity = Severity::risk;
        f.text = many ? fmt::format("malloc() of {} bytes would be more than the {} arrays and allocations that a run "
                                    "may hold at once",
                                    size, compile::kMostAllocations)
                      : fmt::format("malloc() of {} bytes does not fit into the {} of memory that a run may take; "
                                    "--memory allows more",
                                    size, in_bytes(budget.most()));
        find(std::move(f), i, lane);
        return 0;
    }
    Allocation::Shape shape;
    shape.name = "malloc";
    shape.elements = size;
    shape.defined = false;
    return compile::allocation_address(memory_.add(std::move(shape)));
}

// Each allocation from the device heap is a separate allocation of global memory.
void BlockRun::heap(const Instruction& i) {
    if (attempt_ != nullptr) {
        return doubt();
    }
    if (i.op == compile::Opcode::heap_allocate) {
        each_active(mask_.bits, [&](unsigned l) {
            if (running_) {
                values<std::uint64_t>(rows_ + i.dst)[l] = heap_allocate(i, l, value_of(i.a, l, true));
            }
        });
        return;
    }
    each_active(mask_.bits, [&](unsigned l) {
        const std::uint64_t address = value_of(i.a, l, true);
        std::int64_t offset = 0;
        std::uint32_t number = 0;
        Allocation* const a = address == 0 ? nullptr : memory_.find(address, offset, number);
        if (address == 0) {
            return;
        }
        if (a == nullptr || offset != 0 || a->freed() || a->shape().name != "malloc") {
            Finding f;
            f.kind = FindingKind::bad_free;
            f.text = "free() of a pointer that malloc() did not return, or freed twice";
            find(std::move(f), i, l);
            stop();
            return;
        }
        const std::uint64_t granules = (a->bytes() >> stores_.shift()) + 1;
        stores_.shadow().forget(number, granules); // its number may be another's next
        a->free();
    });
}

} // namespace warptree::simt
