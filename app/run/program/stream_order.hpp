// What of a program's work on the device happens before what, by CUDA's rules for streams, events and the waits of the host;
// and which accesses to one byte nothing orders. Knows neither machine nor process.
#pragma once

#include "app/trace/model/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptree::runs {

class StreamOrder {
  public:
    // As the program knows it: 0 and 1 the default stream, 2 that of a thread, others as they were created. The default ones
    // of another device have its number in bits 32 and up.
    using Stream = std::uint64_t;
    static constexpr Stream kDefault = 0, kOfAThread = 2;
    static constexpr Stream default_of(std::uint32_t device) { return std::uint64_t{device} << 32; }
    static constexpr bool is_default(Stream stream) { return (stream & 0xFFFFFFFF) < kOfAThread; }
    using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>; // bytes of an array: first, after the last
    using Clock = std::vector<std::uint64_t>; // by stream, in the order of their first use: how many operations of it

    // An operation: a launch, a copy, a set.
    struct Operation {
        std::size_t stream = 0; // place in a Clock
        std::uint64_t number = 0;
        Clock after; // what it follows
        Stream handle = kDefault;
        std::string what; // "sum<<<4, 256>>>", "the copy"
        SourceLine line;
    };
    struct Access {
        Operation by; // without its clock
        bool writes = false;
        bool atomic = false; // by atomics alone, which may meet
        Spans spans;
    };

    void create(Stream stream, bool blocking, std::uint32_t device = 0);
    bool knows(Stream stream) const; // a default one, or one that was created
    // Whether there is more than the default stream, so that operations may be unordered among themselves.
    bool several() const { return streams_.size() > 1; }

    Operation enqueue(Stream stream, std::string what, SourceLine line);
    std::uint32_t device_of(Stream stream) const;                                      // of one that is known
    bool blocks(Stream stream) const { return streams_[places_.at(stream)].blocking; } // one that was created
    // The host waits: for all work; for that of a device; for a stream's so far.
    void wait();
    void wait_device(std::uint32_t device);
    void wait(Stream stream);
    // All later work follows all work so far, as where memory is allocated.
    void fence() { floor_ = all(); }

    void record(std::uint64_t event, Stream stream);
    void wait_in(Stream stream, std::uint64_t event);  // later work of the stream follows what the event stands for
    void wait_for(std::uint64_t event);                // the host does
    bool reached(std::uint64_t event) const;           // the host has waited for it, or it was never recorded
    bool waited_for(const Operation& operation) const; // the host has, by whatever

    // Notes what an operation accesses of an array; an earlier access that conflicts and that it does not follow. Spans ascend.
    std::optional<Access> access(const Operation& now, std::uint32_t array, Spans spans, bool writes,
                                 bool atomic = false);
    void forget(std::uint32_t array); // it was freed

    // Counts changes of what is pending.
    std::uint64_t changes() const { return changes_; }
    // Accesses that the host has not waited for: by array.
    struct Pending {
        std::uint32_t array = 0;
        const Access* access = nullptr;
    };
    std::vector<Pending> pending() const;
    // The one to this byte that the host's own access conflicts with.
    std::optional<Access> pending_at(std::uint32_t array, std::uint64_t byte, bool host_writes) const;

  private:
    struct State {
        Clock clock;
        bool blocking = true; // it and the default stream of its device wait for one another
        std::uint32_t device = 0;
    };
    std::size_t place(Stream stream);
    Clock before(std::size_t place) const; // what the next operation of the stream follows
    Clock all() const;
    void host_follows(const Clock& clock);

    std::map<Stream, std::size_t> places_;
    std::vector<State> streams_;
    std::map<std::uint64_t, Clock> events_;
    Clock host_, floor_;
    std::uint64_t changes_ = 0;
    std::map<std::uint32_t, std::vector<Access>> accesses_; // not yet waited for by the host
};

} // namespace warptree::runs
