// Exchanges between the lanes of a warp through registers (shuffles, votes, reductions), and special registers.
#include "app/simt/block_run.hpp"

#include <algorithm>

namespace warptree::simt {

using compile::kNone;
using record::kNoTag;
using record::Tag;

// Every participating lane must be in its mask, and every lane of the mask must participate.
void BlockRun::check_mask(const Instruction& i, std::uint32_t mask_row) {
    show_stores();
    const std::uint32_t* const masks = values<std::uint32_t>(rows_ + mask_row);
    std::uint32_t any = 0, unnamed = 0;
    if (mask_.bits == kAllLanes) { // the usual case: all lanes
        std::uint32_t all = kAllLanes;
        for (unsigned l = 0; l < kLanes; ++l) {
            all &= masks[l];
        }
        if (all == kAllLanes) {
            return;
        }
    }
    each_active(mask_.bits, [&](unsigned l) {
        any |= masks[l];
        unnamed |= (masks[l] >> l & 1U) == 0 ? 1U << l : 0U;
    });
    const std::uint32_t elsewhere = any & warp_->live & ~mask_.bits;
    const bool barrier = i.op == compile::Opcode::sync_warp; // which waits for lanes that are elsewhere
    if (unnamed == 0 && (elsewhere == 0 || barrier)) {
        return;
    }
    Finding f;
    f.kind = FindingKind::bad_mask;
    f.mask = unnamed != 0 ? unnamed : elsewhere;
    f.text = unnamed != 0 ? "lanes that are not in its mask execute it" : "its mask names lanes that do not execute it";
    find(std::move(f), i, lowest(unnamed != 0 ? unnamed : mask_.bits));
}

void BlockRun::shuffle(const Instruction& i) {
    clocks_.shuffle(warp_->number);
    const compile::Exchange& x = program_.exchanges[i.c];
    check_mask(i, x.mask);
    const auto mode = static_cast<compile::ShuffleMode>(x.mode);
    const std::uint32_t* const lane = values<std::uint32_t>(rows_ + x.lane);
    const std::uint32_t* const width = x.width == kNone ? nullptr : values<std::uint32_t>(rows_ + x.width);
    std::uint8_t source[kLanes];
    std::uint32_t in_range = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned w = width == nullptr ? kLanes : std::clamp(width[l], 1U, kLanes);
        const unsigned first = l & ~(w - 1), by = lane[l] & (kLanes - 1);
        unsigned from = l;
        bool within = true;
        switch (mode) {
        case compile::ShuffleMode::down:
            from = l + by;
            within = from < first + w;
            break;
        case compile::ShuffleMode::up:
            within = l >= first + by;
            from = l - by;
            break;
        case compile::ShuffleMode::exchange_xor:
            from = l ^ by;
            within = from < first + w; // a lane may read from segments below its own, not above
            break;
        case compile::ShuffleMode::index: from = first + (lane[l] & (w - 1)); break;
        }
        source[l] = static_cast<std::uint8_t>(within ? from : l);
        in_range |= within ? 1U << l : 0U;
    }
    each_active(mask_.bits == kAllLanes ? 0 : mask_.bits, [&](unsigned l) {
        if ((mask_.bits >> source[l] & 1U) == 0) {
            Finding f;
            f.kind = FindingKind::inactive_lane;
            f.other_thread = thread(source[l]);
            f.mask = 1U << source[l];
            find(std::move(f), i, l);
        }
    });
    const std::uint32_t by = lane[lowest(mask_.bits)];
    const unsigned segment = width == nullptr ? kLanes : std::clamp(width[lowest(mask_.bits)], 1U, kLanes);
    if ((mode == compile::ShuffleMode::down || mode == compile::ShuffleMode::up) && by >= segment && segment > 1 &&
        (in_range & mask_.bits & ~(by % kLanes == 0 ? kAllLanes : 0U)) == 0) {
        Finding f;
        f.kind = FindingKind::shuffle_reach;
        f.severity = Severity::risk;
        f.mask = mask_.bits;
        f.index = by;
        f.elements = segment;
        f.text = mode == compile::ShuffleMode::down ? "further" : "back";
        find(std::move(f), i, lowest(mask_.bits));
    }
    record::ShuffleEvent event;
    event.mask = mask_.bits;
    event.location = i.location;
    event.kind = static_cast<ShuffleKind>(x.mode);
    event.width = static_cast<std::uint8_t>(segment);
    event.delta = static_cast<std::uint16_t>(by & 0xFFFF);
    recorder_.shuffle(warp_->number, event, source);
    if (x.bytes == 8) {
        std::uint64_t value[kLanes];
        std::copy_n(values<std::uint64_t>(rows_ + i.a), kLanes, value);
        each_lane(values<std::uint64_t>(rows_ + i.dst), mask_, [&](unsigned l) { return value[source[l]]; });
    } else {
        std::uint32_t value[kLanes];
        std::copy_n(values<std::uint32_t>(rows_ + i.a), kLanes, value);
        each_lane(values<std::uint32_t>(rows_ + i.dst), mask_, [&](unsigned l) { return value[source[l]]; });
    }
    if (x.in_range != kNone) {
        each_lane(values<std::uint32_t>(rows_ + x.in_range), mask_, [&](unsigned l) { return in_range >> l & 1U; });
    }
    if (follows() || logs()) {
        take_exchanged(i, compile::LogKind::exchange, x.bytes == 8, x.type);
    }
    if (i.tag_dst == 0) {
        return;
    }
    if (tagged_[i.tag_a] == 0) {
        tag_clear(i.tag_dst);
        return;
    }
    Tag tags[kLanes];
    std::copy_n(tags_[i.tag_a].lane, kLanes, tags);
    each_lane(tag_row(i.tag_dst), mask_, [&](unsigned l) { return tags[source[l]]; });
}

void BlockRun::vote(const Instruction& i) {
    const compile::Exchange& x = program_.exchanges[i.c];
    check_mask(i, x.mask);
    const std::uint32_t* const predicate = values<std::uint32_t>(rows_ + i.a);
    const std::uint32_t* const masks = values<std::uint32_t>(rows_ + x.mask);
    std::uint32_t holds = 0;
    each_active(mask_.bits, [&](unsigned l) { holds |= predicate[l] != 0 ? 1U << l : 0U; });
    const auto mode = static_cast<compile::VoteMode>(x.mode);
    each_lane(values<std::uint32_t>(rows_ + i.dst), mask_, [&](unsigned l) {
        const std::uint32_t here = masks[l] & mask_.bits, yes = holds & here;
        switch (mode) {
        case compile::VoteMode::any: return yes != 0 ? 1U : 0U;
        case compile::VoteMode::all: return yes == here ? 1U : 0U;
        case compile::VoteMode::uniform: return yes == here || yes == 0 ? 1U : 0U;
        case compile::VoteMode::ballot: break;
        }
        return yes;
    });
    recorder_.vote(warp_->number, {0, mask_.bits, i.location, holds, static_cast<VoteKind>(x.mode), 0});
    if (follows() || logs()) {
        take_exchanged(i, compile::LogKind::exchange, false, ValueType::u32);
    }
    if (i.tag_dst != 0) {
        tag_flags(i);
    }
}

void BlockRun::match(const Instruction& i) {
    const compile::Exchange& x = program_.exchanges[i.c];
    check_mask(i, x.mask);
    const bool wide = x.bytes == 8, all = static_cast<compile::MatchMode>(x.mode) == compile::MatchMode::all;
    const std::uint32_t* const masks = values<std::uint32_t>(rows_ + x.mask);
    std::uint32_t result[kLanes] = {}, holds = 0;
    each_active(mask_.bits, [&](unsigned l) {
        std::uint32_t same = 0;
        each_active(masks[l] & mask_.bits, [&](unsigned other) {
            same |= value_of(i.a, other, wide) == value_of(i.a, l, wide) ? 1U << other : 0U;
        });
        const bool whole = same == (masks[l] & mask_.bits);
        result[l] = all ? (whole ? masks[l] : 0U) : same;
        holds |= all && whole ? 1U << l : 0U;
    });
    each_lane(values<std::uint32_t>(rows_ + i.dst), mask_, [&](unsigned l) { return result[l]; });
    if (x.in_range != kNone) {
        each_lane(values<std::uint32_t>(rows_ + x.in_range), mask_, [&](unsigned l) { return holds >> l & 1U; });
    }
    recorder_.vote(warp_->number,
                   {0, mask_.bits, i.location, holds, all ? VoteKind::match_all : VoteKind::match_any, 0});
    if (follows() || logs()) {
        take_exchanged(i, compile::LogKind::exchange, false, ValueType::u32);
    }
}

// Lanes of one mask are combined as by __shfl_down_sync, each time the lower half with the upper: NVIDIA does not
// document how the hardware combines them.
void BlockRun::reduce_warp(const Instruction& i) {
    using compile::WarpOperation;
    clocks_.shuffle(warp_->number);
    const compile::Exchange& x = program_.exchanges[i.c];
    check_mask(i, x.mask);
    const auto operation = static_cast<WarpOperation>(x.mode);
    const std::uint32_t* const value = values<std::uint32_t>(rows_ + i.a);
    const std::uint32_t* const masks = values<std::uint32_t>(rows_ + x.mask);
    const auto apply = [operation](std::uint32_t a, std::uint32_t b) {
        const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
        switch (operation) {
        case WarpOperation::add: return a + b;
        case WarpOperation::min: return sa < sb ? a : b;
        case WarpOperation::max: return sa > sb ? a : b;
        case WarpOperation::umin: return std::min(a, b);
        case WarpOperation::umax: return std::max(a, b);
        case WarpOperation::and_: return a & b;
        case WarpOperation::or_: return a | b;
        case WarpOperation::xor_: break;
        }
        return a ^ b;
    };
    constexpr Operation kOperations[] = {Operation::add,     Operation::minimum, Operation::maximum, Operation::minimum,
                                         Operation::maximum, Operation::and_,    Operation::or_,     Operation::xor_};
    const auto leaves_as_is = [operation](std::uint32_t value) { // is the identity
        switch (operation) {
        case WarpOperation::min: return value == 0x7FFFFFFFU;
        case WarpOperation::max: return value == 0x80000000U;
        case WarpOperation::umin:
        case WarpOperation::and_: return value == 0xFFFFFFFFU;
        default: return value == 0;
        }
    };
    std::uint8_t source[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) {
        source[l] = static_cast<std::uint8_t>(l);
    }
    record::ShuffleEvent event;
    event.mask = mask_.bits;
    event.location = i.location;
    event.kind = ShuffleKind::reduce;
    recorder_.shuffle(warp_->number, event, source);
    std::uint32_t result[kLanes] = {};
    Tag tags[kLanes] = {};
    for (std::uint32_t rest = mask_.bits; rest != 0;) {
        const std::uint32_t together = masks[lowest(rest)] & mask_.bits & rest;
        if (together == 0) {
            break; // reported by check_mask
        }
        struct Part {
            std::uint32_t value;
            Tag tag;
            unsigned lane;
        };
        std::vector<Part> parts;
        each_active(together, [&](unsigned l) { parts.push_back({value[l], tag_at(i.tag_a, l), l}); });
        std::uint32_t combining = 0;
        while (parts.size() > 1) {
            const std::size_t half = (parts.size() + 1) / 2;
            for (std::size_t k = 0; k + half < parts.size(); ++k) {
                Part &a = parts[k], &b = parts[k + half];
                const std::uint32_t value = apply(a.value, b.value);
                if (i.tag_dst != 0 && (a.tag != kNoTag || leaves_as_is(a.value)) &&
                    (b.tag != kNoTag || leaves_as_is(b.value))) {
                    for (Part* part : {&a, &b}) {
                        part->tag = part->tag != kNoTag
                                        ? part->tag
                                        : make_identity(part->lane, compile::kNone, part->value, x.type, i.location);
                    }
                    const bool pads = recorder_.flow().is_padding(a.tag) || recorder_.flow().is_padding(b.tag);
                    a.tag = make_node(kOperations[x.mode], a.tag, b.tag, a.lane, value, x.type, i.location,
                                      pads ? record::Role::pads : record::Role::combines);
                    combining |= 1U << a.lane;
                    recorder_.combines(warp_->number, 1U << a.lane, pads ? 1U << a.lane : 0, fragment_.pc);
                } else {
                    a.tag = a.tag != kNoTag ? a.tag : b.tag;
                }
                a.value = value;
            }
            parts.resize(half);
        }
        recorder_.takes_part(warp_->number, combining != 0 ? together : 0);
        each_active(together, [&](unsigned l) {
            result[l] = parts.front().value;
            tags[l] = parts.front().tag;
        });
        rest &= ~together;
    }
    each_lane(values<std::uint32_t>(rows_ + i.dst), mask_, [&](unsigned l) { return result[l]; });
    if (follows() || logs()) {
        take_exchanged(i, compile::LogKind::exchange, false, x.type);
    }
    if (i.tag_dst != 0) {
        each_lane(tag_row(i.tag_dst), mask_, [&](unsigned l) { return tags[l]; });
    }
}

void BlockRun::special(const Instruction& i) {
    using compile::Special;
    const auto what = static_cast<Special>(i.c);
    const std::uint32_t first = warp_->number * kLanes;
    const auto set = [&](auto&& f) { each_lane(values<std::uint32_t>(rows_ + i.dst), mask_, f); };
    const auto set_wide = [&](std::uint64_t value) {
        each_lane(values<std::uint64_t>(rows_ + i.dst), mask_, [&](unsigned) { return value; });
    };
    constexpr std::uint32_t kMultiprocessors = 132; // of an H200
    switch (what) {
    case Special::thread_x:
    case Special::thread_y:
    case Special::thread_z: {
        const std::uint32_t* const index = threads_[i.c - static_cast<unsigned>(Special::thread_x)].data() + first;
        set([&](unsigned l) { return index[l]; });
        break;
    }
    case Special::block_x:
    case Special::block_y:
    case Special::block_z: set([&](unsigned) { return index_[i.c - static_cast<unsigned>(Special::block_x)]; }); break;
    case Special::block_size_x:
    case Special::block_size_y:
    case Special::block_size_z:
        set([&](unsigned) { return setup_.block[i.c - static_cast<unsigned>(Special::block_size_x)]; });
        break;
    case Special::grid_size_x:
    case Special::grid_size_y:
    case Special::grid_size_z:
        set([&](unsigned) { return setup_.grid[i.c - static_cast<unsigned>(Special::grid_size_x)]; });
        break;
    case Special::lane: set([](unsigned l) { return l; }); break;
    case Special::warp: set([&](unsigned) { return warp_->number; }); break;
    case Special::warps: set([&](unsigned) { return static_cast<std::uint32_t>(warps_.size()); }); break;
    case Special::lanes_below: set([](unsigned l) { return (1U << l) - 1; }); break;
    case Special::lanes_up_to: set([](unsigned l) { return (1U << l) | ((1U << l) - 1); }); break;
    case Special::lanes_from: set([](unsigned l) { return ~((1U << l) - 1); }); break;
    case Special::lanes_above: set([](unsigned l) { return ~((1U << l) | ((1U << l) - 1)); }); break;
    case Special::lane_bit: set([](unsigned l) { return 1U << l; }); break;
    case Special::multiprocessor: set([&](unsigned) { return block_ % kMultiprocessors; }); break;
    case Special::multiprocessors: set([](unsigned) { return kMultiprocessors; }); break;
    case Special::clock: set([&](unsigned) { return static_cast<std::uint32_t>(instructions_); }); break;
    case Special::clock64:
    case Special::timer: set_wide(instructions_); break;
    case Special::dynamic_shared_bytes: set([&](unsigned) { return setup_.dynamic_shared; }); break;
    case Special::cluster_block_x:
    case Special::cluster_block_y:
    case Special::cluster_block_z:
    case Special::cluster_x:
    case Special::cluster_y:
    case Special::cluster_z: {
        const unsigned first =
            static_cast<unsigned>(what < Special::cluster_x ? Special::cluster_block_x : Special::cluster_x);
        const std::uint32_t at = index_[i.c - first], size = setup_.cluster_shape()[i.c - first];
        set([&](unsigned) { return what < Special::cluster_x ? at % size : at / size; });
        break;
    }
    case Special::cluster_size_x:
    case Special::cluster_size_y:
    case Special::cluster_size_z:
        set([&](unsigned) { return setup_.cluster_shape()[i.c - static_cast<unsigned>(Special::cluster_size_x)]; });
        break;
    case Special::clusters_x:
    case Special::clusters_y:
    case Special::clusters_z: {
        const unsigned k = i.c - static_cast<unsigned>(Special::clusters_x);
        set([&](unsigned) { return setup_.grid[k] / setup_.cluster_shape()[k]; });
        break;
    }
    case Special::cluster_rank: set([&](unsigned) { return rank_in_cluster(setup_, block_); }); break;
    case Special::cluster_blocks:
        set([&](unsigned) { return static_cast<std::uint32_t>(volume(setup_.cluster_shape())); });
        break;
    case Special::count: break;
    }
    if ((follows() || logs()) && (what == Special::clock || what == Special::clock64 || what == Special::timer ||
                                  what == Special::multiprocessor)) {
        take_exchanged(i, compile::LogKind::timer, what == Special::clock64 || what == Special::timer, ValueType::u64);
    }
}

} // namespace warptree::simt
