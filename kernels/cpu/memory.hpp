// What the interpreter's kernels hold and reach: values with the node that produced them, shared memory, and the block's
// part of the output. Accesses know the source line through a default argument at the call.
#pragma once

#include "kernels/cpu/worker.hpp"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

#include <cstring>

namespace warptree::cpu {

template <class T> std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

// What a register holds.
template <class T> struct Value {
    T value;
    Origin origin;
};
// An index that knows the line it was written in.
struct At {
    std::uint32_t index;
    SourceLine line;
    At(std::uint64_t i, SourceLine at = {}) : index(static_cast<std::uint32_t>(i)), line(at) {}
};

// One shared element: reading it is a load, assigning to it a store.
template <class T> class SharedElement {
  public:
    SharedElement(ThreadContext& t, At at) : t_(t), at_(at) {}
    operator Value<T>() const {
        Worker& w = *t_.worker;
        w.recorder().shared_access(t_.trace, AccessKind::shared_load, at_.index, at_.line);
        Value<T> v;
        std::memcpy(&v.value, w.shared() + sizeof(T) * at_.index, sizeof(T));
        v.origin = w.shared_origins()[at_.index];
        w.take_turns(t_);
        return v;
    }
    void operator=(const Value<T>& v) const {
        Worker& w = *t_.worker;
        w.recorder().shared_access(t_.trace, AccessKind::shared_store, at_.index, at_.line);
        w.recorder().stored(v.origin, at_.index);
        std::memcpy(w.shared() + sizeof(T) * at_.index, &v.value, sizeof(T));
        w.shared_origins()[at_.index] = v.origin;
        w.take_turns(t_);
    }
    void operator=(const SharedElement& other) const { *this = static_cast<Value<T>>(other); }

  private:
    ThreadContext& t_;
    At at_;
};
template <class T> class Shared {
    static constexpr unsigned kVector = 16 / sizeof(T);

  public:
    explicit Shared(ThreadContext& t) : t_(t) {}
    SharedElement<T> operator[](At at) const { return {t_, at}; }
    Vector<Value<T>, kVector> load_vector(Index k, SourceLine at) const {
        Worker& w = *t_.worker;
        w.recorder().shared_vector(t_.trace, AccessKind::shared_load, static_cast<std::uint32_t>(k), 16, at);
        Vector<Value<T>, kVector> v;
        for (unsigned e = 0; e < kVector; ++e) {
            std::memcpy(&v[e].value, w.shared() + sizeof(T) * (k * kVector + e), sizeof(T));
            v[e].origin = w.shared_origins()[k * kVector + e];
        }
        w.take_turns(t_);
        return v;
    }
    void store_vector(Index k, const Vector<Value<T>, kVector>& v, SourceLine at) const {
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
template <class T> class ArrayElement {
  public:
    ArrayElement(ThreadContext& t, Index first, At at) : t_(t), first_(first), at_(at) {}
    operator Value<T>() const {
        Worker& w = *t_.worker;
        w.recorder().array_access(t_.trace, AccessKind::global_load, first_, at_.index, at_.line);
        Value<T> v;
        std::memcpy(&v.value, place(), sizeof(T));
        v.origin = w.array_origins(at_.index + std::size_t{1})[at_.index];
        return v;
    }
    void operator=(const Value<T>& v) const {
        Worker& w = *t_.worker;
        w.recorder().array_access(t_.trace, AccessKind::global_store, first_, at_.index, at_.line);
        w.recorder().array_stored(t_.trace, first_, at_.index, v.origin, at_.line);
        std::memcpy(place(), &v.value, sizeof(T));
        w.array_origins(at_.index + std::size_t{1})[at_.index] = v.origin;
    }
    void operator=(const ArrayElement& other) const { *this = static_cast<Value<T>>(other); }

  private:
    std::byte* place() const { return t_.worker->launch().output + sizeof(T) * (first_ + at_.index); }
    ThreadContext& t_;
    Index first_;
    At at_;
};
template <class T> class Array {
  public:
    Array(ThreadContext& t, Index first) : t_(t), first_(first) {}
    ArrayElement<T> operator[](At at) const { return {t_, first_, at}; }

  private:
    ThreadContext& t_;
    Index first_;
};

} // namespace warptree::cpu
