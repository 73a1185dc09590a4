// The probe that records on the GPU: each thread writes its events, the host replays them (replay.hpp).
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/events.hpp"
#include "kernels/cuda/tile_states.cuh"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"
#include "kernels/trace/recorder.hpp"

namespace warptree::cuda {

// What records is a call, not inlined: a traced kernel is then a fraction of the code, and of the time to compile it.
#define WARPTREE_RECORDS __device__ __noinline__

struct ThreadRecord {
    TraceParams params;
    std::uint64_t thread; // in this launch
    std::uint32_t count = 0, nodes = 0;

    WARPTREE_RECORDS void write(EventKind kind, unsigned detail, SourceLine at, std::uint32_t a = 0,
                                std::uint32_t b = 0, std::uint64_t value = 0) {
        if (params.events != nullptr && count < params.capacity) {
            params.events[count * params.threads + thread] = {kind, static_cast<std::uint8_t>(detail), at, a, b, 0,
                                                              value};
        }
        ++count;
    }
    __device__ std::uint32_t new_node() { return threadIdx.x << kNodeBits | nodes++; }
};

template <class T> class Trace {
  public:
    using Element = T;
    static constexpr unsigned kVector = 16 / sizeof(T);
    struct Value {
        T value;
        std::uint32_t node;
    };
    struct Input {};
    struct Output {};
    struct At {
        std::uint32_t index;
        SourceLine line;
        __device__ At(std::uint64_t i, SourceLine at = {}) : index(static_cast<std::uint32_t>(i)), line(at) {}
    };

    class SharedElement {
      public:
        __device__ SharedElement(ThreadRecord* r, T* data, std::uint32_t* nodes, At at)
            : r_(r), data_(data), nodes_(nodes), at_(at) {}
        WARPTREE_RECORDS operator Value() const {
            r_->write(EventKind::shared_load, 0, at_.line, at_.index);
            return {data_[at_.index], nodes_[at_.index]};
        }
        WARPTREE_RECORDS void operator=(const Value& v) const {
            r_->write(EventKind::shared_store, 0, at_.line, at_.index, v.node);
            data_[at_.index] = v.value;
            nodes_[at_.index] = v.node;
        }
        __device__ void operator=(const SharedElement& other) const { *this = static_cast<Value>(other); }

      private:
        ThreadRecord* r_;
        T* data_;
        std::uint32_t* nodes_;
        At at_;
    };
    class Shared {
      public:
        __device__ Shared(ThreadRecord* r, unsigned count) : r_(r) {
            extern __shared__ __align__(16) unsigned char warptree_shared[];
            data_ = reinterpret_cast<T*>(warptree_shared);
            nodes_ = reinterpret_cast<std::uint32_t*>(data_ + count);
        }
        __device__ SharedElement operator[](At at) const { return {r_, data_, nodes_, at}; }
        WARPTREE_RECORDS Vector<Value, kVector> load_vector(Index k, SourceLine at) const {
            r_->write(EventKind::shared_vector, 0, at, static_cast<std::uint32_t>(k));
            Vector<Value, kVector> v;
            for (unsigned e = 0; e < kVector; ++e) {
                v[e] = {data_[k * kVector + e], nodes_[k * kVector + e]};
            }
            return v;
        }
        WARPTREE_RECORDS void store_vector(Index k, const Vector<Value, kVector>& v, SourceLine at) const {
            r_->write(EventKind::shared_vector, 1, at, static_cast<std::uint32_t>(k));
            for (unsigned e = 0; e < kVector; ++e) {
                const auto word = static_cast<std::uint32_t>(k * kVector + e);
                r_->write(EventKind::stored, 0, at, word, v[e].node);
                data_[word] = v[e].value;
                nodes_[word] = v[e].node;
            }
        }

      private:
        ThreadRecord* r_;
        T* data_;
        std::uint32_t* nodes_;
    };

    class ArrayElement {
      public:
        __device__ ArrayElement(ThreadRecord* r, Index first, At at) : r_(r), first_(first), at_(at) {}
        __device__ operator Value() const {
            r_->write(EventKind::array_load, 0, at_.line, at_.index, 0, first_);
            return {place(), node()};
        }
        __device__ void operator=(const Value& v) const {
            r_->write(EventKind::array_store, 0, at_.line, at_.index, v.node, first_);
            place() = v.value;
            node() = v.node;
        }
        __device__ void operator=(const ArrayElement& other) const { *this = static_cast<Value>(other); }

      private:
        __device__ T& place() const { return static_cast<T*>(r_->params.output)[first_ + at_.index]; }
        __device__ std::uint32_t& node() const { return r_->params.array_nodes[first_ + at_.index]; }
        ThreadRecord* r_;
        Index first_;
        At at_;
    };
    class Array {
      public:
        __device__ Array(ThreadRecord* r, Index first) : r_(r), first_(first) {}
        __device__ ArrayElement operator[](At at) const { return {r_, first_, at}; }

      private:
        ThreadRecord* r_;
        Index first_;
    };

    struct Seen {
        Value value;
        bool ends;
    };
    class Tiles {
      public:
        __device__ Tiles(ThreadRecord* r, Index n, Index elements, Index count, Index draws)
            : r_(r), n_(n), elements_(elements),
              states_(r->params.output, n, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(draws)) {}
        __device__ Index ticket(SourceLine at = {}) {
            const unsigned tile = states_.ticket();
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at, tile);
            }
            r_->write(EventKind::barrier, 0, at);
            return tile;
        }
        __device__ void publish_aggregate(Index tile, const Value& v, SourceLine at = {}) const {
            publish(tile, false, v, at);
        }
        __device__ void publish_prefix(Index tile, const Value& v, SourceLine at = {}) const {
            publish(tile, true, v, at);
        }
        __device__ Seen look_back(Index tile, SourceLine at = {}) const {
            const auto sight = states_.look_back(tile);
            T value = warptree::identity<T>(static_cast<Operator>(r_->params.op));
            if (sight.reads()) {
                const Index mine = tile - threadIdx.x % 32, end = (mine + 1) * elements_;
                value = sight.value;
                r_->write(EventKind::look, sight.is_prefix ? 1 : 0, at, static_cast<std::uint32_t>(mine),
                          static_cast<std::uint32_t>((end < n_ ? end : n_) - 1), bits(value));
            } else {
                r_->write(EventKind::identity, 0, at, 0, 0, bits(value));
            }
            return {{value, r_->new_node()}, sight.ends()};
        }
        WARPTREE_RECORDS Value aggregates(Index from, Index to, SourceLine at = {}) const {
            const T none = warptree::identity<T>(static_cast<Operator>(r_->params.op));
            r_->write(EventKind::identity, 0, at, 0, 0, bits(none));
            Value sum{none, r_->new_node()};
            for (Index k = from + threadIdx.x % 32; k < to; k += 32) {
                const T value = states_.aggregate(k);
                const Index end = (k + 1) * elements_;
                r_->write(EventKind::look, 0, at, static_cast<std::uint32_t>(k),
                          static_cast<std::uint32_t>((end < n_ ? end : n_) - 1), bits(value));
                const std::uint32_t node = r_->new_node();
                if (k < from + 32) {
                    sum = {value, node};
                } else {
                    const T both = apply(static_cast<Operator>(r_->params.op), sum.value, value);
                    r_->write(EventKind::combine, 0, at, sum.node, node, bits(both));
                    sum = {both, r_->new_node()};
                }
            }
            return sum;
        }
        __device__ void ask(SourceLine at = {}) {
            states_.ask();
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at);
            }
        }
        __device__ Index next(SourceLine at = {}) {
            r_->write(EventKind::barrier, 0, at);
            return states_.next();
        }

      private:
        __device__ void publish(Index tile, bool is_prefix, const Value& v, SourceLine at) const {
            r_->write(EventKind::publish, is_prefix ? 1 : 0, at, static_cast<std::uint32_t>(tile), v.node);
            states_.publish(tile, is_prefix, v.value);
        }
        ThreadRecord* r_;
        Index n_, elements_;
        TileStates<T> states_;
    };

    // All blocks go at the same pace.
    class Queue {
      public:
        __device__ Queue(ThreadRecord* r, Index first) : r_(r), tile_(first) {}
        __device__ void ask(SourceLine at = {}) const {
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at);
            }
        }
        __device__ Index next(SourceLine at = {}) {
            r_->write(EventKind::barrier, 0, at);
            __syncthreads();
            tile_ += r_->params.grid;
            return tile_;
        }

      private:
        ThreadRecord* r_;
        Index tile_;
    };

    // The lanes that a condition parts, until it goes out of scope.
    class Branch {
      public:
        __device__ Branch(ThreadRecord* r, bool taken) : r_(r), taken_(taken) {
            r_->write(EventKind::branch, taken ? 1 : 0, SourceLine::none());
        }
        __device__ ~Branch() { r_->write(EventKind::join, 0, SourceLine::none()); }
        Branch(const Branch&) = delete;
        Branch& operator=(const Branch&) = delete;
        __device__ explicit operator bool() const { return taken_; }

      private:
        ThreadRecord* r_;
        bool taken_;
    };
    class Loop {
      public:
        __device__ explicit Loop(ThreadRecord* r) : r_(r) { r_->write(EventKind::loop, 0, SourceLine::none()); }
        __device__ ~Loop() { r_->write(EventKind::join, 0, SourceLine::none()); }
        Loop(const Loop&) = delete;
        Loop& operator=(const Loop&) = delete;
        __device__ bool again(bool condition) const {
            r_->write(EventKind::turn, condition ? 1 : 0, SourceLine::none());
            return condition;
        }

      private:
        ThreadRecord* r_;
    };

    __device__ explicit Trace(ThreadRecord* r) : r_(r) {}

    __device__ unsigned thread() const { return threadIdx.x; }
    __device__ unsigned lane() const { return threadIdx.x % 32; }
    __device__ unsigned warp() const { return threadIdx.x / 32; }
    __device__ Index block() const { return blockIdx.x + Index{r_->params.first_block}; }
    __device__ unsigned block_size() const { return blockDim.x; }
    __device__ Index grid_size() const { return r_->params.grid; }

    __device__ Shared shared(unsigned count) const { return Shared(r_, count); }
    // The events written between two accesses keep the compiler from holding words in registers.
    __device__ Shared volatile_shared(unsigned count) const { return Shared(r_, count); }
    __device__ Array array(Output, Index first, unsigned) const { return {r_, first}; }
    __device__ Tiles tiles(Output, Index n, Index elements) const {
        return {r_, n, elements, r_->params.grid, r_->params.grid};
    }
    __device__ Tiles tiles(Output, Index n, Index elements, Index count, Index draws) const {
        return {r_, n, elements, count, draws};
    }
    __device__ Queue queue(Index) const { return {r_, block()}; }
    __device__ void stage(std::uint32_t stride, Phase phase = Phase::none) const {
        r_->write(EventKind::step, static_cast<unsigned>(StepKind::stage), SourceLine::none(), stride,
                  static_cast<std::uint32_t>(phase));
    }
    __device__ void store() const {
        r_->write(EventKind::step, static_cast<unsigned>(StepKind::store), SourceLine::none());
    }
    __device__ Branch branch(bool condition) const { return {r_, condition}; }
    __device__ Loop loop() const { return Loop(r_); }
    __device__ void barrier(SourceLine at = {}) const {
        r_->write(EventKind::barrier, 0, at);
        __syncthreads();
    }
    __device__ void warp_barrier() const {
        r_->write(EventKind::warp_barrier, 0, SourceLine::none());
        __syncwarp();
    }

    WARPTREE_RECORDS Value load(Input, Index i, Index n, SourceLine at = {}) const {
        if (i >= n) {
            return identity(at);
        }
        const T value = element(i);
        r_->write(EventKind::load, 0, at, static_cast<std::uint32_t>(i), 0, bits(value));
        return {value, r_->new_node()};
    }
    WARPTREE_RECORDS Vector<Value, kVector> load_vector(Input in, Index i, Index n, SourceLine at = {}) const {
        const Index first = i * kVector;
        const bool whole = first + kVector <= n;
        if (whole) {
            r_->write(EventKind::load_vector, 0, at, static_cast<std::uint32_t>(i));
        }
        Vector<Value, kVector> v;
        for (unsigned k = 0; k < kVector; ++k) {
            if (whole) {
                const T value = element(first + k);
                r_->write(EventKind::element, 0, at, static_cast<std::uint32_t>(first + k), 0, bits(value));
                v[k] = {value, r_->new_node()};
            } else {
                v[k] = load(in, first + k, n, at);
            }
        }
        return v;
    }
    __device__ Vector<Value, kVector> load_vector(Input in, Index i, SourceLine at = {}) const {
        return load_vector(in, i, r_->params.n, at);
    }
    __device__ Vector<Value, kVector> shared_vector(const Shared& s, Index k, SourceLine at = {}) const {
        return s.load_vector(k, at);
    }
    __device__ void copy_vector(const Shared& s, Index k, Input in, Index i, Index n, SourceLine at = {}) const {
        s.store_vector(k, load_vector(in, i, n, at), at);
    }
    __device__ void copy_vector(const Shared& s, Index k, Input in, Index i, SourceLine at = {}) const {
        copy_vector(s, k, in, i, r_->params.n, at);
    }
    __device__ void copies_sent() const {}
    template <unsigned N> __device__ void copies_arrived() const {}
    __device__ void prefetch(Input, Index, unsigned, Index) const {}
    WARPTREE_RECORDS Value identity(SourceLine at = {}) const {
        const T value = warptree::identity<T>(op());
        r_->write(EventKind::identity, 0, at, 0, 0, bits(value));
        return {value, r_->new_node()};
    }
    template <class A, class B> __device__ Value combine(const A& a, const B& b, SourceLine at = {}) const {
        return combined(static_cast<Value>(a), static_cast<Value>(b), at);
    }
    template <class A, class B> __device__ Value multiply(const A& a, const B& b, SourceLine at = {}) const {
        const Value left = a;
        const Value right = b;
        const T value = Product::apply(left.value, right.value);
        r_->write(EventKind::combine, 0, at, left.node, right.node, bits(value));
        return {value, r_->new_node()};
    }
    __device__ Value shuffle_down(const Value& v, unsigned delta, unsigned width = 32, SourceLine at = {}) const {
        note_shuffle(ShuffleKind::down, delta, width, at);
        return {__shfl_down_sync(kAll, v.value, delta, width), __shfl_down_sync(kAll, v.node, delta, width)};
    }
    __device__ Value shuffle_up(const Value& v, unsigned delta, unsigned width = 32, SourceLine at = {}) const {
        note_shuffle(ShuffleKind::up, delta, width, at);
        return {__shfl_up_sync(kAll, v.value, delta, width), __shfl_up_sync(kAll, v.node, delta, width)};
    }
    __device__ Value shuffle_xor(const Value& v, unsigned mask, unsigned width = 32, SourceLine at = {}) const {
        note_shuffle(ShuffleKind::exchange_xor, mask, width, at);
        return {__shfl_xor_sync(kAll, v.value, mask, width), __shfl_xor_sync(kAll, v.node, mask, width)};
    }
    __device__ Value shuffle_index(const Value& v, unsigned lane, unsigned width = 32, SourceLine at = {}) const {
        note_shuffle(ShuffleKind::index, lane, width, at);
        return {__shfl_sync(kAll, v.value, lane, width), __shfl_sync(kAll, v.node, lane, width)};
    }
    // The combines that the instruction hides, as the interpreter takes them to be.
    WARPTREE_RECORDS Value reduce_lanes(const Value& v, SourceLine at = {}) const {
        Value mine = v;
        r_->write(EventKind::take_part, 0, at);
        for (unsigned delta = 16; delta > 0; delta /= 2) {
            const Value other{__shfl_down_sync(kAll, mine.value, delta), __shfl_down_sync(kAll, mine.node, delta)};
            r_->write(EventKind::warp_barrier, 0, SourceLine::none()); // operands exist before the combine
            if (lane() < delta) {
                mine = combine(mine, other, at);
            }
        }
        note_shuffle(ShuffleKind::reduce, 0, 32, at);
        return {__shfl_sync(kAll, mine.value, 0), __shfl_sync(kAll, mine.node, 0)};
    }

    __device__ std::uint32_t argument(unsigned k) const { return r_->params.arguments[k]; }
    __device__ void emit(Output out, const Value& v, SourceLine at = {}) const {
        if (r_->params.atomic) {
            atomic(out, v, at);
        } else {
            put(out, block(), v, at);
        }
    }
    __device__ void put(Output, Index i, const Value& v, SourceLine at = {}) const {
        leave(OutputTo::output, static_cast<std::uint32_t>(i), v, at);
        static_cast<T*>(r_->params.output)[i] = v.value;
    }
    WARPTREE_RECORDS void put_vector(Output out, Index i, const Vector<Value, kVector>& v, Index n,
                                     SourceLine at = {}) const {
        const Index first = i * kVector;
        const bool whole = first + kVector <= n;
        if (whole) {
            r_->write(EventKind::store_vector, 0, at, static_cast<std::uint32_t>(i));
        }
        for (unsigned k = 0; k < kVector; ++k) {
            if (whole) {
                r_->write(EventKind::element_put, 0, at, static_cast<std::uint32_t>(first + k), v[k].node,
                          bits(v[k].value));
                static_cast<T*>(r_->params.output)[first + k] = v[k].value;
            } else if (first + k < n) {
                put(out, first + k, v[k], at);
            }
        }
    }
    __device__ void put_vector(Output out, Index i, const Vector<Value, kVector>& v, SourceLine at = {}) const {
        put_vector(out, i, v, r_->params.n, at);
    }
    WARPTREE_RECORDS void atomic(Output, const Value& v, SourceLine at = {}) const {
        leave(OutputTo::atomic_total, 0, v, at);
        T* total = static_cast<T*>(r_->params.output);
        visit_operator(op(), [&](auto o) { atomic_combine<decltype(o)>(total, v.value); });
    }

    __device__ bool last_to_arrive(SourceLine at = {}) const {
        bool last = false;
        if (threadIdx.x == 0) {
            r_->write(EventKind::ticket, 0, at);
            __threadfence();
            last = atomicAdd(r_->params.arrived, 1U) == r_->params.grid - 1;
            __threadfence();
        }
        r_->write(EventKind::barrier, 0, at);
        return __syncthreads_or(last ? 1 : 0) != 0;
    }
    __device__ void gather() const {
        r_->write(EventKind::step, static_cast<unsigned>(StepKind::load), SourceLine::none());
    }
    WARPTREE_RECORDS Value load_partial(Output, Index i, Index n, SourceLine at = {}) const {
        if (i >= n) {
            return identity(at);
        }
        const T value = __ldcg(native(static_cast<T*>(r_->params.output) + i));
        r_->write(EventKind::partial, 0, at, static_cast<std::uint32_t>(i), 0, bits(value));
        return {value, r_->new_node()};
    }
    __device__ void put_total(Output, const Value& v, SourceLine at = {}) const {
        leave(OutputTo::total, 0, v, at);
        static_cast<T*>(r_->params.output)[0] = v.value;
    }

  private:
    WARPTREE_RECORDS Value combined(Value left, Value right, SourceLine at) const {
        const T value = apply(op(), left.value, right.value);
        r_->write(EventKind::combine, 0, at, left.node, right.node, bits(value));
        return {value, r_->new_node()};
    }
    static constexpr unsigned kAll = 0xFFFFFFFFU;
    __device__ void note_shuffle(ShuffleKind kind, unsigned delta, unsigned width, SourceLine at) const {
        r_->write(EventKind::shuffle, static_cast<unsigned>(kind), at, delta, width);
    }
    WARPTREE_RECORDS void leave(OutputTo to, std::uint32_t index, const Value& v, SourceLine at) const {
        r_->write(EventKind::output, static_cast<unsigned>(to), at, index, v.node, bits(v.value));
    }
    __device__ T element(Index i) const {
        const T value = static_cast<const T*>(r_->params.input)[i];
        return r_->params.maps ? map(op(), value) : value;
    }
    __device__ Operator op() const { return static_cast<Operator>(r_->params.op); }
    __device__ static std::uint64_t bits(T value) {
        std::uint64_t b = 0;
        memcpy(&b, &value, sizeof(T));
        return b;
    }
    ThreadRecord* r_;
};

} // namespace warptree::cuda
