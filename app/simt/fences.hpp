// What happens before what by flags: the release and acquire patterns of CUDA's memory model (PTX ISA, Memory
// Consistency Model). A thread releases by a fence and then a volatile or atomic store; another acquires by a volatile
// or atomic load that sees it, or a later link of the chain of atomics that it began, and then a fence. What the first
// did before its fence happens before what the second does after its own, if both fences reach both threads, that is,
// have device scope or the two threads are of one block. Between volatile or atomic accesses the second fence may be
// missing: those are not taken from a cache, and a thread makes them in order. An atomic comes before all that a thread
// does that has seen it by an atomic of its own (observation order), so that the last of many may reset their counter: of
// those that use the value that they found, as the others cannot know that they are the last. But a lock needs the fence.
// A thread takes a lock by an atomic that changes the word, and gives it back by a store of what was there: what it
// accesses before it has fenced is not protected, whichever thread comes first.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/clocks.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptree::simt {

// A past access, as far as order is concerned.
struct Moment {
    std::uint32_t block = 0, thread = 0, time = 0;
    bool strong = false; // volatile or atomic
    bool atomic = false;
};

// The access that comes now.
struct Present {
    std::uint32_t thread = 0;
    bool strong = false, writes = false;
    std::uint64_t place = 0; // as that of a flag
};

struct Sequence;

// How a thread loads from a flag: to use the value; by an atomic that changes it as one takes a lock; by one whose old value
// nobody uses.
enum class Look : std::uint8_t { sees, takes, ignores };

// The first `count` releases of a sequence, seen by a load. reaches: the device, rather than the block.
struct Seen {
    std::shared_ptr<const Sequence> sequence;
    std::size_t count = 0;
    bool reaches = false;
    Look look = Look::sees;
};

// Which accesses of its own block a thread has released: those before `settled`, and of single threads some later ones.
struct Released {
    std::uint32_t settled = 0;
    std::vector<std::pair<std::uint16_t, std::uint32_t>> later; // thread, time; ascending threads
    bool has(std::uint32_t thread, std::uint32_t time) const;
};

struct Release {
    std::uint32_t block = 0, thread = 0;
    std::uint32_t time = 0; // of the store
    std::uint64_t place = 0;
    // Of a lock that is given back: when it was taken; the first fences after that, by scope.
    std::uint32_t taken = 0;
    std::array<std::uint32_t, 2> protected_since{};
    bool reaches = false; // the store does; the fence: if `for_device` has anything
    bool bare = false;    // without any fence, a lock is given back: releases nothing, but tells what is missing
    Released for_block, for_device;
    // Blocks of its cluster: what their threads did before these times, as the thread knew when it fenced.
    struct Mate {
        std::uint32_t block = 0;
        std::shared_ptr<const std::vector<std::uint32_t>> times; // by thread
    };
    std::vector<Mate> mates;
    std::vector<Seen> seen;   // what the thread had itself acquired
    std::vector<Seen> looked; // what it had loaded, whether it fenced then or not
};

// A store and the chain of atomics after it, at one place.
struct Sequence {
    std::vector<Release> releases;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_block; // indices into releases
};

// Makes sequences, and lets go of those that refer to one another when it ends.
class Sequences {
  public:
    Sequences() = default;
    ~Sequences() { clear(); }
    Sequences(const Sequences&) = delete;
    Sequences& operator=(const Sequences&) = delete;
    std::shared_ptr<Sequence> make();
    // What is known of earlier releases is no longer needed.
    void clear();

  private:
    std::vector<std::weak_ptr<Sequence>> all_;
    std::size_t next_sweep_ = 1024; // at so many, those that are gone are forgotten
};

// The places of one memory at which threads have released. Nothing is kept of other places.
class Flags {
  public:
    explicit Flags(Sequences& sequences) : sequences_(sequences) {}
    bool empty() const { return at_.empty(); }
    void clear() { at_.clear(); }
    // Null: nothing has been released there.
    std::shared_ptr<const Sequence> at(std::uint64_t place) const;
    // A volatile store begins anew; an atomic adds to what is there. release: null if it releases nothing.
    void store(std::uint64_t place, bool atomic, const Release* release);

  private:
    Sequences& sequences_;
    std::unordered_map<std::uint64_t, std::shared_ptr<Sequence>> at_;
};

// The fences of one block's threads and what they have acquired.
class Fences {
  public:
    void begin_block(std::uint32_t block, std::uint32_t threads);
    bool any() const { return !fenced_.empty(); }
    bool holds_locks() const { return !taken_.empty(); }
    bool has_fenced(std::uint32_t thread) const { return any() && fenced_[thread].time[0] != 0; }
    // Whether the thread has fenced and not stored since: what it stores now, to a volatile, is a flag.
    bool fresh(std::uint32_t thread) const { return any() && fenced_[thread].fresh; }
    // Whether the thread's latest fence that reaches the device is from after that time.
    bool fenced_since(std::uint32_t thread, std::uint32_t time) const {
        return any() && fenced_[thread].time[kScopes - 1] > time;
    }
    // Whether the thread has acquired anything.
    bool has_acquired(std::uint32_t thread) const {
        return !all_acquired_.empty() || (!acquired_.empty() && acquired_.contains(thread));
    }
    void stored(std::uint32_t thread) {
        if (any()) {
            fenced_[thread].fresh = false;
        }
    }

    void fence(Clocks& clocks, unsigned warp, std::uint32_t mask, compile::Scope scope);
    // The thread stores `value` at `place` by a volatile store or an atomic. reaches: the device, rather than the block.
    void store(const Clocks& clocks, Flags& flags, std::uint64_t place, std::uint64_t value, std::uint32_t thread,
               bool atomic, bool reaches, std::vector<Release::Mate> mates);
    // It loads there.
    void load(const Flags& flags, std::uint64_t place, std::uint32_t thread, bool reaches, Look look);
    // It has taken what may be a lock, in which `found` was.
    void take(Clocks& clocks, std::uint64_t place, std::uint64_t found, std::uint32_t thread);
    // What one of these threads has acquired all of them have: lanes of a warp; all of the block.
    void sync_warp(unsigned warp, std::uint32_t mask);
    void join();
    // The same of the blocks of a cluster, each of which has joined.
    static void meet(const std::vector<Fences*>& blocks);

    // as_if: as if both threads had fenced where flags and locks want it.
    bool ordered(const Moment& before, const Present& now, bool as_if = false) const;

  private:
    static constexpr unsigned kScopes = 2; // block; device or system
    struct Fenced {
        std::array<std::uint32_t, kScopes> time{}, settled{}; // of the latest fence that reaches as far; 0: none
        bool fresh = false;
    };
    struct Taking { // of a lock, by a thread that has not given it back
        std::uint64_t place = 0, found = 0;
        std::uint32_t time = 0;
        std::array<std::uint32_t, kScopes> fenced{}; // 0: not since
    };
    Released released(const Clocks& clocks, std::uint32_t thread, unsigned scope) const;
    static constexpr std::size_t kMostTaken = 8; // kept a thread
    // Whether the thread gives back a lock by storing `value`, and which.
    std::optional<Taking> give_back(std::uint32_t thread, std::uint64_t place, std::uint64_t value);

    std::uint32_t block_ = 0, threads_ = 0;
    std::vector<Fenced> fenced_;                                             // by thread; empty: no fence in this block
    std::unordered_map<std::uint32_t, std::vector<Seen>> looked_, acquired_; // by thread: before, after its fence
    std::vector<Seen> all_looked_, all_acquired_;                            // the same of every thread
    std::unordered_map<std::uint32_t, std::vector<Taking>> taken_;           // by thread
};

} // namespace warptree::simt
