// The probe of the interpreter: the vocabulary of kernels/simt/simt.hpp, recorded. A value is an element with the
// node that produced it. Accesses know the source line through a default argument at the call.
#pragma once

#include "kernels/cpu/worker.hpp"
#include "kernels/simt/simt.hpp"

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

      private:
        ThreadContext& t_;
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
    void stage(std::uint32_t stride) const { recorder().enter_step(t_.trace, StepKind::stage, stride); }
    void store() const { recorder().enter_step(t_.trace, StepKind::store, 0); }
    bool branch(bool condition) const {
        recorder().branch(t_.trace, condition);
        return condition;
    }
    void barrier(SourceLine at = {}) const { worker().barrier(t_, at); }
    void warp_barrier(SourceLine at = {}) const {
        recorder().warp_barrier(t_.trace);
        worker().warp_barrier(t_, 0xFFFFFFFFU, at);
    }

    Value load(Input, Index i, Index n, SourceLine at = {}) const {
        if (i >= n) {
            return identity(at);
        }
        const T value = static_cast<const T*>(worker().launch().input)[i];
        const Origin origin = recorder().load(t_.trace, static_cast<std::uint32_t>(i), bits_of(value), at);
        if (t_.trace.accesses % kPauseEvery == 0) {
            worker().pause(t_);
        }
        return {value, origin};
    }
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
    Value shuffle_down(const Value& v, unsigned delta, SourceLine at = {}) const {
        const unsigned source = t_.trace.lane + delta;
        return exchange(v, source < kWarpSize ? source : t_.trace.lane, ShuffleKind::down, delta, at);
    }

    void emit(Output out, const Value& v, SourceLine at = {}) const {
        if (worker().launch().atomic) {
            atomic(out, v, at);
        } else {
            put(static_cast<std::uint32_t>(block()), false, v, at);
        }
    }
    void atomic(Output, const Value& v, SourceLine at = {}) const { put(0, true, v, at); }

  private:
    Worker& worker() const { return *t_.worker; }
    Recorder& recorder() const { return t_.worker->recorder(); }
    void put(std::uint32_t index, bool atomically, const Value& v, SourceLine at) const {
        recorder().output(t_.trace, atomically, index, v.origin, at);
        worker().emit({index, atomically, bits_of(v.value)});
    }
    Value exchange(const Value& v, unsigned source, ShuffleKind kind, unsigned delta, SourceLine at) const {
        Worker& w = worker();
        const unsigned lane = t_.trace.lane;
        w.deposits()[lane] = {bits_of(v.value), v.origin};
        w.sources()[lane] = static_cast<std::uint8_t>(source);
        recorder().shuffle(t_.trace, kind, delta, kWarpSize, at);
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
