#include "app/simt/fences.hpp"

#include <algorithm>

namespace warptree::simt {

namespace {
void add(std::vector<Seen>& to, const Seen& seen) {
    for (Seen& s : to) {
        if (s.sequence == seen.sequence && s.reaches == seen.reaches && s.look == seen.look) {
            s.count = std::max(s.count, seen.count);
            return;
        }
    }
    to.push_back(seen);
}

// Whether the access is the flag itself, of which a thread that has seen the release knows.
bool is_flag(const Release& r, const Moment& before, const Present& now) {
    return before.thread == r.thread && before.strong && now.place == r.place && before.time <= r.time;
}

// Whether the access is released to a thread of another block, or of the same, which has fenced since or not; as_if: both had
// fenced wherever they should.
bool releases(const Release& r, const Moment& before, const Present& now, bool to_other, bool fenced, bool as_if) {
    if (as_if && before.thread == r.thread && before.time <= r.time) {
        return true;
    }
    if (is_flag(r, before, now) && (fenced || !now.writes)) {
        return true;
    }
    if (before.thread == r.thread && before.time >= r.taken && before.time < r.protected_since[to_other ? 1 : 0]) {
        return false;
    }
    return (to_other ? r.for_device : r.for_block).has(before.thread, before.time);
}
} // namespace

bool Released::has(std::uint32_t thread, std::uint32_t time) const {
    if (time < settled) {
        return true;
    }
    const auto it = std::lower_bound(later.begin(), later.end(), thread,
                                     [](const auto& entry, std::uint32_t t) { return entry.first < t; });
    return it != later.end() && it->first == thread && time < it->second;
}

std::shared_ptr<Sequence> Sequences::make() {
    if (all_.size() >= next_sweep_) {
        std::erase_if(all_, [](const std::weak_ptr<Sequence>& s) { return s.expired(); });
        next_sweep_ = std::max<std::size_t>(next_sweep_, 2 * all_.size());
    }
    auto made = std::make_shared<Sequence>();
    all_.push_back(made);
    return made;
}

void Sequences::clear() {
    for (const std::weak_ptr<Sequence>& one : all_) {
        if (const std::shared_ptr<Sequence> sequence = one.lock()) {
            sequence->releases.clear();
            sequence->of_block.clear();
        }
    }
    all_.clear();
}

std::shared_ptr<const Sequence> Flags::at(std::uint64_t place) const {
    const auto it = at_.find(place);
    return it == at_.end() ? nullptr : it->second;
}

void Flags::store(std::uint64_t place, bool atomic, const Release* release) {
    if (release == nullptr) {
        if (!atomic) {
            at_.erase(place);
        }
        return;
    }
    std::shared_ptr<Sequence>& sequence = at_[place];
    if (sequence == nullptr || !atomic) {
        sequence = sequences_.make();
    }
    sequence->of_block[release->block].push_back(static_cast<std::uint32_t>(sequence->releases.size()));
    sequence->releases.push_back(*release);
}

void Fences::begin_block(std::uint32_t block, std::uint32_t threads) {
    block_ = block;
    threads_ = threads;
    fenced_.clear();
    looked_.clear();
    acquired_.clear();
    taken_.clear();
    all_looked_.clear();
    all_acquired_.clear();
}

void Fences::fence(Clocks& clocks, unsigned warp, std::uint32_t mask, compile::Scope scope) {
    fenced_.resize(threads_);
    const std::uint32_t time = clocks.tick();
    const unsigned reach = scope == compile::Scope::block ? 0 : 1;
    each_active(mask, [&](unsigned l) {
        const std::uint32_t thread = warp * kLanes + l;
        for (unsigned s = 0; s <= reach; ++s) {
            fenced_[thread].time[s] = time;
            fenced_[thread].settled[s] = clocks.settled();
        }
        fenced_[thread].fresh = true;
        if (const auto taken = taken_.find(thread); taken != taken_.end()) {
            for (Taking& t : taken->second) {
                for (unsigned s = 0; s <= reach; ++s) {
                    t.fenced[s] = t.fenced[s] == 0 ? time : t.fenced[s];
                }
            }
        }
        const auto acquire = [&](const std::vector<Seen>& looked) {
            for (Seen seen : looked) {
                seen.reaches = seen.reaches && reach != 0;
                add(acquired_[thread], seen);
            }
        };
        acquire(all_looked_); // by a thread that it has met at a barrier since
        if (const auto looked = looked_.find(thread); looked != looked_.end()) {
            acquire(looked->second);
        }
    });
}

// What the thread's latest fence of that scope releases: what it knew then. Of other threads that it has met at a
// barrier since, what they did before fences of their own.
Released Fences::released(const Clocks& clocks, std::uint32_t thread, unsigned scope) const {
    const Fenced& mine = fenced_[thread];
    Released out;
    if (mine.time[scope] == 0) {
        return out;
    }
    out.settled = mine.settled[scope];
    for (std::uint32_t t = 0; t < threads_; ++t) {
        std::uint32_t time = t == thread ? mine.time[scope] : clocks.known(thread, t);
        if (time > mine.time[scope]) {
            time = std::min(fenced_[t].time[scope], time);
        }
        if (time > out.settled) {
            out.later.emplace_back(static_cast<std::uint16_t>(t), time);
        }
    }
    return out;
}

void Fences::take(Clocks& clocks, std::uint64_t place, std::uint64_t found, std::uint32_t thread) {
    std::vector<Taking>& taken = taken_[thread];
    if (std::none_of(taken.begin(), taken.end(), [&](const Taking& t) { return t.place == place; })) {
        if (taken.size() == kMostTaken) {
            taken.erase(taken.begin());
        }
        taken.push_back({place, found, clocks.tick(), {}});
    }
}

std::optional<Fences::Taking> Fences::give_back(std::uint32_t thread, std::uint64_t place, std::uint64_t value) {
    const auto taken = taken_.find(thread);
    if (taken == taken_.end()) {
        return {};
    }
    const auto of =
        std::find_if(taken->second.begin(), taken->second.end(), [&](const Taking& t) { return t.place == place; });
    if (of == taken->second.end()) {
        return {};
    }
    const Taking lock = *of;
    taken->second.erase(of);
    return lock.found == value ? std::optional(lock) : std::nullopt;
}

void Fences::store(const Clocks& clocks, Flags& flags, std::uint64_t place, std::uint64_t value, std::uint32_t thread,
                   bool atomic, bool reaches, std::vector<Release::Mate> mates) {
    const std::optional<Taking> lock = give_back(thread, place, value);
    const bool bare = !has_fenced(thread);
    if (bare && !(lock && atomic)) {
        if (!flags.empty()) {
            flags.store(place, atomic, nullptr);
        }
        return;
    }
    Release r;
    r.bare = bare;
    r.block = block_;
    r.thread = thread;
    r.time = clocks.now();
    r.place = place;
    r.reaches = reaches;
    if (bare) {
        flags.store(place, atomic, &r);
        return;
    }
    r.for_block = released(clocks, thread, 0);
    r.for_device = fenced_[thread].time[1] == fenced_[thread].time[0] ? r.for_block : released(clocks, thread, 1);
    r.mates = std::move(mates);
    r.seen = all_acquired_;
    r.looked = all_looked_;
    for (const auto& [of, to] : {std::pair{&acquired_, &r.seen}, std::pair{&looked_, &r.looked}}) {
        if (const auto own = of->find(thread); own != of->end()) {
            for (const Seen& s : own->second) {
                add(*to, s);
            }
        }
    }
    if (lock) {
        r.taken = lock->time;
        for (unsigned s = 0; s < kScopes; ++s) {
            r.protected_since[s] = lock->fenced[s] == 0 ? ~0U : lock->fenced[s];
        }
    }
    flags.store(place, atomic, &r);
}

void Fences::load(const Flags& flags, std::uint64_t place, std::uint32_t thread, bool reaches, Look look) {
    if (std::shared_ptr<const Sequence> sequence = flags.at(place)) {
        const std::size_t count = sequence->releases.size();
        add(looked_[thread], {std::move(sequence), count, reaches, look});
    }
}

void Fences::sync_warp(unsigned warp, std::uint32_t mask) {
    if (acquired_.empty()) {
        return;
    }
    std::vector<Seen> all;
    each_active(mask, [&](unsigned l) {
        if (const auto own = acquired_.find(warp * kLanes + l); own != acquired_.end()) {
            for (const Seen& s : own->second) {
                add(all, s);
            }
        }
    });
    if (!all.empty()) {
        each_active(mask, [&](unsigned l) { acquired_[warp * kLanes + l] = all; });
    }
}

void Fences::join() {
    for (const auto& [of, to] : {std::pair{&acquired_, &all_acquired_}, std::pair{&looked_, &all_looked_}}) {
        std::vector<std::uint32_t> threads;
        for (const auto& [thread, seen] : *of) {
            threads.push_back(thread);
        }
        std::sort(threads.begin(), threads.end());
        for (const std::uint32_t thread : threads) {
            for (const Seen& s : (*of)[thread]) {
                add(*to, s);
            }
        }
        of->clear();
    }
}

void Fences::meet(const std::vector<Fences*>& blocks) {
    std::vector<Seen> acquired, looked;
    for (const Fences* block : blocks) {
        for (const Seen& s : block->all_acquired_) {
            add(acquired, s);
        }
        for (const Seen& s : block->all_looked_) {
            add(looked, s);
        }
    }
    for (Fences* block : blocks) {
        block->all_acquired_ = acquired;
        block->all_looked_ = looked;
    }
}

bool Fences::ordered(const Moment& before, const Present& now, bool as_if) const {
    // From what the thread has acquired itself to what those had acquired from whom it did, nearest first.
    struct Open {
        const Seen* seen;
        std::uint32_t block; // of the thread that has seen it
        bool fenced;         // since then
        bool flag_only;      // of what it has released, only the flag is known
    };
    std::vector<Open> open;
    std::unordered_map<const Sequence*, std::size_t> done; // releases examined, the earliest ones
    const auto consider = [&](const std::vector<Seen>& acquired, const std::vector<Seen>& looked, std::uint32_t block) {
        const auto all = [&](const std::vector<Seen>& seen, bool fenced, bool flag_only) {
            for (const Seen& s : seen) {
                const auto it = done.find(s.sequence.get());
                const bool knows = fenced || !(s.look == Look::takes && now.writes);
                if (knows && !(flag_only && s.look == Look::ignores) && (it == done.end() || it->second < s.count)) {
                    open.push_back({&s, block, fenced, flag_only});
                }
            }
        };
        all(acquired, true, false);
        if (before.strong && (now.strong || before.atomic)) { // without the second fence
            all(looked, false, !now.strong);
        }
    };
    static const std::vector<Seen> kNone;
    const auto own = [&](const std::unordered_map<std::uint32_t, std::vector<Seen>>& of) -> const std::vector<Seen>& {
        const auto it = of.find(now.thread);
        return it == of.end() ? kNone : it->second;
    };
    consider(all_acquired_, all_looked_, block_);
    consider(own(acquired_), own(looked_), block_);
    if (as_if) {
        consider(all_looked_, kNone, block_);
        consider(own(looked_), kNone, block_);
    }
    std::size_t budget = 1U << 14; // releases to examine; beyond, it counts as ordered
    for (std::size_t next = 0; next < open.size(); ++next) {
        const Seen& seen = *open[next].seen;
        const std::uint32_t reader = open[next].block;
        const auto usable = [&](const Release& r) {
            return (as_if || !r.bare) && (r.block == reader || (seen.reaches && r.reaches));
        };
        if (const auto of = seen.sequence->of_block.find(before.block); of != seen.sequence->of_block.end()) {
            for (auto index = of->second.rbegin(); index != of->second.rend(); ++index) {
                const Release& r = seen.sequence->releases[*index];
                if (*index < seen.count && usable(r) &&
                    ((before.atomic && is_flag(r, before, now)) ||
                     (!open[next].flag_only &&
                      releases(r, before, now, r.block != reader, open[next].fenced, as_if)))) {
                    return true;
                }
            }
        }
        if (open[next].flag_only) {
            continue;
        }
        std::size_t& examined = done[seen.sequence.get()];
        for (std::size_t k = std::min(seen.count, seen.sequence->releases.size()); k-- > examined;) { // fewer: settled
            const Release& r = seen.sequence->releases[k];
            if (budget-- == 0) {
                return true;
            }
            if (usable(r)) {
                if (std::any_of(r.mates.begin(), r.mates.end(), [&](const Release::Mate& m) {
                        return m.block == before.block && before.time < (*m.times)[before.thread];
                    })) {
                    return true;
                }
                consider(r.seen, r.looked, r.block);
            }
        }
        examined = std::max(examined, seen.count);
    }
    return false;
}

} // namespace warptree::simt
