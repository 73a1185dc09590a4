// Branches, calls and returns: how fragments continue, diverge and reconverge.
#include "app/simt/block_run.hpp"

#include <algorithm>

namespace warptree::simt {

using compile::kNone;

void BlockRun::set_mask(std::uint32_t mask) {
    fragment_.mask = mask;
    mask_.set(mask);
    lanes_ = record::lanes_of(mask);
}

// Makes fragment_ the running one.
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
        if (m.tag_dst == 0) {
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

// Tells the recorder which step begins or ends at `block`, where the fragment goes on; begins: a loop of which an
// iteration begins.
void BlockRun::enter_block(std::uint32_t block, std::uint32_t begins) {
    Warp& w = *warp_;
    if (w.stage_loop != kNone && w.stage_frame == fragment_.frame &&
        !prepared_.within(fragment_.frame->body->stage_loop[block], w.stage_loop)) {
        recorder_.leave(w.number);
        w.stage_loop = kNone;
    }
    if (begins == kNone || !program_.loops[begins].stage) {
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
    recorder_.turn(w.number, begins, value);
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
    if (edge.keep != kNone) {
        keep_choice(program_.keeps[edge.keep], mask);
    }
    if (edge.block == reconverge_block_) {
        arrive(fragment_.reconvergence, mask);
        return;
    }
    fragment_.pc = fragment_.frame->code->blocks[edge.block].first;
    if (edge.begins != kNone || warp_->stage_loop != kNone) {
        enter_block(edge.block, edge.begins);
    }
}

Reconvergence* BlockRun::new_reconvergence(Frame* frame, std::uint32_t block, std::uint32_t expected,
                                           Reconvergence* parent) {
    Warp& w = *warp_;
    if (w.spare_reconvergences.empty()) {
        w.spare_reconvergences.push_back(std::make_unique<Reconvergence>());
    }
    w.reconvergences.push_back(std::move(w.spare_reconvergences.back()));
    w.spare_reconvergences.pop_back();
    *w.reconvergences.back() = {frame, block, expected, 0, parent};
    return w.reconvergences.back().get();
}

void BlockRun::release_reconvergence(Reconvergence* reconvergence) {
    Warp& w = *warp_;
    const auto found = std::find_if(w.reconvergences.rbegin(), w.reconvergences.rend(),
                                    [&](const auto& m) { return m.get() == reconvergence; });
    w.spare_reconvergences.push_back(std::move(*found));
    w.reconvergences.erase(std::next(found).base());
}

// The fragment's lanes have reached their reconvergence point; it continues once all expected lanes have.
void BlockRun::arrive(Reconvergence* reconvergence, std::uint32_t mask) {
    reconvergence->arrived |= mask;
    if (reconvergence->arrived != reconvergence->expected) {
        drop_fragment();
        return;
    }
    fragment_ = resumed(reconvergence);
    load_fragment();
}

// Continues from a reconvergence point that all lanes have reached.
Fragment BlockRun::resumed(Reconvergence* reconvergence) {
    Fragment f;
    for (;;) {
        const Reconvergence done = *reconvergence;
        release_reconvergence(reconvergence);
        f.mask = done.expected;
        f.reconvergence = done.parent;
        if (done.block == kNone) { // after the call
            f.frame = done.frame->caller;
            f.pc = done.frame->call + 1;
            if (warp_->stage_frame == done.frame) {
                warp_->stage_loop = kNone;
                warp_->stage_frame = nullptr;
                recorder_.leave(warp_->number);
            }
            release_frame(done.frame);
            return f;
        }
        f.frame = done.frame;
        if (f.reconvergence == nullptr || f.reconvergence->frame != f.frame || f.reconvergence->block != done.block) {
            f.pc = f.frame->code->blocks[done.block].first;
            f.resumes = done.block;
            return f;
        }
        reconvergence = f.reconvergence; // it reconverges at the same place
        reconvergence->arrived |= f.mask;
        if (reconvergence->arrived != reconvergence->expected) {
            f.mask = 0;
            return f;
        }
    }
}

// Lanes of a fragment diverge: masks[k] takes edges[k].
void BlockRun::part(const std::uint32_t* edges, const std::uint32_t* masks, unsigned count) {
    const compile::FunctionCode& code = *fragment_.frame->code;
    std::uint32_t reconverge = code.blocks[fragment_.frame->body->block_of[fragment_.pc - 1]].reconverge;
    if (reconverge != kNone && code.code[code.blocks[reconverge].first].op == compile::Opcode::ret) {
        reconverge = kNone; // returning lanes do not wait for the others
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
        if (program_.edges[edges[k]].keep != kNone) {
            keep_choice(program_.keeps[program_.edges[edges[k]].keep], masks[k]);
        }
    }
    unsigned first = count;
    for (unsigned k = count; k-- > 0;) { // the first continues, the others later in order
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
            f.entering = edges[first];
            warp_->fragments.push_back(f);
        }
        first = k;
    }
    if (first == count) { // both edges lead to the same block
        arrive(reconvergence, 0);
        return;
    }
    fragment_.reconvergence = reconvergence;
    fragment_.mask = masks[first];
    fragment_.pc = fragment_.frame->code->blocks[program_.edges[edges[first]].block].first;
    fragment_.entering = edges[first];
    load_fragment();
}

void BlockRun::branch(const Instruction& i, std::uint32_t taken) {
    const std::uint32_t edges[2] = {i.b, i.c};
    const std::uint32_t masks[2] = {taken, mask_.bits & ~taken};
    recorder_.branch(warp_->number, {0, i.location, masks[0], masks[1], 0});
    part(edges, masks, 2);
}

void BlockRun::branch_switch(const Instruction& i) {
    const compile::Switch& s = program_.switches[i.c];
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

// Removes lanes that will not reach the fragment's reconvergence points, up to `stop`.
void BlockRun::withdraw(std::uint32_t lanes, const Reconvergence* stop) {
    Reconvergence* m = fragment_.reconvergence;
    while (m != nullptr && m != stop) {
        Reconvergence* const parent = m->parent;
        m->expected &= ~lanes;
        if (m->expected == 0) {
            if (m->block == kNone) {
                release_frame(m->frame);
            }
            release_reconvergence(m);
        } else if (m->arrived == m->expected) {
            const Fragment f = resumed(m);
            if (f.mask != 0) {
                warp_->fragments.push_back(f);
            }
        }
        m = parent;
    }
    fragment_.reconvergence = m;
}

void BlockRun::end_lanes(std::uint32_t mask) {
    warp_->live &= ~mask;
    withdraw(mask, nullptr);
    drop_fragment();
}

Frame* BlockRun::enter_function(std::uint32_t function, Frame* caller) {
    Warp& w = *warp_;
    const Body& body = prepared_.body(function, recorder_.full());
    const compile::FunctionCode& code = *body.code;
    const auto spare = std::find_if(w.spare_frames.begin(), w.spare_frames.end(),
                                    [&](const auto& f) { return f->function == function; });
    if (spare != w.spare_frames.end()) {
        w.frames.push_back(std::move(*spare));
        w.spare_frames.erase(spare);
    } else {
        auto frame = std::make_unique<Frame>();
        frame->function = function;
        frame->rows.resize(std::max<std::size_t>(code.rows, 1));
        frame->tags.resize(std::max<std::size_t>(code.tag_rows, 1));
        for (const compile::Constant& c : code.constants) {
            if (c.rows == 1) {
                std::fill_n(values<std::uint32_t>(&frame->rows[c.row]), kLanes, static_cast<std::uint32_t>(c.bits));
            } else {
                std::fill_n(values<std::uint64_t>(&frame->rows[c.row]), kLanes, c.bits);
            }
        }
        w.frames.push_back(std::move(frame));
    }
    Frame& frame = *w.frames.back();
    frame.body = &body;
    frame.code = &code;
    frame.tagged.assign(frame.tags.size(), 0);
    frame.caller = caller;
    frame.local = caller == nullptr ? 0 : (caller->local + caller->code->local_bytes + 15U) & ~15U;
    reserve_local(frame.local + code.local_bytes);
    return &frame;
}

void BlockRun::release_frame(Frame* frame) {
    Warp& w = *warp_;
    const auto found =
        std::find_if(w.frames.rbegin(), w.frames.rend(), [&](const auto& f) { return f.get() == frame; });
    w.spare_frames.push_back(std::move(*found));
    w.frames.erase(std::next(found).base());
}

void BlockRun::reserve_local(std::uint32_t bytes) {
    Warp& w = *warp_;
    if (bytes <= w.local_bytes) {
        return;
    }
    const std::uint32_t room = (bytes + 255U) & ~255U;
    std::vector<std::byte> local(std::size_t{room} * kLanes);
    std::vector<record::Tag> tags(std::size_t{room} / 4 * kLanes);
    for (unsigned l = 0; l < kLanes; ++l) {
        std::copy_n(w.local.begin() + l * w.local_bytes, w.local_bytes, local.begin() + std::size_t{l} * room);
        std::copy_n(w.local_tags.begin() + l * (w.local_bytes / 4), w.local_bytes / 4,
                    tags.begin() + std::size_t{l} * (room / 4));
    }
    w.local = std::move(local);
    w.local_tags = std::move(tags);
    w.local_bytes = room;
}

void BlockRun::call(const Instruction& i, std::uint32_t function) {
    constexpr std::size_t kDeepest = 256;
    const compile::Call& c = program_.calls[i.c];
    if (warp_->frames.size() >= kDeepest) {
        Finding f;
        f.kind = FindingKind::trap;
        f.text = "calls nested more than 256 deep";
        find(std::move(f), i, lowest(mask_.bits));
        return;
    }
    Frame* const caller = fragment_.frame;
    Frame* const frame = enter_function(function, caller);
    frame->call = fragment_.pc - 1;
    const std::vector<compile::Value>& parameters = frame->code->parameters;
    for (std::size_t k = 0; k < std::min(parameters.size(), c.arguments.size()); ++k) {
        pass_value(*caller, c.arguments[k], *frame, parameters[k], fragment_.mask);
    }
    fragment_.reconvergence = new_reconvergence(frame, kNone, fragment_.mask, fragment_.reconvergence);
    fragment_.frame = frame;
    fragment_.pc = frame->code->blocks.front().first;
    load_fragment();
}

void BlockRun::pass_value(const Frame& from, const compile::Value& source, Frame& to, const compile::Value& target,
                          std::uint32_t mask) {
    each_active(mask, [&](unsigned l) {
        if (source.rows == 1) {
            values<std::uint32_t>(&to.rows[target.row])[l] = values<std::uint32_t>(&from.rows[source.row])[l];
        } else {
            values<std::uint64_t>(&to.rows[target.row])[l] = values<std::uint64_t>(&from.rows[source.row])[l];
        }
    });
    if (target.tag == 0) {
        return;
    }
    if (to.tagged[target.tag] == 0) {
        to.tags[target.tag] = {};
        to.tagged[target.tag] = 1;
    }
    each_active(mask, [&](unsigned l) {
        to.tags[target.tag].lane[l] =
            source.tag != 0 && from.tagged[source.tag] != 0 ? from.tags[source.tag].lane[l] : record::kNoTag;
    });
}

void BlockRun::call_pointer(const Instruction& i) {
    // Lanes that call different functions diverge: the lowest lane's first, the others by repeating the instruction.
    const std::uint64_t* const address = values<std::uint64_t>(rows_ + i.a);
    const std::uint64_t first = address[lowest(mask_.bits)];
    std::uint32_t same = 0;
    each_active(mask_.bits, [&](unsigned l) { same |= address[l] == first ? 1U << l : 0U; });
    const std::uint64_t function = first - compile::kFunctionBase;
    if (function >= program_.functions.size() ||
        program_.functions[function].parameters.size() != program_.calls[i.c].arguments.size()) {
        Finding f;
        f.kind = FindingKind::trap;
        f.text = "a call through a pointer to no such function";
        find(std::move(f), i, lowest(mask_.bits));
        return;
    }
    if (same != mask_.bits) {
        Fragment others = fragment_;
        others.mask = mask_.bits & ~same;
        --others.pc;
        warp_->fragments.push_back(others);
        set_mask(same);
    }
    call(i, static_cast<std::uint32_t>(function));
}

void BlockRun::return_from() {
    Frame* const frame = fragment_.frame;
    if (frame->caller == nullptr) {
        end_lanes(mask_.bits);
        return;
    }
    Reconvergence* back = fragment_.reconvergence;
    while (back->block != kNone || back->frame != frame) {
        back = back->parent;
    }
    const compile::Call& c = program_.calls[frame->caller->code->code[frame->call].c];
    const std::vector<compile::Value>& results = frame->code->results;
    for (std::size_t k = 0; k < std::min(results.size(), c.results.size()); ++k) {
        pass_value(*frame, results[k], *frame->caller, c.results[k], mask_.bits);
    }
    const std::uint32_t mask = mask_.bits;
    withdraw(mask, back);
    arrive(back, mask);
}

} // namespace warptree::simt
