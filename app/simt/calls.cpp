// Calls and returns: frames, arguments and results.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace warptree::simt {

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
        memory_.budget().take((frame->rows.size() + frame->tags.size()) * sizeof(Row), "the registers of its threads");
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
    memory_.budget().take(std::uint64_t{room - w.local_bytes} * kLanes * 2, "the local memory of its threads");
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
    // Lanes that call different functions diverge: the lowest lane's function first; the others repeat the instruction.
    const std::uint64_t* const address = values<std::uint64_t>(rows_ + i.a);
    const std::uint64_t first = address[lowest(mask_.bits)];
    std::uint32_t same = 0;
    each_active(mask_.bits, [&](unsigned l) { same |= address[l] == first ? 1U << l : 0U; });
    const std::uint64_t function = first - compile::kFunctionBase;
    if (function >= program_.functions.size() ||
        program_.functions[function].parameters.size() != program_.calls[i.c].arguments.size()) {
        Finding f;
        f.kind = FindingKind::trap;
        f.text = "a call through an invalid function pointer";
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
