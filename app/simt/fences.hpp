// What happens before what by flags: the release and acquire patterns of CUDA's memory model (PTX ISA, Memory
// Consistency Model). A thread releases by a fence and then a volatile or atomic store; another acquires by a volatile
// or atomic load that sees it, or a later link of the chain of atomics that it began, and then a fence. What the first
// did before its fence happens before what the second does after its own, if both fences reach both threads, that is,
// have device scope or the two threads are of one block. Volatile and atomic accesses that follow the load need no fence
// there: they are not taken from a cache, and a thread makes them in order.
#pragma once

#include "app/compile/program.hpp"
#include "app/simt/clocks.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptree::simt {

// A past access, as far as order is concerned.
struct Moment {
    std::uint32_t block = 0, thread = 0, time = 0;
    bool strong = false; // volatile or atomic
};

struct Sequence;

// The first `count` releases of a sequence, seen by a load. reaches: the device, rather than the block.
struct Seen {
    std::shared_ptr<const Sequence> sequence;
    std::size_t count = 0;
    bool reaches = false;
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
    bool reaches = false;   // the store does; the fence: if `for_device` has anything
    Released for_block, for_device;
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
    bool has_fenced(std::uint32_t thread) const { return any() && fenced_[thread].time[0] != 0; }
    // Whether the thread has fenced and not stored since: what it stores now, to a volatile, is a flag.
    bool fresh(std::uint32_t thread) const { return any() && fenced_[thread].fresh; }
    void stored(std::uint32_t thread) {
        if (any()) {
            fenced_[thread].fresh = false;
        }
    }

    void fence(Clocks& clocks, unsigned warp, std::uint32_t mask, compile::Scope scope);
    // The thread stores at `place` by a volatile store or an atomic. reaches: the device, rather than the block.
    void store(const Clocks& clocks, Flags& flags, std::uint64_t place, std::uint32_t thread, bool atomic,
               bool reaches);
    // It loads there.
    void load(const Flags& flags, std::uint64_t place, std::uint32_t thread, bool reaches);
    // What one of these threads has acquired all of them have: lanes of a warp; all of the block.
    void sync_warp(unsigned warp, std::uint32_t mask);
    void join();

    // strong: the access by `by` is volatile or atomic.
    bool ordered(const Moment& before, std::uint32_t by, bool strong) const;

  private:
    static constexpr unsigned kScopes = 2; // block; device or system
    struct Fenced {
        std::array<std::uint32_t, kScopes> time{}, settled{}; // of the latest fence that reaches as far; 0: none
        bool fresh = false;
    };
    Released released(const Clocks& clocks, std::uint32_t thread, unsigned scope) const;

    std::uint32_t block_ = 0, threads_ = 0;
    std::vector<Fenced> fenced_;                                             // by thread; empty: no fence in this block
    std::unordered_map<std::uint32_t, std::vector<Seen>> looked_, acquired_; // by thread: before, after its fence
    std::vector<Seen> all_looked_, all_acquired_;                            // the same of every thread
};

} // namespace warptree::simt
