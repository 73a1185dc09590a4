// The addresses of a warp's loads and stores, whether they are valid, and what the accesses cost.
#include "app/simt/block_run.hpp"
#include "app/simt/wide.hpp"

namespace warptree::simt {

using compile::Space;

namespace {
Space space_of(std::uint64_t address) {
    if (address >= compile::kGlobalBase || compile::is_host_address(address)) {
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
    if (const unsigned l = outside_of_array(i, address, rest, size); l < kLanes) {
        report_outside(i, address[l], l, size, writes);
        return 0;
    }
    const unsigned first = lowest(rest);
    to.space = space_of(address[first]);
    std::uint64_t base = 0, limit = 0;
    Allocation* allocation = nullptr;
    switch (to.space) {
    case Space::shared: {
        const std::uint64_t named = named_block(address[first]);
        to.owner = this;
        if (named != 0) {
            to.owner = cluster_ == nullptr ? nullptr : cluster_->of_rank(named - 1);
            if (to.owner == nullptr) {
                report_outside(i, address[first], first, size, writes);
                return 0;
            }
        }
        base = named == 0 ? compile::kSharedBase : compile::shared_address(static_cast<std::uint32_t>(named - 1));
        limit = to.owner->shared_.bytes();
        to.data = to.owner->shared_.at(0);
        to.allocation = 0;
        break;
    }
    case Space::local:
        base = compile::kLocalBase;
        limit = warp_->local_bytes;
        to.data = warp_->local.data();
        to.allocation = 0;
        break;
    case Space::global: {
        std::int64_t offset = 0;
        allocation = memory_.find(address[first], offset, to.allocation);
        if (allocation == nullptr || allocation->freed() || (writes && allocation->shape().read_only)) {
            report_outside(i, address[first], first, size, writes);
            return 0;
        }
        base = allocation->address;
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
    // Some lanes access other memory or an invalid address, or the array grows.
    std::uint32_t group = 0;
    bool fine = true;
    each_active(rest, [&](unsigned l) {
        if (!fine || space_of(address[l]) != to.space ||
            (to.space == Space::shared && named_block(address[l]) != named_block(address[first]))) {
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

std::uint32_t BlockRun::access_of(const Instruction& i) const {
    return i.op == compile::Opcode::load || i.op == compile::Opcode::store ? i.c
           : i.op == compile::Opcode::atomic                               ? program_.atomics[i.c].access
                                                                           : compile::kNone;
}

WARPTREE_WIDE unsigned BlockRun::outside_of_array(const Instruction& i, const std::uint64_t* address,
                                                  std::uint32_t mask, unsigned size) const {
    const std::uint32_t number = access_of(i);
    if (number == compile::kNone) {
        return kLanes;
    }
    const compile::Access& access = program_.accesses[number];
    std::uint64_t begin = 0, bytes = 0;
    if (access.local != compile::kNone) {
        const compile::LocalArray& array = program_.locals[access.local];
        begin = compile::kLocalBase + fragment_.frame->local + array.offset;
        bytes = array.bytes;
    } else if (access.array != compile::kNone && named_block(address[lowest(mask)]) == 0) {
        begin = compile::kSharedBase + program_.shared[access.array].offset;
        bytes = program_.shared[access.array].bytes;
    }
    if (bytes == 0) { // not known, or dynamic
        return kLanes;
    }
    if (bytes < size) {
        return lowest(mask);
    }
    std::uint32_t outside = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        outside |= address[l] - begin > bytes - size ? mask & 1U << l : 0U;
    }
    return outside == 0 ? kLanes : lowest(outside);
}

std::uint64_t BlockRun::base_of(const LaneOffsets& at) const {
    return at.space != Space::shared ? compile::allocation_address(at.allocation)
           : is_remote(at)           ? compile::shared_address(at.owner->cluster_rank_)
                                     : compile::kSharedBase;
}

std::uint32_t BlockRun::request(const Instruction& i, AccessKind kind, unsigned size, const LaneOffsets& at,
                                std::uint32_t mask) {
    if (bare_) {
        return record::BlockRecorder::kNotKept;
    }
    record::BlockRecorder::Access a;
    a.kind = !is_remote(at)                     ? kind
             : kind == AccessKind::shared_load  ? AccessKind::remote_load
             : kind == AccessKind::shared_store ? AccessKind::remote_store
                                                : AccessKind::remote_atomic;
    a.bytes = static_cast<std::uint8_t>(size);
    a.allocation = static_cast<std::uint16_t>(at.allocation);
    a.mask = mask;
    a.location = i.location;
    a.line = program_.locations[i.location].line;
    a.in_loop = fragment_.frame->code->blocks[fragment_.frame->body->block_of[fragment_.pc - 1]].loop != compile::kNone;
    a.constant = at.space != Space::shared && at.allocation < program_.globals.size() &&
                 program_.globals[at.allocation].space == Space::constant;
    a.index = at.index;
    return recorder_.access(warp_->number, a);
}

} // namespace warptree::simt
