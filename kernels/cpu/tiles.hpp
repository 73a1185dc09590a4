// What the blocks of a launch tell each other in the interpreter: tiles, and a queue of them.
#pragma once

#include "kernels/cpu/memory.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::cpu {

// What the blocks of the launch tell each other.
template <class T> struct Seen {
    Value<T> value;
    bool ends;
};
template <class T> class Tiles {
  public:
    Tiles(ThreadContext& t, Index n, Index elements, Index count)
        : t_(t), n_(n), elements_(elements), count_(count), tile_(first_of(t.worker->block())) {}
    Index ticket(SourceLine at = {}) const {
        ask(at);
        t_.worker->barrier(t_, at);
        return tile_;
    }
    void ask(SourceLine at = {}) const {
        if (t_.trace.thread == 0) {
            t_.worker->recorder().ticket(t_.trace, at);
        }
    }
    Index next(SourceLine at = {}) {
        t_.worker->barrier(t_, at);
        return ++tile_ < first_of(Index{t_.worker->block()} + 1) ? tile_ : count_;
    }
    struct Peek {
        Index from, to;
    };
    Peek peek(Index from, Index to) const { return {from, to}; }
    Value<T> aggregates(const Peek& p, SourceLine at = {}) const {
        const Operator op = t_.worker->launch().op;
        Value<T> sum;
        sum.value = warptree::identity<T>(op);
        sum.origin = t_.worker->recorder().identity(t_.trace, bits_of(sum.value), at);
        for (Index k = p.from + t_.trace.lane; k < p.to; k += kWarpSize) {
            const Value<T> v = published(static_cast<std::uint32_t>(k), false, at);
            if (k < p.from + kWarpSize) {
                sum = v;
                continue;
            }
            const T both = apply(op, sum.value, v.value);
            sum = {both, t_.worker->recorder().combine(t_.trace, sum.origin, v.origin, bits_of(both), at)};
        }
        return sum;
    }
    void publish_aggregate(Index tile, const Value<T>& v, SourceLine at = {}) const { publish(tile, false, v, at); }
    void publish_prefix(Index tile, const Value<T>& v, SourceLine at = {}) const { publish(tile, true, v, at); }
    Seen<T> look_back(Index tile, SourceLine at = {}) const {
        Worker& w = *t_.worker;
        const TileBoard& board = *w.launch().tiles;
        Seen<T> seen;
        // Lanes down to the first prefix read; tile 0 has one from the start.
        unsigned lanes = 1;
        while (lanes < kWarpSize && lanes <= tile &&
               !board.sees_prefix(w.block(), static_cast<std::uint32_t>(tile - lanes + 1))) {
            ++lanes;
        }
        seen.ends = lanes > tile || board.sees_prefix(w.block(), static_cast<std::uint32_t>(tile - lanes + 1));
        if (t_.trace.lane >= lanes) {
            seen.value.value = warptree::identity<T>(w.launch().op);
            seen.value.origin = w.recorder().identity(t_.trace, bits_of(seen.value.value), at);
            return seen;
        }
        const auto k = static_cast<std::uint32_t>(tile - t_.trace.lane);
        seen.value = published(k, board.sees_prefix(w.block(), k), at);
        return seen;
    }

  private:
    Index first_of(Index block) const { return block * count_ / t_.worker->launch().grid; }
    Value<T> published(std::uint32_t tile, bool is_prefix, SourceLine at) const {
        Worker& w = *t_.worker;
        const Published& there = w.launch().tiles->at(tile, is_prefix);
        while (!there.there) {
            w.wait_forever(t_);
        }
        Value<T> v;
        std::memcpy(&v.value, &there.bits, sizeof(T));
        const Index last = std::min<Index>(n_, (Index{tile} + 1) * elements_) - 1;
        v.origin = w.recorder().seen(t_.trace,
                                     {tile, static_cast<std::uint32_t>(last), is_prefix, there.depth, there.bits}, at);
        return v;
    }
    void publish(Index tile, bool is_prefix, const Value<T>& v, SourceLine at) const {
        const auto k = static_cast<std::uint32_t>(tile);
        t_.worker->recorder().published(t_.trace, k, v.origin, at);
        t_.worker->launch().tiles->publish(k, is_prefix, bits_of(v.value), v.origin.depth);
    }
    ThreadContext& t_;
    Index n_, elements_, count_, tile_;
};

// The queue of a grid whose blocks all go at the same pace.
class Queue {
  public:
    explicit Queue(ThreadContext& t) : t_(t), tile_(t.worker->block()) {}
    void ask(SourceLine at = {}) const {
        if (t_.trace.thread == 0) {
            t_.worker->recorder().ticket(t_.trace, at);
        }
    }
    Index next(SourceLine at = {}) {
        t_.worker->barrier(t_, at);
        tile_ += t_.worker->launch().grid;
        return tile_;
    }

  private:
    ThreadContext& t_;
    Index tile_;
};

} // namespace warptree::cpu
