// Past accesses to one word, kept to detect whether the next one races.
//
// Two accesses by two threads conflict if one of them writes, unless both are atomic and each reaches the other's
// thread. A volatile access is not atomic: it conflicts with all but an atomic that reaches it and of which it overwrites
// nothing. It is a flag's, which is no race, where a volatile load meets a volatile store that follows a fence, and no
// other thread stores there. Conflicting accesses that nothing orders race.
#pragma once

#include "app/trace/model/execution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warptree::simt {

enum NoteFlag : std::uint16_t {
    kWrites = 1,
    kAtomic = 2,      // an atomic, or a relaxed, acquiring or releasing load or store
    kVolatile = 4,    // or a store with a cache operator
    kBlockScope = 8,  // of an atomic: it reaches the block only
    kChanges = 16,    // a write, here or earlier in this place of the source, of another value than was there
    kAfterFence = 32, // a volatile store, the first by its thread after a fence
    // And those above: of a load that is only compared with one number (Comparisons), which; of a write, the numbers of which
    // it changes whether the element equals them.
    kFirstComparison = 64
};
inline constexpr unsigned kComparisons = 0xFFFFU & ~(kFirstComparison - 1U);

inline constexpr unsigned kKindOfAccess = kWrites | kAtomic | kVolatile;

// An access to a word.
struct Note {
    std::uint32_t time = 0; // of the block: Clocks
    std::uint32_t location = 0, segment = 0, block = 0;
    std::uint32_t value = 0; // written
    std::uint16_t thread = 0, flags = 0;

    bool is(NoteFlag flag) const { return (flags & flag) != 0; }
    bool same_thread(const Note& other) const { return thread == other.thread && block == other.block; }
    // The same place of the source, by the same kind of access.
    bool alike(const Note& other) const {
        return location == other.location && ((flags ^ other.flags) & kKindOfAccess) == 0;
    }
};

// Whether all that the reader does is to compare, and finds the same before and after the write.
inline bool compares_alike(const Note& write, const Note& read) {
    const unsigned comparison = read.flags & kComparisons;
    return !read.is(kWrites) && comparison != 0 && (write.flags & comparison) == 0;
}

class Word {
  public:
    std::uint32_t reported_segment = 0, reported_block = 0; // where a race on it was reported: + 1

    // Keeps an access that is known to race with none of those that are kept; two at most.
    void keep(const Note& note) { push(note); }
    // Whether all that is kept is ordered before every later access.
    template <class Order> bool stale(const Order& order) {
        for (unsigned k = 0; k < count_; ++k) {
            if (!order.stale(at(k))) {
                return false;
            }
        }
        return true;
    }
    void clear() {
        count_ = 0;
        contested_ = false;
        more_.reset();
    }
    // Notes an access. Order has stale(note): whether it is ordered before every later access, and
    // ordered(before, now). tell(before, severity) is called for each earlier access that it races with; of threads
    // that did the same in one place of the source, one or two are kept. Returns whether it is the first of its kind.
    template <class Order, class Tell> bool add(const Note& now, const Order& order, Tell&& tell) {
        if (more_ == nullptr && (count_ == 0 || order.stale(first_[0])) && (count_ < 2 || order.stale(first_[1]))) {
            first_[0] = now; // the usual case
            count_ = 1;
            contested_ = false;
            return true;
        }
        return add_to_some(now, order, tell);
    }

  private:
    static constexpr unsigned kMost = 10;
    static constexpr std::size_t kMostWriters = 4096;

    struct More {
        std::array<Note, kMost - 2> notes;
        std::vector<std::uint64_t> writers; // threads that have stored one value, `agreed`; empty: fewer than two
        std::uint32_t agreed = 0;
    };
    static std::uint64_t who(const Note& n) { return std::uint64_t{n.block} << 16 | n.thread; }
    More& more() {
        if (more_ == nullptr) {
            more_ = std::make_unique<More>();
        }
        return *more_;
    }

    unsigned size() const { return count_; }
    Note& at(unsigned k) { return k < first_.size() ? first_[k] : more_->notes[k - first_.size()]; }
    void push(const Note& note) {
        if (count_ < first_.size()) {
            first_[count_] = note;
        } else {
            more().notes[count_ - first_.size()] = note;
        }
        ++count_;
    }
    void remove(unsigned k) {
        for (; k + 1 < count_; ++k) {
            at(k) = at(k + 1);
        }
        --count_;
    }
    template <class Order, class Tell> bool add_to_some(const Note& now, const Order& order, Tell&& tell);
    bool put(const Note& now);
    void agree(const Note& a, const Note& b); // stores of the same value
    // Of two strong accesses: whether one is atomic, and the other does not overwrite what it leaves. A volatile store
    // after a fence gives a lock back.
    static bool meets_atomic(const Note& a, const Note& b) {
        const auto overwrites = [](const Note& n) { return n.is(kWrites) && !n.is(kAtomic) && !n.is(kAfterFence); };
        return (a.is(kAtomic) || b.is(kAtomic)) &&
               !(a.is(kWrites) && b.is(kWrites) && (overwrites(a) || overwrites(b)));
    }
    // Whether the reader finds the same before and after the write, as far as it looks: it was there, or it has stored it itself.
    bool harmless(const Note& write, const Note& read) const;

    std::array<Note, 2> first_;
    std::unique_ptr<More> more_;
    std::uint8_t count_ = 0;
    bool contested_ = false; // volatile stores of several threads, which nothing orders
};

inline void Word::agree(const Note& a, const Note& b) {
    More& m = more();
    if (m.writers.empty() || m.agreed != a.value) {
        m.writers = {who(a)};
        m.agreed = a.value;
    }
    if (m.writers.back() != who(b) && m.writers.size() < kMostWriters) {
        m.writers.push_back(who(b));
    }
}

inline bool Word::harmless(const Note& write, const Note& read) const {
    if (compares_alike(write, read)) {
        return true;
    }
    if (write.is(kAtomic)) {
        return false;
    }
    return !write.is(kChanges) ||
           (more_ != nullptr && !more_->writers.empty() && more_->agreed == write.value &&
            (more_->writers.size() == kMostWriters ||
             std::find(more_->writers.begin(), more_->writers.end(), who(read)) != more_->writers.end()));
}

template <class Order, class Tell> bool Word::add_to_some(const Note& now, const Order& order, Tell&& tell) {
    for (unsigned k = size(); k-- > 0;) {
        if (order.stale(at(k))) {
            remove(k);
        }
    }
    if (size() == 0) {
        clear();
        push(now);
        return true;
    }
    for (const bool writes : {true, false}) { // the writes first: they decide what else is wrong
        for (unsigned k = 0; k < size(); ++k) {
            const Note& before = at(k);
            if (before.is(kWrites) != writes || !(before.is(kWrites) || now.is(kWrites)) || before.same_thread(now)) {
                continue;
            }
            const bool reach = before.block == now.block || !(before.is(kBlockScope) || now.is(kBlockScope));
            const bool strong = (before.flags & (kAtomic | kVolatile)) != 0 && (now.flags & (kAtomic | kVolatile)) != 0;
            const Note &write = before.is(kWrites) ? before : now, &other = before.is(kWrites) ? now : before;
            if (strong && reach && meets_atomic(before, now)) {
                continue;
            }
            const bool flag = strong && !(before.is(kAtomic) || now.is(kAtomic)) && !other.is(kWrites) && !contested_;
            if ((flag && write.is(kAfterFence)) || order.ordered(before, now)) {
                continue;
            }
            if (other.is(kWrites)) {
                const bool equal = !write.is(kAtomic) && !other.is(kAtomic) && before.value == now.value;
                contested_ |= strong && !equal;
                if (equal) {
                    agree(before, now);
                }
                tell(before, equal ? Severity::risk : Severity::fault);
            } else {
                tell(before, harmless(write, other) ? Severity::risk : Severity::fault);
            }
        }
    }
    return put(now);
}

inline bool Word::put(const Note& now) {
    unsigned alike = 0, mine = kMost, oldest = kMost, near = kMost; // numbers of notes; near: of the same warp
    for (unsigned k = 0; k < size(); ++k) {
        if (!at(k).alike(now)) {
            continue;
        }
        ++alike;
        mine = at(k).same_thread(now) ? k : mine;
        near = at(k).block == now.block && at(k).thread / 32 == now.thread / 32 ? k : near;
        oldest = oldest == kMost || at(k).time < at(oldest).time ? k : oldest;
    }
    if (alike == 0 || (alike == 1 && mine == kMost)) {
        if (size() == kMost) {
            remove(0);
        }
        push(now);
        return true;
    }
    Note& old = at(mine != kMost ? mine : near != kMost ? near : oldest);
    const bool of_block = old.block == now.block;
    const auto changes = static_cast<std::uint16_t>(old.flags & (kChanges | kComparisons));
    old = now;
    old.flags |= changes;
    return !of_block;
}

} // namespace warptree::simt
