// The data flow of values: which operations combine two values made of elements, which pass a value on, and which
// only fold in the identity.
#include "app/simt/arithmetic.hpp"
#include "app/simt/block_run.hpp"
#include "app/simt/element_operation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace warptree::simt {

using compile::Opcode;
using record::kNoTag;
using record::Role;
using record::Tag;

Tag* BlockRun::tag_row(std::uint16_t tag) {
    Tag* const row = values<std::uint32_t>(tags_ + tag);
    if (tagged_[tag] == 0) {
        std::fill_n(row, kLanes, kNoTag);
        tagged_[tag] = 1;
    }
    return row;
}

void BlockRun::tag_clear(std::uint16_t dst) {
    if (tagged_[dst] == 0) {
        return;
    }
    if (mask_.bits == kAllLanes) {
        tagged_[dst] = 0;
    } else {
        each_lane(values<std::uint32_t>(tags_ + dst), mask_, [](unsigned) { return kNoTag; });
    }
}

void BlockRun::tag_copy_row(std::uint16_t dst, std::uint16_t src) {
    if (tagged_[src] == 0) {
        tag_clear(dst);
        return;
    }
    const Tag* const from = values<std::uint32_t>(tags_ + src);
    each_lane(tag_row(dst), mask_, [&](unsigned l) { return from[l]; });
}

Tag BlockRun::make_node(Operation operation, Tag left, Tag right, unsigned lane, std::uint64_t bits, ValueType type,
                        std::uint32_t location, record::Role role) {
    record::DataFlow::Node node;
    node.left = left;
    node.right = right;
    node.segment = recorder_.segment(warp_->number);
    node.thread = static_cast<std::uint16_t>(thread(lane));
    node.operation = operation;
    node.role = role;
    if (recorder_.full() && !is_floating(type)) { // opcodes do not distinguish signed and unsigned; element types do
        const ValueType of = recorder_.flow().type(left != kNoTag ? left : right);
        type = !is_floating(of) && bytes(of) == bytes(type) ? of : type;
    }
    return recorder_.flow().node(node, {bits, location, type, 0, record::DataFlow::kNowhere});
}

void BlockRun::note_read(std::uint32_t mask, const std::uint64_t* offsets) {
    const std::uint32_t now = fragment_.pc - 1;
    auto read = std::find_if(reads_.begin(), reads_.end(),
                             [&](const SharedRead& r) { return r.frame == fragment_.frame && r.instruction == now; });
    if (read == reads_.end()) {
        read = reads_.begin() + static_cast<std::ptrdiff_t>(next_read_);
        next_read_ = (next_read_ + 1) % reads_.size();
        *read = {fragment_.frame, now, 0, {}};
    }
    read->mask = (read->mask & mask) != 0 ? mask : read->mask | mask;
    each_active(mask, [&](unsigned l) { read->offset[l] = static_cast<std::uint32_t>(offsets[l]); });
}

// The shared-memory offset that the row's last assignment in this basic block loaded; null: not from shared memory.
const std::uint32_t* BlockRun::offsets_read(std::uint32_t row, unsigned lane) const {
    const Body& body = *fragment_.frame->body;
    const std::uint32_t now = fragment_.pc - 1, first = body.code->blocks[body.block_of[now]].first;
    for (std::uint32_t at = now; at-- > first;) {
        const Instruction& i = body.code->code[at];
        if (i.dst != row) {
            continue;
        }
        const auto read = std::find_if(reads_.begin(), reads_.end(), [&](const SharedRead& r) {
            return r.frame == fragment_.frame && r.instruction == at && (r.mask >> lane & 1U) != 0;
        });
        return i.op == Opcode::load && read != reads_.end() ? &read->offset[lane] : nullptr;
    }
    return nullptr;
}

Tag BlockRun::make_identity(unsigned lane, std::uint32_t row, std::uint64_t bits, ValueType type,
                            std::uint32_t location) {
    record::DataFlow::Leaf leaf;
    leaf.kind = record::LeafKind::identity;
    leaf.segment = recorder_.segment(warp_->number);
    leaf.thread = static_cast<std::uint16_t>(thread(lane));
    record::DataFlow::Detail detail{bits, location, type, 0, record::DataFlow::kNowhere};
    const std::uint32_t* const offset = recorder_.full() ? offsets_read(row, lane) : nullptr;
    if (offset == nullptr) {
        return recorder_.flow().identity(leaf, detail);
    }
    const SharedMemory::Writer& stored = shared_.writer(*offset);
    if (stored.location == compile::kNone) {
        return recorder_.flow().identity(leaf, detail);
    }
    const auto [at, added] = identities_.try_emplace({*offset, stored.segment, stored.thread}, kNoTag);
    if (added) {
        leaf.segment = stored.segment;
        leaf.thread = stored.thread;
        detail.location = stored.location;
        detail.allocation = record::kSharedAllocation;
        detail.word = *offset / bytes(type);
        at->second = recorder_.flow().identity(leaf, detail);
    }
    return at->second;
}

// The usual case while counting: lanes that combine two values made of elements. Returns those lanes.
std::uint32_t BlockRun::count_combines(const Instruction& i, Operation operation, bool idempotent, Tag* result) {
    if (tagged_[i.tag_a] == 0 || tagged_[i.tag_b] == 0) {
        return 0;
    }
    record::DataFlow& flow = recorder_.flow();
    const Tag *const left = tags_[i.tag_a].lane, *const right = tags_[i.tag_b].lane;
    const std::uint32_t segment = recorder_.segment(warp_->number), first = thread(0);
    std::uint32_t combined = 0;
    each_active(mask_.bits, [&](unsigned l) {
        if (left[l] == kNoTag || right[l] == kNoTag || (idempotent && left[l] == right[l])) {
            return;
        }
        result[l] = flow.counted_combine(left[l], right[l], operation, segment, static_cast<std::uint16_t>(first + l));
        combined |= result[l] != kNoTag ? 1U << l : 0U;
    });
    return combined;
}

void BlockRun::tag_binary(const Instruction& i, bool wide) {
    const bool combines = (i.flags & compile::kCombines) != 0;
    if (tagged_[i.tag_a] == 0 && tagged_[i.tag_b] == 0 && !combines) {
        tag_clear(i.tag_dst);
        return;
    }
    if ((i.flags & compile::kPlace) != 0) {
        Tag either[kLanes] = {};
        each_active(mask_.bits, [&](unsigned l) {
            const Tag a = tag_at(i.tag_a, l), b = tag_at(i.tag_b, l);
            recorder_.flow().place(a);
            recorder_.flow().place(b);
            either[l] = a != kNoTag ? a : b;
        });
        Tag* const row = tag_row(i.tag_dst);
        each_lane(row, mask_, [&](unsigned l) { return either[l]; });
        return;
    }
    const ElementOperation by = element_operation(i.op);
    const bool idempotent = by.operation == Operation::minimum || by.operation == Operation::maximum ||
                            by.operation == Operation::and_ || by.operation == Operation::or_;
    const ValueType type = i.type != ValueType::none ? i.type
                           : by.floating             ? (wide ? ValueType::f64 : ValueType::f32)
                                                     : (wide ? ValueType::i64 : ValueType::i32);
    Tag result[kLanes] = {};
    std::uint32_t combined = combines && !recorder_.full() ? count_combines(i, by.operation, idempotent, result) : 0;
    std::uint32_t padded = 0, same = 0, beside = 0; // beside: with what is no element, as what nothing has written
    each_active(mask_.bits & ~combined, [&](unsigned l) {
        const Tag a = tag_at(i.tag_a, l), b = tag_at(i.tag_b, l);
        const std::uint64_t bits = value_of(i.dst, l, wide);
        if (a != kNoTag && b != kNoTag) {
            if (a == b && idempotent) {
                result[l] = a;
                same |= 1U << l;
                return;
            }
            const bool padding = combines && (recorder_.flow().is_padding(a) || recorder_.flow().is_padding(b));
            result[l] = make_node(by.operation, a, b, l, bits, type, i.location,
                                  padding    ? Role::pads
                                  : combines ? Role::combines
                                             : Role::maps);
            combined |= 1U << l;
            padded |= padding ? 1U << l : 0U;
            return;
        }
        // Whether the other operand is the identity or an ordinary value.
        const bool a_is_identity = a == kNoTag && is_identity(i.op, by, value_of(i.a, l, wide), false, wide);
        const bool b_is_identity = b == kNoTag && is_identity(i.op, by, value_of(i.b, l, wide), true, wide);
        if (a == kNoTag && b == kNoTag) {
            if (combines && a_is_identity && b_is_identity) {
                // One after the other: which comes first numbers them.
                const Tag left = make_identity(l, i.a, value_of(i.a, l, wide), type, i.location);
                const Tag right = make_identity(l, i.b, value_of(i.b, l, wide), type, i.location);
                result[l] = make_node(by.operation, left, right, l, bits, type, i.location, Role::pads);
                combined |= 1U << l;
                padded |= 1U << l;
            }
            return;
        }
        if (a_is_identity || b_is_identity) {
            if (!combines) {
                result[l] = a != kNoTag ? a : b;
                return;
            }
            const std::uint32_t none = a == kNoTag ? i.a : i.b;
            const Tag identity = make_identity(l, none, value_of(none, l, wide), type, i.location);
            result[l] = make_node(by.operation, a == kNoTag ? identity : a, b == kNoTag ? identity : b, l, bits, type,
                                  i.location, Role::pads);
            combined |= 1U << l;
            padded |= 1U << l;
            return;
        }
        result[l] = only_packs(by, wide)
                        ? (a != kNoTag ? a : b)
                        : make_node(by.operation, a != kNoTag ? a : b, kNoTag, l, bits, type, i.location, Role::maps);
        beside |= 1U << l;
    });
    Tag* const dst = tag_row(i.tag_dst);
    each_lane(dst, mask_, [&](unsigned l) { return result[l]; });
    if (combines && combined != 0) {
        recorder_.combines(warp_->number, combined, padded, fragment_.pc);
        recorder_.takes_part(warp_->number, read_unwritten_ ? beside : 0);
    }
    if (combines && same != 0) { // as a lane whose shuffle gives it its own value back
        recorder_.takes_part(warp_->number, same);
    }
}

// a * b + c: a product, which maps elements, and an addition, which combines.
void BlockRun::tag_fma(const Instruction& i, bool wide) {
    const bool combines = (i.flags & compile::kCombines) != 0;
    if (tagged_[i.tag_a] == 0 && tagged_[i.tag_b] == 0 && tagged_[i.tag_c] == 0) {
        tag_clear(i.tag_dst);
        return;
    }
    const ValueType type = wide ? ValueType::f64 : ValueType::f32;
    std::uint32_t combined = 0, padded = 0;
    Tag result[kLanes] = {};
    each_active(mask_.bits, [&](unsigned l) {
        const Tag a = tag_at(i.tag_a, l), b = tag_at(i.tag_b, l), c = tag_at(i.tag_c, l);
        const std::uint64_t bits = value_of(i.dst, l, wide);
        const std::uint64_t av = value_of(i.a, l, wide), bv = value_of(i.b, l, wide), cv = value_of(i.c, l, wide);
        Tag product = kNoTag;
        if (a != kNoTag || b != kNoTag) {
            const std::uint64_t rounded =
                wide ? bits_of(f64(av) * f64(bv))
                     : bits_of(f32(static_cast<std::uint32_t>(av)) * f32(static_cast<std::uint32_t>(bv)));
            product = make_node(Operation::multiply, a != kNoTag ? a : b, a != kNoTag ? b : kNoTag, l, rounded, type,
                                i.location, Role::maps);
        }
        const bool c_is_zero = wide ? f64(cv) == 0 : f32(static_cast<std::uint32_t>(cv)) == 0;
        if (product != kNoTag && c != kNoTag) {
            result[l] = make_node(Operation::add, c, product, l, bits, type, i.location,
                                  combines ? Role::combines : Role::maps);
            combined |= 1U << l;
        } else if (product != kNoTag && combines && c_is_zero) {
            result[l] = make_node(Operation::add, make_identity(l, i.c, cv, type, i.location), product, l, bits, type,
                                  i.location, Role::pads);
            combined |= 1U << l;
            padded |= 1U << l;
        } else {
            const Tag known = product != kNoTag ? product : c;
            result[l] = known == kNoTag || (product != kNoTag && c_is_zero)
                            ? known
                            : make_node(Operation::add, known, kNoTag, l, bits, type, i.location, Role::maps);
        }
    });
    Tag* const dst = tag_row(i.tag_dst);
    each_lane(dst, mask_, [&](unsigned l) { return result[l]; });
    if (combines && combined != 0) {
        recorder_.combines(warp_->number, combined, padded, fragment_.pc);
    }
}

void BlockRun::tag_function(const Instruction& i, ValueType type, std::uint32_t same) {
    if (tagged_[i.tag_a] == 0) {
        tag_clear(i.tag_dst);
        return;
    }
    Tag result[kLanes] = {};
    each_active(mask_.bits, [&](unsigned l) {
        const Tag a = tag_at(i.tag_a, l);
        result[l] = a == kNoTag || (same >> l & 1U) != 0
                        ? a
                        : make_node(Operation::function, a, kNoTag, l, value_of(i.dst, l, bytes(type) == 8), type,
                                    i.location, Role::maps);
    });
    Tag* const dst = tag_row(i.tag_dst);
    each_lane(dst, mask_, [&](unsigned l) { return result[l]; });
}

// Selecting one of two compared values gives their minimum or maximum.
Tag BlockRun::tag_selection(const compile::Selection& s, unsigned lane, Tag chosen, std::uint64_t bits) {
    const Tag x = tag_at(s.tag_x, lane), y = tag_at(s.tag_y, lane);
    const bool none = x == kNoTag || y == kNoTag || x == y;
    const bool is_x = !none && recorder_.flow().is_same(chosen, x);
    if (none || (!is_x && !recorder_.flow().is_same(chosen, y))) {
        return none || s.follows == ValueType::none
                   ? chosen
                   : make_node(Operation::none, x, y, lane, bits, s.follows, s.location, Role::maps);
    }
    const bool by_value = s.condition == compile::kNone;
    const bool x_is_greater =
        by_value ? is_less(s.type, value_of(s.y, lane, bytes(s.type) == 8), value_of(s.x, lane, bytes(s.type) == 8))
                 : ((values<std::uint32_t>(rows_ + s.condition)[lane] & 1U) != 0) == s.greater;
    const bool maximum = (s.flags & (compile::kGreatest | compile::kLeast)) != 0 ? (s.flags & compile::kGreatest) != 0
                                                                                 : is_x == x_is_greater;
    const bool combines = (s.flags & compile::kCombines) != 0;
    if (combines) {
        recorder_.combines(warp_->number, 1U << lane, 0, by_value ? s.x : s.condition);
    }
    return make_node(maximum ? Operation::maximum : Operation::minimum, x, y, lane, bits, s.type, s.location,
                     combines ? Role::combines : Role::maps);
}

// Lanes that do not store keep the value already there: that word, too, is then a minimum or maximum.
void BlockRun::keep_choice(const compile::Keep& keep, std::uint32_t mask) {
    if (bare_) {
        return;
    }
    const compile::Access& a = program_.accesses[keep.access];
    Instruction i;
    i.a = keep.a;
    i.b = keep.b;
    alignas(64) std::uint64_t address[kLanes];
    addresses(i, a, address);
    // It is drawn where it stays.
    const auto chosen = [&](unsigned l, Tag& tag, std::uint64_t bits, std::uint16_t number, std::uint64_t element) {
        tag = tag_selection(program_.selections[a.selection], l, tag, bits);
        recorder_.flow().stored(tag, number, static_cast<std::uint32_t>(element));
    };
    each_active(mask, [&](unsigned l) {
        std::int64_t offset = 0;
        std::uint32_t number = 0;
        std::uint64_t bits = 0;
        if (address[l] >= compile::kGlobalBase || compile::is_host_address(address[l])) {
            Allocation* const allocation = memory_.find(address[l], offset, number);
            if (allocation != nullptr && offset >= 0 &&
                static_cast<std::uint64_t>(offset) + a.bytes <= allocation->bytes() &&
                allocation->stored() != nullptr) {
                const std::uint64_t element = static_cast<std::uint64_t>(offset) / allocation->shape().element_bytes;
                std::memcpy(&bits, allocation->data() + offset, a.bytes);
                if (allocation->stored()[element].by(block_)) {
                    chosen(l, allocation->store(element).tag, bits, static_cast<std::uint16_t>(number), element);
                }
            }
        } else if (address[l] >= compile::kSharedBase &&
                   address[l] - compile::kSharedBase + a.bytes <= shared_.bytes()) {
            const auto place = static_cast<std::uint32_t>(address[l] - compile::kSharedBase);
            if (clustered_ && shared_.origin(place) != block_) {
                return;
            }
            std::memcpy(&bits, shared_.at(place), a.bytes);
            chosen(l, shared_.tag(place), bits, record::kSharedAllocation, place / a.bytes);
        }
    });
}

void BlockRun::tag_select(const Instruction& i) {
    const bool any = tagged_[i.tag_a] != 0 || tagged_[i.tag_b] != 0;
    if (!any) {
        tag_clear(i.tag_dst);
        return;
    }
    const std::uint32_t* const condition = values<std::uint32_t>(rows_ + i.c);
    const bool wide = i.op == Opcode::select64;
    Tag result[kLanes] = {};
    each_active(mask_.bits, [&](unsigned l) {
        const Tag chosen = (condition[l] & 1U) != 0 ? tag_at(i.tag_a, l) : tag_at(i.tag_b, l);
        result[l] = i.selection == compile::kNone
                        ? chosen
                        : tag_selection(program_.selections[i.selection], l, chosen, value_of(i.dst, l, wide));
    });
    Tag* const dst = tag_row(i.tag_dst);
    each_lane(dst, mask_, [&](unsigned l) { return result[l]; });
}

// By a ballot: a flag of each lane that takes part, 1 or 0, made of the element that it tells about.
void BlockRun::tag_flags(const Instruction& i) {
    warp_->flag_sums.clear(); // another block's tags have the same numbers
    warp_->flags.fill(kNoTag);
    if (tagged_[i.tag_a] == 0) {
        tagged_[i.tag_dst] = 0;
        return;
    }
    const std::uint32_t* const holds = values<std::uint32_t>(rows_ + i.a);
    Tag* const flags = tag_row(i.tag_dst);
    for (unsigned l = 0; l < kLanes; ++l) {
        const Tag element = (mask_.bits >> l & 1U) != 0 ? tag_at(i.tag_a, l) : kNoTag;
        flags[l] = element == kNoTag ? kNoTag
                                     : make_node(Operation::function, element, kNoTag, l, holds[l] != 0 ? 1 : 0,
                                                 ValueType::i32, i.location, Role::maps);
    }
}

// Each lane's count is the sum of the flags of the lanes in b. A sum of some lanes goes on from that of all but the last of them (or, of
// the upper lanes, but the first), which another lane has: a scan, if each counts those below it.
void BlockRun::count_flags(const Instruction& i) {
    const std::uint32_t *const held = values<std::uint32_t>(rows_ + i.a), *const lanes =
                                                                              values<std::uint32_t>(rows_ + i.b);
    each_lane(values<std::uint32_t>(rows_ + i.dst), mask_,
              [&](unsigned l) { return static_cast<std::uint32_t>(std::popcount(held[l])); });
    if (tagged_[i.tag_a] == 0) {
        tag_clear(i.tag_dst);
        return;
    }
    std::array<Tag, kLanes>& flags = warp_->flags;
    if (!std::equal(flags.begin(), flags.end(), tags_[i.tag_a].lane)) {
        std::copy_n(tags_[i.tag_a].lane, kLanes, flags.begin());
        warp_->flag_sums.clear();
    }
    std::uint32_t flagged = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        flagged |= flags[l] != kNoTag ? 1U << l : 0U;
    }
    recorder_.takes_part(warp_->number, mask_.bits);
    Tag result[kLanes] = {};
    each_active(mask_.bits, [&](unsigned l) {
        const std::uint32_t all = lanes[l] & flagged;
        if (all == 0) {
            result[l] = kNoTag;
            return;
        }
        const bool upper =
            (all | ((1U << lowest(all)) - 1U)) == (flagged | ((1U << lowest(all)) - 1U)) && all != flagged;
        const auto next = [upper](std::uint32_t set) {
            return upper ? lowest(set) : static_cast<unsigned>(std::bit_width(set)) - 1U;
        };
        // From the largest set whose sum is known, or from one lane.
        std::uint32_t set = all;
        std::vector<unsigned> rest;
        auto& sums = warp_->flag_sums;
        const auto known = [&] {
            return std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == set; });
        };
        while ((set & (set - 1U)) != 0 && known() == sums.end()) {
            rest.push_back(next(set));
            set &= ~(1U << rest.back());
        }
        Tag sum = (set & (set - 1U)) == 0 ? flags[lowest(set)] : known()->second;
        for (std::size_t k = rest.size(); k-- > 0;) {
            set |= 1U << rest[k];
            const unsigned at = (mask_.bits >> rest[k] & 1U) != 0 ? rest[k] : l;
            sum =
                make_node(Operation::add, sum, flags[rest[k]], at,
                          static_cast<std::uint64_t>(std::popcount(held[l] & set)), i.type, i.location, Role::combines);
            recorder_.combines(warp_->number, 1U << at, 0, fragment_.pc);
            sums.emplace_back(set, sum);
        }
        result[l] = sum;
    });
    each_lane(tag_row(i.tag_dst), mask_, [&](unsigned l) { return result[l]; });
}

} // namespace warptree::simt
