// Clusters: their barrier, and what other blocks do to a block's shared memory.
#include "app/simt/cluster.hpp"

#include "app/simt/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::simt {

using record::Tag;

BlockRun* Cluster::of_number(std::uint32_t block) const {
    const auto at = std::ranges::find_if(blocks_, [&](const BlockRun* run) { return run->block() == block; });
    return at == blocks_.end() ? nullptr : *at;
}

bool Cluster::finished() const {
    return std::ranges::all_of(blocks_, [](const BlockRun* run) { return run->finished(); });
}

bool Cluster::complete_barrier() {
    if (!std::ranges::all_of(blocks_, [](const BlockRun* run) { return run->arrived_at_cluster_barrier(); }) ||
        std::ranges::all_of(blocks_, [](const BlockRun* run) { return run->finished(); })) {
        return false;
    }
    std::vector<Fences*> fences;
    for (BlockRun* run : blocks_) {
        run->pass_cluster_barrier(completed_);
        fences.push_back(&run->fences());
    }
    Fences::meet(fences);
    ++completed_;
    for (BlockRun* run : blocks_) {
        run->leave_cluster_barrier();
    }
    return true;
}

// A thread may still be between the two halves of the latest barrier, but has waited at the one before.
bool Cluster::settled(const Note& before) const {
    const BlockRun* const run = completed_ < 2 ? nullptr : of_number(before.block);
    return run != nullptr && before.time < (*run->cluster_side().arrivals[completed_ % 2])[before.thread];
}

void BlockRun::join_cluster(std::shared_ptr<Cluster> cluster, std::uint32_t rank) {
    cluster_ = std::move(cluster);
    cluster_rank_ = rank;
    side_ = {};
    visits_.clear();
}

void BlockRun::misuses_cluster_barrier(const Instruction& i, std::uint32_t mask, const char* why) {
    Finding f;
    f.kind = FindingKind::trap;
    f.mask = mask;
    f.text = why;
    find(std::move(f), i, lowest(mask));
    stop();
}

void BlockRun::cluster_barrier(const Instruction& i) {
    if (attempt_ != nullptr) {
        return doubt();
    }
    if (side_.waits.empty()) {
        side_.arriving.assign(setup_.threads(), 0);
        side_.waits = side_.waited_at = side_.arriving;
    }
    Warp& w = *warp_;
    const std::uint32_t arrived = w.cluster_arrived | w.cluster_passed;
    if (i.c == 0) {
        if (const std::uint32_t again = mask_.bits & arrived; again != 0) {
            return misuses_cluster_barrier(i, again, "it arrives at the cluster's barrier twice without waiting there");
        }
        show_stores();
        const std::uint32_t time = clocks_.tick();
        each_active(mask_.bits, [&](unsigned l) { side_.arriving[thread(l)] = time; });
        w.cluster_arrived |= mask_.bits;
        ++progress_;
        return;
    }
    if (const std::uint32_t missing = mask_.bits & ~arrived; missing != 0) {
        return misuses_cluster_barrier(i, missing, "it waits at the cluster's barrier, where it has not arrived");
    }
    if ((mask_.bits & w.cluster_passed) == mask_.bits) {
        pass_cluster_wait(w, mask_.bits);
    } else {
        wait(State::at_cluster_barrier);
    }
}

bool BlockRun::arrived_at_cluster_barrier() const {
    return std::ranges::all_of(warps_, [](const Warp& w) { return (w.live & ~w.cluster_arrived) == 0; });
}

// What exited threads have done, all of it, is known as well.
void BlockRun::pass_cluster_barrier(std::uint32_t number) {
    auto times = std::make_shared<std::vector<std::uint32_t>>(setup_.threads(), ~0U);
    for (Warp& w : warps_) {
        each_active(w.live, [&](unsigned l) {
            const std::uint32_t t = w.number * kLanes + l;
            (*times)[t] = side_.arriving[t];
        });
        w.cluster_passed = w.live;
        w.cluster_arrived = 0;
    }
    side_.arrivals[number % 2] = std::move(times);
    fences_.join();
    ++progress_;
}

// Those that wait go on.
void BlockRun::leave_cluster_barrier() {
    std::vector<std::uint32_t> waiting(warps_.size());
    std::uint32_t location = 0, threads = 0;
    for (Warp& w : warps_) {
        for (Fragment& f : w.fragments) {
            if (f.state != State::at_cluster_barrier) {
                continue;
            }
            const Instruction& here = f.frame->code->code[f.pc];
            report_ended_before(here, {});
            report_ended_mates(here, w, lowest(f.mask));
            location = here.location;
            waiting[w.number] |= f.mask;
            threads += record::lanes_of(f.mask);
            pass_cluster_wait(w, f.mask);
            f.state = State::ready;
            ++f.pc;
        }
    }
    if (threads != 0 && !bare_) {
        recorder_.barrier(waiting, {location, 0, threads, 0, 0});
    }
    turns_.clear();
}

// The barrier completes although blocks of the cluster have ended.
void BlockRun::report_ended_mates(const Instruction& barrier, Warp& w, unsigned lane) {
    warp_ = &w;
    for (const BlockRun* mate : cluster_->blocks()) {
        if (mate->finished_) {
            Finding f;
            f.kind = FindingKind::barrier_divergence;
            f.severity = Severity::risk;
            f.other_thread = 0;
            f.other_block = mate->block_;
            f.other_line = line_at(program_, mate->warps_.front().left[0]);
            f.text = fmt::format("the {} threads of block {}", setup_.threads(), mate->block_);
            find(std::move(f), barrier, lane);
        }
    }
}

// These lanes now know what all threads of the cluster did before they arrived.
void BlockRun::pass_cluster_wait(Warp& w, std::uint32_t mask) {
    const std::vector<std::uint32_t>& times = *side_.arrivals[(cluster_->completed() + 1) % 2];
    w.cluster_passed &= ~mask;
    for (const Warp& other : warps_) {
        std::uint32_t time = 0;
        each_active(other.existing, [&](unsigned l) {
            time = std::max(time, std::min(times[other.number * kLanes + l], clocks_.now() + 1));
        });
        if (other.number != w.number) {
            clocks_.learn(w.number, other.number, time);
        }
    }
    clocks_.sync_warp(w.number, mask, w.existing);
    fences_.sync_warp(w.number, mask);
    each_active(mask, [&](unsigned l) {
        side_.waits[w.number * kLanes + l] = cluster_->completed();
        side_.waited_at[w.number * kLanes + l] = clocks_.now();
    });
}

// Whether a barrier of the cluster orders what is noted before what the thread does now.
bool BlockRun::ordered_by_cluster(const Note& before, std::uint32_t thread) const {
    const std::uint32_t waits = side_.waits.empty() ? 0 : side_.waits[thread];
    const BlockRun* const run = waits == 0 ? nullptr : cluster_->of_number(before.block);
    return run != nullptr && before.time < (*run->side_.arrivals[(waits - 1) % 2])[before.thread];
}

// Of the blocks of the cluster, what the thread's latest fence releases because it had met them at a barrier.
std::vector<Release::Mate> BlockRun::mates(std::uint32_t thread) const {
    std::vector<Release::Mate> out;
    const std::uint32_t waits = !clustered_ || side_.waits.empty() ? 0 : side_.waits[thread];
    if (waits != 0 && fences_.fenced_since(thread, side_.waited_at[thread])) {
        for (const BlockRun* run : cluster_->blocks()) {
            out.push_back({run->block_, run->side_.arrivals[(waits - 1) % 2]});
        }
    }
    return out;
}

std::string BlockRun::array_of(const BlockRun& owner, std::uint32_t offset, std::int64_t& index,
                               std::uint64_t& elements) const {
    std::string name = array_at(offset, index, elements);
    return &owner == this ? name : fmt::format("block {}'s {}", owner.block_, name);
}

// The lane accesses another block's shared memory, which is there only while that block runs: it must have started, and
// must not have ended. Only a barrier, or a flag, tells.
void BlockRun::visit(const Instruction& i, BlockRun& owner, unsigned lane, std::uint64_t offset, bool writes) {
    const Visit now{block_, thread(lane), clocks_.now(), i.location, recorder_.segment(warp_->number), offset, writes};
    const auto before = std::ranges::find_if(
        owner.visits_, [&](const Visit& v) { return v.block == block_ && v.location == i.location; });
    const bool first = before == owner.visits_.end();
    const bool waited = !side_.waits.empty() && side_.waits[now.thread] != 0;
    if (!waited && !fences_.has_acquired(now.thread)) {
        report_visit(owner, now, "started", first);
    } else if (owner.finished_) {
        report_visit(owner, now, "ended", first);
    }
    if (first) {
        owner.visits_.push_back(now);
    } else if (before->time < now.time) {
        *before = now;
    }
}

// At the end of the block: those that are not known to be over by then.
void BlockRun::check_visits() {
    if (visits_.empty()) {
        return;
    }
    std::uint32_t waits = 0;
    for (const std::uint32_t w : side_.waits) {
        waits = std::max(waits, w);
    }
    for (const Visit& v : visits_) {
        BlockRun& by = *cluster_->of_number(v.block);
        bool over = waits != 0 && v.time < (*by.side_.arrivals[(waits - 1) % 2])[v.thread];
        for (std::uint32_t t = 0; t < setup_.threads() && !over; ++t) {
            over = fences_.has_acquired(t) &&
                   fences_.ordered({v.block, v.thread, v.time, false, false}, {t, false, true, 0});
        }
        if (!over) {
            by.report_visit(*this, v, "ended", true);
        }
    }
}

void BlockRun::report_visit(const BlockRun& owner, const Visit& v, const char* what, bool first) {
    Finding f;
    f.kind = FindingKind::cluster_lifetime;
    f.block = block_;
    f.thread = v.thread;
    f.line = line_at(program_, v.location);
    f.step = v.segment;
    f.writes = v.writes;
    f.other_block = owner.block_;
    f.array = array_of(owner, static_cast<std::uint32_t>(v.offset), f.index, f.elements);
    f.text = what;
    f.times = first ? 1 : 0; // once a block and place of the source
    findings_.add(std::move(f));
}

// What the value in a block's shared memory is made of, in this block's data flow: if another block put it there, a partial
// result of that one.
Tag BlockRun::cluster_tag(BlockRun& owner, const Instruction& i, unsigned lane, std::uint32_t place, std::uint64_t bits,
                          ValueType type) {
    const Tag tag = owner.shared_.tag(place);
    const std::uint32_t origin = owner.shared_.origin(place);
    if (tag == record::kNoTag || tag == record::kIdentityTag || origin == block_) {
        return tag;
    }
    BlockRun* const maker = cluster_->of_number(origin);
    record::DataFlow& from = maker->recorder_.flow();
    record::DataFlow::Leaf leaf;
    leaf.kind = from.is_padding(tag) ? record::LeafKind::identity : record::LeafKind::partial;
    leaf.element = place / std::max(1U, bytes(type));
    leaf.allocation = record::kSharedAllocation;
    leaf.depth = leaf.kind == record::LeafKind::identity ? 0 : from.depth(tag);
    leaf.segment = recorder_.segment(warp_->number);
    leaf.thread = static_cast<std::uint16_t>(thread(lane));
    const Tag made = recorder_.flow().leaf(leaf, {bits, i.location, type, 0, record::DataFlow::kNowhere});
    if (leaf.kind == record::LeafKind::partial) {
        recorder_.flow().takes(made, origin, from.give(tag));
    }
    return made;
}

} // namespace warptree::simt
