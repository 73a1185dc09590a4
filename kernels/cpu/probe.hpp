// The probe of the interpreter: the vocabulary of kernels/simt/simt.hpp, recorded. A value is an element with the
// node that produced it. Accesses know the source line through a default argument at the call.
#pragma once

#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/tiles.hpp"
#include "kernels/cpu/worker.hpp"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::cpu {

// Accesses between two looks at what the warp has recorded.
inline constexpr std::uint32_t kPauseEvery = 128;

template <class T> class Probe {
  public:
    using Element = T;
    static constexpr unsigned kVector = 16 / sizeof(T); // elements of a 16-byte load
    using Value = cpu::Value<T>;
    using At = cpu::At;
    using Shared = cpu::Shared<T>;
    using Array = cpu::Array<T>;
    using Tiles = cpu::Tiles<T>;
    struct Input {};
    struct Output {};

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
        return {value, recorder().product(t_.trace, left.origin, right.origin, bits_of(value), at)};
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
            recorder().lanes_meet(t_.trace);
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
