// The probe that records on the GPU: each thread writes its events, the host replays them (replay.hpp).
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/thread_record.cuh"
#include "kernels/cuda/tile_states.cuh"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

namespace warptree::cuda {

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
        Place place;
        __device__ At(std::uint64_t i, Place at = {}) : index(static_cast<std::uint32_t>(i)), place(at) {}
    };

    // Shared memory holds the block's elements, and behind them the node of each.
    class SharedElement {
      public:
        __device__ SharedElement(ThreadRecord* r, unsigned count, At at) : r_(r), count_(count), at_(at) {}
        __device__ operator Value() const { return load_shared(r_, count_, at_); }
        __device__ void operator=(const Value& v) const { store_shared(r_, count_, at_, v); }
        __device__ void operator=(const SharedElement& other) const { *this = static_cast<Value>(other); }

      private:
        ThreadRecord* r_;
        unsigned count_;
        At at_;
    };
    class Shared {
      public:
        __device__ Shared(ThreadRecord* r, unsigned count) : r_(r), count_(count) {}
        __device__ SharedElement operator[](At at) const { return {r_, count_, at}; }
        __device__ Vector<Value, kVector> load_vector(Index k, Place at) const {
            return load_shared_vector(r_, count_, static_cast<std::uint32_t>(k), at);
        }
        __device__ void store_vector(Index k, const Vector<Value, kVector>& v, Place at) const {
            store_shared_vector(r_, count_, static_cast<std::uint32_t>(k), v, at);
        }

      private:
        ThreadRecord* r_;
        unsigned count_;
    };

    class ArrayElement {
      public:
        __device__ ArrayElement(ThreadRecord* r, Index first, At at) : r_(r), first_(first), at_(at) {}
        __device__ operator Value() const {
            r_->write(EventKind::array_load, 0, at_.place, at_.index, 0, first_);
            return {place(), node()};
        }
        __device__ void operator=(const Value& v) const {
            r_->write(EventKind::array_store, 0, at_.place, at_.index, v.node, first_);
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
        __device__ Index ticket(Place at = {}) {
            const unsigned tile = states_.ticket();
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at, tile);
            }
            r_->note_at(EventKind::barrier, at);
            return tile;
        }
        __device__ void publish_aggregate(Index tile, const Value& v, Place at = {}) const {
            publish(tile, false, v, at);
        }
        __device__ void publish_prefix(Index tile, const Value& v, Place at = {}) const { publish(tile, true, v, at); }
        __device__ Seen look_back(Index tile, Place at = {}) const {
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
        struct Peek {
            Index from, to;
        };
        __device__ Peek peek(Index from, Index to) const { return {from, to}; }
        __device__ Value aggregates(const Peek& p, Place at = {}) const {
            Value sum = identity_element(r_, at);
            for (Index k = p.from + threadIdx.x % 32; k < p.to; k += 32) {
                const T value = states_.aggregate(k);
                const Index end = (k + 1) * elements_;
                r_->write(EventKind::look, 0, at, static_cast<std::uint32_t>(k),
                          static_cast<std::uint32_t>((end < n_ ? end : n_) - 1), bits(value));
                const Value seen{value, r_->new_node()};
                sum = k < p.from + 32 ? seen : combined(r_, sum, seen, at);
            }
            return sum;
        }
        __device__ void ask(Place at = {}) {
            states_.ask();
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at);
            }
        }
        __device__ Index next(Place at = {}) {
            r_->note_at(EventKind::barrier, at);
            return states_.next();
        }

      private:
        __device__ void publish(Index tile, bool is_prefix, const Value& v, Place at) const {
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
        __device__ void ask(Place at = {}) const {
            if (threadIdx.x == 0) {
                r_->write(EventKind::ticket, 0, at);
            }
        }
        __device__ Index next(Place at = {}) {
            r_->note_at(EventKind::barrier, at);
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
            r_->note(EventKind::branch, taken ? 1 : 0);
        }
        __device__ ~Branch() { r_->note(EventKind::join); }
        Branch(const Branch&) = delete;
        Branch& operator=(const Branch&) = delete;
        __device__ explicit operator bool() const { return taken_; }

      private:
        ThreadRecord* r_;
        bool taken_;
    };
    class Loop {
      public:
        __device__ explicit Loop(ThreadRecord* r) : r_(r) { r_->note(EventKind::loop); }
        __device__ ~Loop() { r_->note(EventKind::join); }
        Loop(const Loop&) = delete;
        Loop& operator=(const Loop&) = delete;
        __device__ bool again(bool condition) const {
            r_->note(EventKind::turn, condition ? 1 : 0);
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
        r_->step(StepKind::stage, stride, phase);
    }
    __device__ void store() const { r_->step(StepKind::store); }
    __device__ Branch branch(bool condition) const { return {r_, condition}; }
    __device__ Loop loop() const { return Loop(r_); }
    __device__ void barrier(Place at = {}) const {
        r_->note_at(EventKind::barrier, at);
        __syncthreads();
    }
    __device__ void meet(Place at = {}) const {
        r_->note_at(EventKind::barrier, at);
        cuda::meet_block();
    }
    __device__ void warp_barrier() const {
        r_->note(EventKind::warp_barrier);
        __syncwarp();
    }

    __device__ Value load(Input, Index i, Index n, Place at = {}) const { return load_element(r_, i, n, at); }
    WARPTREE_RECORDS Vector<Value, kVector> load_vector(Input, Index i, Index n, Place at = {}) const {
        const Index first = i * kVector;
        const bool whole = first + kVector <= n;
        if (whole) {
            r_->write(EventKind::load_vector, 0, at, static_cast<std::uint32_t>(i));
        }
        Vector<Value, kVector> v;
        for (unsigned k = 0; k < kVector; ++k) {
            if (whole) {
                const T value = element(r_, first + k);
                r_->write(EventKind::element, 0, at, static_cast<std::uint32_t>(first + k), 0, bits(value));
                v[k] = {value, r_->new_node()};
            } else {
                v[k] = load_element(r_, first + k, n, at);
            }
        }
        return v;
    }
    __device__ Vector<Value, kVector> load_vector(Input in, Index i, Place at = {}) const {
        return load_vector(in, i, r_->params.n, at);
    }
    __device__ Vector<Value, kVector> shared_vector(const Shared& s, Index k, Place at = {}) const {
        return s.load_vector(k, at);
    }
    __device__ void copy_vector(const Shared& s, Index k, Input in, Index i, Index n, Place at = {}) const {
        s.store_vector(k, load_vector(in, i, n, at), at);
    }
    __device__ void copy_vector(const Shared& s, Index k, Input in, Index i, Place at = {}) const {
        copy_vector(s, k, in, i, r_->params.n, at);
    }
    __device__ void copies_sent() const {}
    template <unsigned N> __device__ void copies_arrived() const {}
    __device__ void prefetch(Input, Index, unsigned, Index) const {}
    __device__ Value identity(Place at = {}) const { return identity_element(r_, at); }
    template <class A, class B> __device__ Value combine(const A& a, const B& b, Place at = {}) const {
        const Value left = a; // in this order, as the interpreter does
        const Value right = b;
        return combined(r_, left, right, at);
    }
    template <class A, class B> __device__ Value multiply(const A& a, const B& b, Place at = {}) const {
        const Value left = a;
        const Value right = b;
        return made(r_, EventKind::product, Product::apply(left.value, right.value), left, right, at);
    }
    __device__ Value shuffle_down(const Value& v, unsigned delta, unsigned width = 32, Place at = {}) const {
        r_->shuffle(ShuffleKind::down, delta, width, at);
        return {__shfl_down_sync(kAll, v.value, delta, width), __shfl_down_sync(kAll, v.node, delta, width)};
    }
    __device__ Value shuffle_up(const Value& v, unsigned delta, unsigned width = 32, Place at = {}) const {
        r_->shuffle(ShuffleKind::up, delta, width, at);
        return {__shfl_up_sync(kAll, v.value, delta, width), __shfl_up_sync(kAll, v.node, delta, width)};
    }
    __device__ Value shuffle_xor(const Value& v, unsigned mask, unsigned width = 32, Place at = {}) const {
        r_->shuffle(ShuffleKind::exchange_xor, mask, width, at);
        return {__shfl_xor_sync(kAll, v.value, mask, width), __shfl_xor_sync(kAll, v.node, mask, width)};
    }
    __device__ Value shuffle_index(const Value& v, unsigned lane, unsigned width = 32, Place at = {}) const {
        r_->shuffle(ShuffleKind::index, lane, width, at);
        return {__shfl_sync(kAll, v.value, lane, width), __shfl_sync(kAll, v.node, lane, width)};
    }
    // The combines that the instruction hides, as the interpreter takes them to be.
    WARPTREE_RECORDS Value reduce_lanes(const Value& v, Place at = {}) const {
        Value mine = v;
        r_->note_at(EventKind::take_part, at);
        for (unsigned delta = 16; delta > 0; delta /= 2) {
            const Value other{__shfl_down_sync(kAll, mine.value, delta), __shfl_down_sync(kAll, mine.node, delta)};
            r_->note(EventKind::lanes_meet); // operands exist before the combine
            if (lane() < delta) {
                mine = combine(mine, other, at);
            }
        }
        r_->shuffle(ShuffleKind::reduce, 0, 32, at);
        return {__shfl_sync(kAll, mine.value, 0), __shfl_sync(kAll, mine.node, 0)};
    }

    __device__ std::uint32_t argument(unsigned k) const { return r_->params.arguments[k]; }
    __device__ void emit(Output out, const Value& v, Place at = {}) const {
        if (r_->params.atomic) {
            atomic(out, v, at);
        } else {
            put(out, block(), v, at);
        }
    }
    __device__ void put(Output, Index i, const Value& v, Place at = {}) const {
        store_output(r_, OutputTo::output, i, v, at);
    }
    WARPTREE_RECORDS void put_vector(Output out, Index i, const Vector<Value, kVector>& v, Index n,
                                     Place at = {}) const {
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
    __device__ void put_vector(Output out, Index i, const Vector<Value, kVector>& v, Place at = {}) const {
        put_vector(out, i, v, r_->params.n, at);
    }
    __device__ void atomic(Output, const Value& v, Place at = {}) const { combine_output(r_, v, at); }

    __device__ bool last_to_arrive(Place at = {}) const {
        bool last = false;
        if (threadIdx.x == 0) {
            r_->write(EventKind::ticket, 0, at);
            __threadfence();
            last = atomicAdd(r_->params.arrived, 1U) == r_->params.grid - 1;
            __threadfence();
        }
        r_->note_at(EventKind::barrier, at);
        return __syncthreads_or(last ? 1 : 0) != 0;
    }
    __device__ void gather() const { r_->step(StepKind::load); }
    __device__ Value load_partial(Output, Index i, Index n, Place at = {}) const {
        return load_output(r_, i, n, false, at);
    }
    __device__ void tell(Output, const Value& v, Place at = {}) const {
        store_output(r_, OutputTo::told, blockIdx.x, v, at);
        __threadfence();
        atomicAdd(r_->params.arrived, 1U);
    }
    __device__ Value hear(Output, Index i, Index n, Place at = {}) const {
        while (*static_cast<volatile std::uint32_t*>(r_->params.arrived) < r_->params.grid) {
        }
        __threadfence();
        return load_output(r_, i, n, true, at);
    }
    __device__ void put_total(Output, const Value& v, Place at = {}) const {
        store_output(r_, OutputTo::total, 0, v, at);
    }

  private:
    WARPTREE_RECORDS static Value load_shared(ThreadRecord* r, unsigned count, At at) {
        r->write(EventKind::shared_load, 0, at.place, at.index);
        return {shared_elements()[at.index], shared_nodes(count)[at.index]};
    }
    WARPTREE_RECORDS static void store_shared(ThreadRecord* r, unsigned count, At at, Value v) {
        r->write(EventKind::shared_store, 0, at.place, at.index, v.node);
        shared_elements()[at.index] = v.value;
        shared_nodes(count)[at.index] = v.node;
    }
    WARPTREE_RECORDS static Vector<Value, kVector> load_shared_vector(ThreadRecord* r, unsigned count, std::uint32_t k,
                                                                      Place at) {
        r->write(EventKind::shared_vector, 0, at, k);
        Vector<Value, kVector> v;
        for (unsigned e = 0; e < kVector; ++e) {
            v[e] = {shared_elements()[k * kVector + e], shared_nodes(count)[k * kVector + e]};
        }
        return v;
    }
    WARPTREE_RECORDS static void store_shared_vector(ThreadRecord* r, unsigned count, std::uint32_t k,
                                                     Vector<Value, kVector> v, Place at) {
        r->write(EventKind::shared_vector, 1, at, k);
        for (unsigned e = 0; e < kVector; ++e) {
            const std::uint32_t word = k * kVector + e;
            r->write(EventKind::stored, 0, at, word, v[e].node);
            shared_elements()[word] = v[e].value;
            shared_nodes(count)[word] = v[e].node;
        }
    }
    WARPTREE_RECORDS static Value load_element(ThreadRecord* r, Index i, Index n, Place at) {
        if (i >= n) {
            return identity_element(r, at);
        }
        const T value = element(r, i);
        r->write(EventKind::load, 0, at, static_cast<std::uint32_t>(i), 0, bits(value));
        return {value, r->new_node()};
    }
    WARPTREE_RECORDS static Value identity_element(ThreadRecord* r, Place at) {
        const T value = warptree::identity<T>(op(r));
        r->write(EventKind::identity, 0, at, 0, 0, bits(value));
        return {value, r->new_node()};
    }
    WARPTREE_RECORDS static Value combined(ThreadRecord* r, Value left, Value right, Place at) {
        return made(r, EventKind::combine, apply(op(r), left.value, right.value), left, right, at);
    }
    __device__ static Value made(ThreadRecord* r, EventKind how, T value, const Value& left, const Value& right,
                                 Place at) {
        r->write(how, 0, at, left.node, right.node, bits(value));
        return {value, r->new_node()};
    }
    WARPTREE_RECORDS static void store_output(ThreadRecord* r, OutputTo to, Index i, Value v, Place at) {
        leave(r, to, static_cast<std::uint32_t>(i), v, at);
        static_cast<T*>(r->params.output)[i] = v.value;
    }
    WARPTREE_RECORDS static void combine_output(ThreadRecord* r, Value v, Place at) {
        leave(r, OutputTo::atomic_total, 0, v, at);
        T* total = static_cast<T*>(r->params.output);
        visit_operator(op(r), [&](auto o) { atomic_combine<decltype(o)>(total, v.value); });
    }
    WARPTREE_RECORDS static Value load_output(ThreadRecord* r, Index i, Index n, bool told, Place at) {
        if (i >= n) {
            return identity_element(r, at);
        }
        const T value = __ldcg(native(static_cast<T*>(r->params.output) + i));
        r->write(EventKind::partial, told ? 1 : 0, at, static_cast<std::uint32_t>(i), 0, bits(value));
        return {value, r->new_node()};
    }
    __device__ static void leave(ThreadRecord* r, OutputTo to, std::uint32_t index, const Value& v, Place at) {
        r->write(EventKind::output, static_cast<unsigned>(to), at, index, v.node, bits(v.value));
    }

    static constexpr unsigned kAll = 0xFFFFFFFFU;
    __device__ static T* shared_elements() {
        extern __shared__ __align__(16) unsigned char warptree_shared[];
        return reinterpret_cast<T*>(warptree_shared);
    }
    __device__ static std::uint32_t* shared_nodes(unsigned count) {
        return reinterpret_cast<std::uint32_t*>(shared_elements() + count);
    }
    __device__ static T element(const ThreadRecord* r, Index i) {
        const T value = static_cast<const T*>(r->params.input)[i];
        return r->params.maps ? map(op(r), value) : value;
    }
    __device__ static Operator op(const ThreadRecord* r) { return static_cast<Operator>(r->params.op); }
    __device__ static std::uint64_t bits(T value) {
        std::uint64_t b = 0;
        memcpy(&b, &value, sizeof(T));
        return b;
    }
    ThreadRecord* r_;
};

} // namespace warptree::cuda
