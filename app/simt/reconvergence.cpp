// Where lanes that diverged meet again, and what happens if some never do.
#include "app/simt/block_run.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace warptree::simt {

using compile::kNone;

Reconvergence* BlockRun::new_reconvergence(Frame* frame, std::uint32_t block, std::uint32_t expected,
                                           Reconvergence* parent) {
    Warp& w = *warp_;
    if (w.spare_reconvergences.empty()) {
        w.spare_reconvergences.push_back(std::make_unique<Reconvergence>());
    }
    w.reconvergences.push_back(std::move(w.spare_reconvergences.back()));
    w.spare_reconvergences.pop_back();
    *w.reconvergences.back() = {frame, block, expected, 0, fragment_.branch, fragment_.around, parent};
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
    if (reconvergence->arrived == reconvergence->expected) {
        fragment_ = resumed(reconvergence);
    } else if (is_passed_alone({reconvergence->frame->function, reconvergence->block})) {
        fragment_ = passed(reconvergence);
    } else {
        fragment_.mask = 0;
    }
    if (fragment_.mask == 0) {
        drop_fragment();
    } else {
        load_fragment();
    }
}

// The lanes that have arrived at a reconvergence point go on without the others.
Fragment BlockRun::passed(Reconvergence* reconvergence) {
    Fragment f;
    f.branch = reconvergence->branch;
    f.around = reconvergence->around;
    f.mask = reconvergence->arrived;
    f.reconvergence = reconvergence->parent;
    reconvergence->expected &= ~f.mask;
    reconvergence->arrived = 0;
    if (reconvergence->block == kNone) { // after the call, whose frame the others still use
        f.frame = reconvergence->frame->caller;
        f.pc = reconvergence->frame->call + 1;
        return f;
    }
    f.frame = reconvergence->frame;
    Reconvergence* const parent = reconvergence->parent;
    if (parent == nullptr || parent->frame != f.frame || parent->block != reconvergence->block) {
        f.pc = f.frame->code->blocks[reconvergence->block].first;
        f.resumes = reconvergence->block;
        return f;
    }
    parent->arrived |= f.mask; // the outer one is at the same block
    if (parent->arrived == parent->expected) {
        return resumed(parent);
    }
    return passed(parent);
}

bool BlockRun::is_passed_alone(const Place& place) const {
    return std::find(passed_alone_.begin(), passed_alone_.end(), place) != passed_alone_.end();
}

// No thread can go on otherwise: since Volta, lanes need not wait for one another to reconverge. In each warp, those
// that wait at the innermost reconvergence point go on, and from now on lanes do not wait there. Returns whether any do.
bool BlockRun::let_waiting_lanes_go() {
    bool any = false;
    for (Warp& w : warps_) {
        const auto waits = [](const auto& m) { return m->arrived != 0 && m->arrived != m->expected; };
        const auto found = std::find_if(w.reconvergences.rbegin(), w.reconvergences.rend(), waits);
        if (found == w.reconvergences.rend()) {
            continue;
        }
        warp_ = &w;
        Reconvergence* const reconvergence = found->get();
        report_lockstep(w, *reconvergence);
        if (const Place place{reconvergence->frame->function, reconvergence->block}; !is_passed_alone(place)) {
            passed_alone_.push_back(place);
        }
        if (const Fragment f = passed(reconvergence); f.mask != 0) {
            w.fragments.push_back(f);
        }
        any = true;
    }
    return any;
}

// Continues from a reconvergence point that all lanes have reached.
Fragment BlockRun::resumed(Reconvergence* reconvergence) {
    Fragment f;
    for (;;) {
        const Reconvergence done = *reconvergence;
        release_reconvergence(reconvergence);
        f.mask = done.expected;
        f.reconvergence = done.parent;
        f.branch = done.branch;
        f.around = done.around;
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
        reconvergence = f.reconvergence; // the outer one is at the same block
        reconvergence->arrived |= f.mask;
        if (reconvergence->arrived != reconvergence->expected) {
            f.mask = 0;
            return f;
        }
    }
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

} // namespace warptree::simt
