// Branches: how fragments continue and diverge.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace warptree::simt {

using compile::kNone;

void BlockRun::set_mask(std::uint32_t mask) {
    fragment_.mask = mask;
    mask_.set(mask);
    lanes_ = record::lanes_of(mask);
}

// Starts running fragment_.
void BlockRun::load_fragment() {
    Frame& frame = *fragment_.frame;
    rows_ = frame.rows.data();
    tags_ = frame.tags.data();
    tagged_ = frame.tagged.data();
    code_ = frame.code->code.data();
    const Reconvergence* const m = fragment_.reconvergence;
    reconverge_block_ = m != nullptr && m->frame == &frame ? m->block : kNone;
    set_mask(fragment_.mask);
    running_ = true;
    if (fragment_.entering != kNone) {
        const compile::Edge& edge = program_.edges[fragment_.entering];
        fragment_.entering = kNone;
        enter_block(edge.block, edge.begins);
    } else if (fragment_.resumes != kNone) {
        const std::uint32_t block = fragment_.resumes;
        fragment_.resumes = kNone;
        enter_block(block, kNone);
    }
}

void BlockRun::drop_fragment() {
    running_ = false;
    fragment_.mask = 0;
}

// Performs the copies of an edge, for these lanes.
void BlockRun::make_moves(const compile::Edge& edge, std::uint32_t mask) {
    const compile::Move* const first = program_.moves.data() + edge.first_move;
    LaneMask some;
    const LaneMask* lanes = &mask_;
    if (mask != mask_.bits) {
        some.set(mask);
        lanes = &some;
    }
    const auto copy = [&](const compile::Move& m, const Row* from, Row* to) {
        if (m.rows == 1) {
            const std::uint32_t* const v = values<std::uint32_t>(from);
            each_lane(values<std::uint32_t>(to), *lanes, [&](unsigned l) { return v[l]; });
        } else {
            const std::uint64_t* const v = values<std::uint64_t>(from);
            each_lane(values<std::uint64_t>(to), *lanes, [&](unsigned l) { return v[l]; });
        }
    };
    const auto tag = [&](const compile::Move& m, const Row* from, bool any) {
        if (m.tag_dst == 0 || bare_) {
            return;
        }
        record::Tag* const to = values<std::uint32_t>(tags_ + m.tag_dst);
        if (!any && m.selection == kNone) {
            if (tagged_[m.tag_dst] != 0) {
                each_lane(to, *lanes, [](unsigned) { return 0U; });
            }
            return;
        }
        if (tagged_[m.tag_dst] == 0) {
            std::fill_n(to, kLanes, record::kNoTag);
            tagged_[m.tag_dst] = 1;
        }
        const record::Tag* const v = values<std::uint32_t>(from);
        if (m.selection == kNone) {
            each_lane(to, *lanes, [&](unsigned l) { return v[l]; });
        } else {
            each_active(mask, [&](unsigned l) {
                const record::Tag chosen = any ? v[l] : record::kNoTag;
                to[l] = tag_selection(program_.selections[m.selection], l, chosen,
                                      m.rows == 1 ? rows_[m.src].lane[l] : values<std::uint64_t>(rows_ + m.src)[l]);
            });
        }
    };
    if (!edge.overlapping) {
        for (std::uint32_t k = 0; k < edge.move_count; ++k) {
            tag(first[k], tags_ + first[k].tag_src, tagged_[first[k].tag_src] != 0);
            copy(first[k], rows_ + first[k].src, rows_ + first[k].dst);
        }
        return;
    }
    moved_.resize(std::size_t{edge.move_count} * 3);
    moved_tagged_.resize(edge.move_count);
    for (std::uint32_t k = 0; k < edge.move_count; ++k) {
        moved_[3 * k] = rows_[first[k].src];
        if (first[k].rows == 2) {
            moved_[3 * k + 1] = rows_[first[k].src + 1];
        }
        moved_tagged_[k] = tagged_[first[k].tag_src];
        moved_[3 * k + 2] = tags_[first[k].tag_src];
    }
    for (std::uint32_t k = 0; k < edge.move_count; ++k) {
        tag(first[k], &moved_[3 * k + 2], moved_tagged_[k] != 0);
    }
    for (std::uint32_t k = 0; k < edge.move_count; ++k) {
        copy(first[k], &moved_[3 * k], rows_ + first[k].dst);
    }
}

// Tells the recorder which step begins or ends at `block`, where the fragment continues. begins: the loop of which an
// iteration begins there; kNone: none.
void BlockRun::enter_block(std::uint32_t block, std::uint32_t begins) {
    Warp& w = *warp_;
    if (bare_) {
        return;
    }
    if (w.stage_loop != kNone && w.stage_frame == fragment_.frame &&
        !prepared_.within(fragment_.frame->body->stage_loop[block], w.stage_loop)) {
        recorder_.leave(w.number);
        w.stage_loop = kNone;
    }
    if (begins == kNone || !program_.loops[begins].stage || w.apart) {
        return;
    }
    const compile::Loop& loop = program_.loops[begins];
    std::int64_t value = 0;
    if (prepared_.is_one_step(begins)) {
        if (w.stage_loop == begins && w.stage_frame == fragment_.frame) {
            return;
        }
    } else if (loop.row != kNone && loop.variable != kNone) {
        value = signed_value(program_.variables[loop.variable].type, loop.row, lowest(fragment_.mask));
    } else {
        w.turns = w.stage_loop == begins && w.stage_frame == fragment_.frame ? w.turns + 1 : 0;
        value = w.turns;
    }
    w.stage_loop = begins;
    w.stage_frame = fragment_.frame;
    recorder_.turn(w.number, begins, value, outer_value(loop.parent));
}

// Of a loop's variable, where all lanes have the same.
record::OuterValue BlockRun::outer_value(std::uint32_t loop) const {
    if (loop == kNone || program_.loops[loop].row == kNone || program_.loops[loop].variable == kNone) {
        return {};
    }
    const compile::Loop& it = program_.loops[loop];
    const ValueType type = program_.variables[it.variable].type;
    record::OuterValue outer{record::OuterValue::Known::yes, signed_value(type, it.row, lowest(fragment_.mask))};
    for (std::uint32_t rest = fragment_.mask; rest != 0; rest &= rest - 1) {
        if (signed_value(type, it.row, static_cast<unsigned>(std::countr_zero(rest))) != outer.value) {
            return {record::OuterValue::Known::differs, 0};
        }
    }
    return outer;
}

std::int64_t BlockRun::signed_value(ValueType type, std::uint32_t row, unsigned lane) const {
    const std::uint64_t bits =
        bytes(type) == 8 ? values<std::uint64_t>(rows_ + row)[lane] : values<std::uint32_t>(rows_ + row)[lane];
    switch (type) {
    case ValueType::i8: return static_cast<std::int8_t>(bits);
    case ValueType::i16: return static_cast<std::int16_t>(bits);
    case ValueType::i32: return static_cast<std::int32_t>(bits);
    default: return static_cast<std::int64_t>(bits);
    }
}

void BlockRun::begin_statement() {
    const std::vector<compile::Statement>& list = fragment_.frame->code->statements;
    const std::uint32_t pc = fragment_.pc - 1;
    const auto found = std::lower_bound(
        list.begin(), list.end(), pc, [](const compile::Statement& s, std::uint32_t at) { return s.instruction < at; });
    if (found != list.end() && found->instruction == pc && warp_->stage_loop == kNone) {
        const std::uint32_t number =
            fragment_.frame->body->first_statement + static_cast<std::uint32_t>(found - list.begin());
        recorder_.statement(warp_->number, number, program_.locations[found->location].line);
    }
}

// All lanes of the fragment take one edge.
void BlockRun::go(std::uint32_t edge_number, std::uint32_t mask) {
    const compile::Edge& edge = program_.edges[edge_number];
    if (edge.move_count != 0) {
        make_moves(edge, mask);
    }
    for (std::uint32_t k = edge.keep; k != kNone; k = program_.keeps[k].next) {
        keep_choice(program_.keeps[k], mask);
    }
    if (edge.block == reconverge_block_) {
        arrive(fragment_.reconvergence, mask);
        return;
    }
    fragment_.pc = fragment_.frame->code->blocks[edge.block].first;
    if ((edge.begins != kNone || warp_->stage_loop != kNone) && !bare_) {
        enter_block(edge.block, edge.begins);
    }
}

// Lanes of a fragment diverge: those in masks[k] take edges[k].
void BlockRun::part(const std::uint32_t* edges, const std::uint32_t* masks, unsigned count) {
    const compile::FunctionCode& code = *fragment_.frame->code;
    std::uint32_t reconverge = code.blocks[fragment_.frame->body->block_of[fragment_.pc - 1]].reconverge;
    if (reconverge != kNone && code.code[code.blocks[reconverge].first].op == compile::Opcode::ret) {
        reconverge = kNone; // returning lanes do not wait for the others
    }
    const bool alone = reconverge != kNone && is_passed_alone({fragment_.frame->function, reconverge});
    if (alone && reconverge != reconverge_block_) {
        reconverge = kNone;
    }
    Reconvergence* reconvergence = fragment_.reconvergence;
    if (reconverge != kNone && reconverge != reconverge_block_) {
        reconvergence = new_reconvergence(fragment_.frame, reconverge, fragment_.mask, fragment_.reconvergence);
    }
    const std::uint32_t reconverge_block = reconverge != kNone ? reconverge : reconverge_block_;
    for (unsigned k = 0; k < count; ++k) {
        if (program_.edges[edges[k]].move_count != 0) {
            make_moves(program_.edges[edges[k]], masks[k]);
        }
        for (std::uint32_t at = program_.edges[edges[k]].keep; at != kNone; at = program_.keeps[at].next) {
            keep_choice(program_.keeps[at], masks[k]);
        }
    }
    unsigned first = count;
    for (unsigned k = count; k-- > 0;) { // the first edge continues now, the others later, in order
        const compile::Edge& edge = program_.edges[edges[k]];
        if (edge.block == reconverge_block) {
            reconvergence->arrived |= masks[k];
            continue;
        }
        if (first != count) {
            const compile::Edge& later = program_.edges[edges[first]];
            Fragment f;
            f.frame = fragment_.frame;
            f.reconvergence = reconvergence;
            f.pc = f.frame->code->blocks[later.block].first;
            f.mask = masks[first];
            f.branch = fragment_.branch;
            f.around = fragment_.around;
            f.way = fragment_.around == fragment_.branch ? edges[first] : fragment_.way;
            f.entering = edges[first];
            warp_->fragments.push_back(f);
        }
        first = k;
    }
    if (alone && first != count && reconverge != kNone && reconvergence->arrived != 0) {
        if (const Fragment f = passed(reconvergence); f.mask != 0) {
            warp_->fragments.push_back(f);
        }
    }
    if (first == count) { // all edges lead to the reconvergence block
        arrive(reconvergence, 0);
        return;
    }
    fragment_.reconvergence = reconvergence;
    fragment_.mask = masks[first];
    fragment_.pc = fragment_.frame->code->blocks[program_.edges[edges[first]].block].first;
    fragment_.entering = edges[first];
    fragment_.way = fragment_.around == fragment_.branch ? edges[first] : fragment_.way;
    load_fragment();
}

void BlockRun::note_branch(std::uint32_t location) {
    fragment_.branch = location;
    if (prepared_.around_barrier(location)) {
        const compile::Location &now = program_.locations[location], &before = program_.locations[fragment_.around];
        if (std::tie(now.line, now.column) >= std::tie(before.line, before.column)) {
            fragment_.around = location;
        }
    }
}

void BlockRun::branch(const Instruction& i, std::uint32_t taken) {
    const std::uint32_t edges[2] = {i.b, i.c};
    const std::uint32_t masks[2] = {taken, mask_.bits & ~taken};
    recorder_.branch(warp_->number, {0, i.location, masks[0], masks[1], 0});
    part(edges, masks, 2);
}

void BlockRun::branch_switch(const Instruction& i) {
    const compile::Switch& s = program_.switches[i.c];
    note_branch(i.location);
    std::uint32_t edges[kLanes], masks[kLanes];
    unsigned count = 0;
    each_active(mask_.bits, [&](unsigned l) {
        const std::uint64_t value =
            s.wide ? values<std::uint64_t>(rows_ + i.a)[l] : values<std::uint32_t>(rows_ + i.a)[l];
        const auto found = std::find(s.values.begin(), s.values.end(), value);
        const std::uint32_t edge = s.edges[static_cast<std::size_t>(found - s.values.begin())];
        unsigned k = 0;
        while (k < count && edges[k] != edge) {
            ++k;
        }
        if (k == count) {
            edges[count] = edge;
            masks[count++] = 0;
        }
        masks[k] |= 1U << l;
    });
    if (count == 1) {
        go(edges[0], mask_.bits);
        return;
    }
    recorder_.branch(warp_->number, {0, i.location, masks[0], mask_.bits & ~masks[0], 0});
    part(edges, masks, count);
}

void BlockRun::end_lanes(std::uint32_t mask) {
    warp_->live &= ~mask;
    each_active(mask, [&](unsigned l) {
        warp_->left[l] = fragment_.branch;
        warp_->around[l] = fragment_.around;
        warp_->way[l] = fragment_.way;
    });
    withdraw(mask, nullptr);
    drop_fragment();
}

} // namespace warptree::simt
