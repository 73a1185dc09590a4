// The probe of the interpreter: the vocabulary of kernels/simt/simt.hpp, recorded. A value is an element with the
// node that produced it. Accesses know the source line through a default argument at the call.
#pragma once

#include "kernels/cpu/worker.hpp"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::cpu {

// Accesses between two looks at what the warp has recorded.
inline constexpr std::uint32_t kPauseEvery = 128;

template <class T> std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T> class Probe {
  public:
    using Element = T;
    static constexpr unsigned kVector = 16 / sizeof(T); // elements of a 16-byte load
    struct Value {
        T value;
        Origin origin;
    };
    struct Input {};
    struct Output {};
    // An index that knows the line it was written in.
    struct At {
        std::uint32_t index;
        SourceLine line;
        At(std::uint64_t i, SourceLine at = {}) : index(static_cast<std::uint32_t>(i)), line(at) {}
    };

    // One shared element: reading it is a load, assigning to it a store.
    class SharedElement {
      public:
        SharedElement(ThreadContext& t, At at) : t_(t), at_(at) {}
        operator Value() const {
            Worker& w = *t_.worker;
            w.recorder().shared_access(t_.trace, AccessKind::shared_load, at_.index, at_.line);
            Value v;
            std::memcpy(&v.value, w.shared() + sizeof(T) * at_.index, sizeof(T));
            v.origin = w.shared_origins()[at_.index];
            w.take_turns(t_);
            return v;
        }
        void operator=(const Value& v) const {
            Worker& w = *t_.worker;
            w.recorder().shared_access(t_.trace, AccessKind::shared_store, at_.index, at_.line);
            w.recorder().stored(v.origin, at_.index);
            std::memcpy(w.shared() + sizeof(T) * at_.index, &v.value, sizeof(T));
            w.shared_origins()[at_.index] = v.origin;
            w.take_turns(t_);
        }
        void operator=(const SharedElement& other) const { *this = static_cast<Value>(other); }

      private:
        ThreadContext& t_;
        At at_;
    };
    class Shared {
      public:
        explicit Shared(ThreadContext& t) : t_(t) {}
        SharedElement operator[](At at) const { return {t_, at}; }
        Vector<Value, kVector> load_vector(Index k, SourceLine at) const {
            Worker& w = *t_.worker;
            w.recorder().shared_vector(t_.trace, AccessKind::shared_load, static_cast<std::uint32_t>(k), 16, at);
            Vector<Value, kVector> v;
            for (unsigned e = 0; e < kVector; ++e) {
                std::memcpy(&v[e].value, w.shared() + sizeof(T) * (k * kVector + e), sizeof(T));
                v[e].origin = w.shared_origins()[k * kVector + e];
            }
            w.take_turns(t_);
            return v;
        }
        void store_vector(Index k, const Vector<Value, kVector>& v, SourceLine at) const {
            Worker& w = *t_.worker;
            w.recorder().shared_vector(t_.trace, AccessKind::shared_store, static_cast<std::uint32_t>(k), 16, at);
            for (unsigned e = 0; e < kVector; ++e) {
                w.recorder().stored(v[e].origin, static_cast<std::uint32_t>(k * kVector + e));
                std::memcpy(w.shared() + sizeof(T) * (k * kVector + e), &v[e].value, sizeof(T));
                w.shared_origins()[k * kVector + e] = v[e].origin;
            }
            w.take_turns(t_);
        }

      private:
        ThreadContext& t_;
    };

    // One element of the block's part of the output.
    class ArrayElement {
      public:
        ArrayElement(ThreadContext& t, Index first, At at) : t_(t), first_(first), at_(at) {}
        operator Value() const {
            Worker& w = *t_.worker;
            w.recorder().array_access(t_.trace, AccessKind::global_load, first_, at_.index, at_.line);
            Value v;
            std::memcpy(&v.value, place(), sizeof(T));
            v.origin = w.array_origins(at_.index + std::size_t{1})[at_.index];
            return v;
        }
        void operator=(const Value& v) const {
            Worker& w = *t_.worker;
            w.recorder().array_access(t_.trace, AccessKind::global_store, first_, at_.index, at_.line);
            w.recorder().array_stored(t_.trace, first_, at_.index, v.origin, at_.line);
            std::memcpy(place(), &v.value, sizeof(T));
            w.array_origins(at_.index + std::size_t{1})[at_.index] = v.origin;
        }
        void operator=(const ArrayElement& other) const { *this = static_cast<Value>(other); }

      private:
        std::byte* place() const { return t_.worker->launch().output + sizeof(T) * (first_ + at_.index); }
        ThreadContext& t_;
        Index first_;
        At at_;
    };
    class Array {
      public:
        Array(ThreadContext& t, Index first) : t_(t), first_(first) {}
        ArrayElement operator[](At at) const { return {t_, first_, at}; }

      private:
        ThreadContext& t_;
        Index first_;
    };

    // What the blocks of the launch tell each other.
    struct Seen {
        Value value;
        bool ends;
    };
    class Tiles {
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
        Value aggregates(const Peek& p, SourceLine at = {}) const {
            const Operator op = t_.worker->launch().op;
            Value sum;
            sum.value = warptree::identity<T>(op);
            sum.origin = t_.worker->recorder().identity(t_.trace, bits_of(sum.value), at);
            for (Index k = p.from + t_.trace.lane; k < p.to; k += kWarpSize) {
                const Value v = published(static_cast<std::uint32_t>(k), false, at);
                if (k < p.from + kWarpSize) {
                    sum = v;
                    continue;
                }
                const T both = apply(op, sum.value, v.value);
                sum = {both, t_.worker->recorder().combine(t_.trace, sum.origin, v.origin, bits_of(both), at)};
            }
            return sum;
        }
        void publish_aggregate(Index tile, const Value& v, SourceLine at = {}) const { publish(tile, false, v, at); }
        void publish_prefix(Index tile, const Value& v, SourceLine at = {}) const { publish(tile, true, v, at); }
        Seen look_back(Index tile, SourceLine at = {}) const {
            Worker& w = *t_.worker;
            const TileBoard& board = *w.launch().tiles;
            Seen seen;
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
        Value published(std::uint32_t tile, bool is_prefix, SourceLine at) const {
            Worker& w = *t_.worker;
            const Published& there = w.launch().tiles->at(tile, is_prefix);
            while (!there.there) {
                w.wait_forever(t_);
            }
            Value v;
            std::memcpy(&v.value, &there.bits, sizeof(T));
            const Index last = std::min<Index>(n_, (Index{tile} + 1) * elements_) - 1;
            v.origin = w.recorder().seen(
                t_.trace, {tile, static_cast<std::uint32_t>(last), is_prefix, there.depth, there.bits}, at);
            return v;
        }
        void publish(Index tile, bool is_prefix, const Value& v, SourceLine at) const {
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

    // The lanes that a condition parts, until it goes out of scope.
    class Branch {
      public:
        Branch(ThreadContext& t, bool taken) : t_(t), fork_(t.worker->recorder().fork(t.trace)), taken_(taken) {
            t.worker->recorder().branch(t.trace, taken);
        }
        ~Branch() { t_.worker->recorder().join(t_.trace, fork_); }
        Branch(const Branch&) = delete;
        Branch& operator=(const Branch&) = delete;
        explicit operator bool() const& { return taken_; }
        explicit operator bool() const&& = delete; // it would join before the body

      private:
        ThreadContext& t_;
        Recorder::Fork fork_;
        bool taken_;
    };
    class Loop {
      public:
        explicit Loop(ThreadContext& t) : t_(t), fork_(t.worker->recorder().fork(t.trace)) {}
        ~Loop() { t_.worker->recorder().join(t_.trace, fork_); }
        Loop(const Loop&) = delete;
        Loop& operator=(const Loop&) = delete;
        bool again(bool condition) const {
            t_.worker->recorder().branch(t_.trace, condition);
            return condition;
        }

      private:
        ThreadContext& t_;
        Recorder::Fork fork_;
    };

    explicit Probe(ThreadContext& t) : t_(t) {}

    unsigned thread() const { return t_.trace.thread; }
    unsigned lane() const { return t_.trace.lane; }
    unsigned warp() const { return t_.trace.warp; }
    Index block() const { return worker().block(); }
    unsigned block_size() const { return worker().launch().block_threads; }
    Index grid_size() const { return worker().launch().grid; }

    Shared shared(unsigned) const { return Shared(t_); }
    Shared volatile_shared(unsigned) const { return Shared(t_); } // every access goes to memory anyway
    Array array(Output, Index first, unsigned) const { return {t_, first}; }
    Tiles tiles(Output, Index n, Index elements) const { return {t_, n, elements, grid_size()}; }
    Tiles tiles(Output, Index n, Index elements, Index count, Index) const { return {t_, n, elements, count}; }
    Queue queue(Index) const { return Queue(t_); }
    void stage(std::uint32_t stride, Phase phase = Phase::none) const {
        recorder().enter_step(t_.trace, StepKind::stage, stride, phase);
    }
    void store() const { recorder().enter_step(t_.trace, StepKind::store, 0); }
    Branch branch(bool condition) const { return {t_, condition}; }
    Loop loop() const { return Loop(t_); }
    void barrier(SourceLine at = {}) const { worker().barrier(t_, at); }
    void meet(SourceLine at = {}) const { barrier(at); }
    void warp_barrier(SourceLine at = {}) const {
        recorder().warp_barrier(t_.trace);
        worker().warp_barrier(t_, 0xFFFFFFFFU, at);
    }

    Value load(Input, Index i, Index n, SourceLine at = {}) const {
        if (i >= n) {
            return identity(at);
        }
        const T value = element(i);
        const Origin origin = recorder().load(t_.trace, static_cast<std::uint32_t>(i), bits_of(value), at);
        pause_at_times();
        return {value, origin};
    }
    Vector<Value, kVector> load_vector(Input in, Index i, Index n, SourceLine at = {}) const {
        const Index first = i * kVector;
        Vector<Value, kVector> v;
        const bool whole = first + kVector <= n;
        if (whole) {
            recorder().load_vector(t_.trace, static_cast<std::uint32_t>(i), 16, at);
        }
        for (unsigned k = 0; k < kVector; ++k) {
            if (whole) {
                const T value = element(first + k);
                v[k] = {value, recorder().element(t_.trace, static_cast<std::uint32_t>(first + k), bits_of(value), at)};
            } else {
                v[k] = load(in, first + k, n, at);
            }
        }
        pause_at_times();
        return v;
    }
    Vector<Value, kVector> load_vector(Input in, Index i, SourceLine at = {}) const {
        return load_vector(in, i, worker().launch().n, at);
    }
    Vector<Value, kVector> shared_vector(const Shared& s, Index k, SourceLine at = {}) const {
        return s.load_vector(k, at);
    }
    void copy_vector(const Shared& s, Index k, Input in, Index i, Index n, SourceLine at = {}) const {
        s.store_vector(k, load_vector(in, i, n, at), at);
    }
    void copy_vector(const Shared& s, Index k, Input in, Index i, SourceLine at = {}) const {
        copy_vector(s, k, in, i, worker().launch().n, at);
    }
    void copies_sent() const {}
    template <unsigned N> void copies_arrived() const {}
    void prefetch(Input, Index, unsigned, Index) const {}
    Value identity(SourceLine at = {}) const {
        const T value = warptree::identity<T>(worker().launch().op);
        return {value, recorder().identity(t_.trace, bits_of(value), at)};
    }
    // Operands are read in the order they are written.
    template <class A, class B> Value combine(const A& a, const B& b, SourceLine at = {}) const {
        const Value left = a;
        const Value right = b;
        const T value = apply(worker().launch().op, left.value, right.value);
        return {value, recorder().combine(t_.trace, left.origin, right.origin, bits_of(value), at)};
    }
    template <class A, class B> Value multiply(const A& a, const B& b, SourceLine at = {}) const {
        const Value left = a;
        const Value right = b;
        const T value = Product::apply(left.value, right.value);
        return {value, recorder().combine(t_.trace, left.origin, right.origin, bits_of(value), at)};
    }
    // A lane whose source lies outside its part of `width` lanes keeps its own value.
    Value shuffle_down(const Value& v, unsigned delta, unsigned width = kWarpSize, SourceLine at = {}) const {
        const unsigned within = t_.trace.lane % width;
        return exchange(v, within + delta < width ? t_.trace.lane + delta : t_.trace.lane,
                        {ShuffleKind::down, delta, width}, at);
    }
    Value shuffle_up(const Value& v, unsigned delta, unsigned width = kWarpSize, SourceLine at = {}) const {
        const unsigned within = t_.trace.lane % width;
        return exchange(v, within >= delta ? t_.trace.lane - delta : t_.trace.lane, {ShuffleKind::up, delta, width},
                        at);
    }
    Value shuffle_xor(const Value& v, unsigned mask, unsigned width = kWarpSize, SourceLine at = {}) const {
        const unsigned source = t_.trace.lane ^ mask;
        return exchange(v, source / width == t_.trace.lane / width ? source : t_.trace.lane,
                        {ShuffleKind::exchange_xor, mask, width}, at);
    }
    Value shuffle_index(const Value& v, unsigned lane, unsigned width = kWarpSize, SourceLine at = {}) const {
        return exchange(v, t_.trace.lane / width * width + lane % width, {ShuffleKind::index, lane, width}, at);
    }
    // Combined as a tree: lane l with lane l + 16, then + 8, 4, 2, 1. What the hardware does inside is not told.
    Value reduce_lanes(const Value& v, SourceLine at = {}) const {
        Value mine = v;
        Worker& w = worker();
        recorder().takes_part(t_.trace);
        for (unsigned delta = kWarpSize / 2; delta > 0; delta /= 2) {
            const unsigned lane = t_.trace.lane;
            const Value other = trade(mine, lane + delta < kWarpSize ? lane + delta : lane, w, at);
            recorder().warp_barrier(t_.trace);
            if (lane < delta) {
                mine = combine(mine, other, at);
            }
        }
        return exchange(mine, 0, {ShuffleKind::reduce, 0, kWarpSize}, at);
    }

    std::uint32_t argument(unsigned k) const { return worker().launch().arguments[k]; }
    void emit(Output out, const Value& v, SourceLine at = {}) const {
        if (worker().launch().finish == Finish::atomic) {
            atomic(out, v, at);
        } else {
            put(out, block(), v, at);
        }
    }
    void put(Output, Index i, const Value& v, SourceLine at = {}) const {
        leave(static_cast<std::uint32_t>(i), OutputTo::output, v, at);
    }
    void put_vector(Output out, Index i, const Vector<Value, kVector>& v, Index n, SourceLine at = {}) const {
        const Index first = i * kVector;
        const bool whole = first + kVector <= n;
        if (whole) {
            recorder().store_vector(t_.trace, static_cast<std::uint32_t>(i), 16, at);
        }
        for (unsigned k = 0; k < kVector; ++k) {
            if (whole) {
                recorder().element_put(t_.trace, static_cast<std::uint32_t>(first + k), v[k].origin, at);
                worker().emit({static_cast<std::uint32_t>(first + k), OutputTo::output, bits_of(v[k].value)});
            } else if (first + k < n) {
                put(out, first + k, v[k], at);
            }
        }
    }
    void put_vector(Output out, Index i, const Vector<Value, kVector>& v, SourceLine at = {}) const {
        put_vector(out, i, v, worker().launch().n, at);
    }
    void atomic(Output, const Value& v, SourceLine at = {}) const { leave(0, OutputTo::atomic_total, v, at); }

    bool last_to_arrive(SourceLine at = {}) const {
        if (t_.trace.thread == 0) {
            recorder().ticket(t_.trace, at);
        }
        barrier(at);
        return block() == worker().launch().last_block;
    }
    void gather() const { recorder().enter_step(t_.trace, StepKind::load, 0); }
    Value load_partial(Output, Index i, Index n, SourceLine at = {}) const { return read_back(i, n, false, at); }
    void tell(Output, const Value& v, SourceLine at = {}) const {
        const auto mine = static_cast<std::uint32_t>(block());
        recorder().output(t_.trace, OutputTo::told, mine, v.origin, at);
        worker().emit({mine, OutputTo::output, bits_of(v.value)});
    }
    Value hear(Output, Index i, Index n, SourceLine at = {}) const { return read_back(i, n, true, at); }
    void put_total(Output, const Value& v, SourceLine at = {}) const { leave(0, OutputTo::total, v, at); }

  private:
    Worker& worker() const { return *t_.worker; }
    Recorder& recorder() const { return t_.worker->recorder(); }
    T element(Index i) const {
        const LaunchState& launch = worker().launch();
        const T value = static_cast<const T*>(launch.input)[i];
        return launch.maps ? map(launch.op, value) : value;
    }
    void pause_at_times() const {
        if (t_.trace.accesses % kPauseEvery == 0) {
            worker().pause(t_);
        }
    }
    Value read_back(Index i, Index n, bool told, SourceLine at) const {
        if (i >= n) {
            return identity(at);
        }
        T value;
        std::memcpy(&value, worker().launch().output + sizeof(T) * i, sizeof(T));
        const Origin origin = recorder().partial(t_.trace, static_cast<std::uint32_t>(i), bits_of(value), at, told);
        pause_at_times();
        return {value, origin};
    }
    void leave(std::uint32_t index, OutputTo to, const Value& v, SourceLine at) const {
        recorder().output(t_.trace, to, index, v.origin, at);
        worker().emit({index, to, bits_of(v.value)});
    }
    struct How {
        ShuffleKind kind;
        unsigned delta, width;
    };
    Value exchange(const Value& v, unsigned source, How how, SourceLine at) const {
        recorder().shuffle(t_.trace, how.kind, how.delta, how.width, at);
        return trade(v, source, worker(), at);
    }
    // Each lane gives its value and takes that of `source`.
    Value trade(const Value& v, unsigned source, Worker& w, SourceLine at) const {
        const unsigned lane = t_.trace.lane;
        w.deposits()[lane] = {bits_of(v.value), v.origin};
        w.sources()[lane] = static_cast<std::uint8_t>(source);
        w.exchange(t_, 0xFFFFFFFFU, at);
        const auto& got = w.received()[lane];
        Value result;
        std::memcpy(&result.value, &got.bits, sizeof(T));
        result.origin = got.origin;
        return result;
    }

    ThreadContext& t_;
};

} // namespace warptree::cpu
