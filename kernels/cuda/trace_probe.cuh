// The probe that records on the GPU: each thread writes its events, the host replays them (replay.hpp).
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/events.hpp"
#include "kernels/simt/simt.hpp"
#include "kernels/trace/trace.hpp"

namespace warptree::cuda {

struct ThreadRecord {
    TraceParams params;
    std::uint64_t thread; // in this launch
    std::uint32_t count = 0, nodes = 0;

    __device__ void write(EventKind kind, unsigned detail, SourceLine at, std::uint32_t a = 0, std::uint32_t b = 0,
                          std::uint64_t value = 0) {
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
        __device__ operator Value() const {
            r_->write(EventKind::shared_load, 0, at_.line, at_.index);
            return {data_[at_.index], nodes_[at_.index]};
        }
        __device__ void operator=(const Value& v) const {
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

      private:
        ThreadRecord* r_;
        T* data_;
        std::uint32_t* nodes_;
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
    __device__ void stage(std::uint32_t stride) const {
        r_->write(EventKind::step, static_cast<unsigned>(StepKind::stage), SourceLine::none(), stride);
    }
    __device__ void store() const {
        r_->write(EventKind::step, static_cast<unsigned>(StepKind::store), SourceLine::none());
    }
    __device__ bool branch(bool condition) const {
        r_->write(EventKind::branch, condition ? 1 : 0, SourceLine::none());
        return condition;
    }
    __device__ void barrier(SourceLine at = {}) const {
        r_->write(EventKind::barrier, 0, at);
        __syncthreads();
    }
    __device__ void warp_barrier() const {
        r_->write(EventKind::warp_barrier, 0, SourceLine::none());
        __syncwarp();
    }

    __device__ Value load(Input, Index i, Index n, SourceLine at = {}) const {
        if (i >= n) {
            return identity(at);
        }
        const T value = static_cast<const T*>(r_->params.input)[i];
        r_->write(EventKind::load, 0, at, static_cast<std::uint32_t>(i), 0, bits(value));
        return {value, r_->new_node()};
    }
    __device__ Value identity(SourceLine at = {}) const {
        const T value = warptree::identity<T>(op());
        r_->write(EventKind::identity, 0, at, 0, 0, bits(value));
        return {value, r_->new_node()};
    }
    template <class A, class B> __device__ Value combine(const A& a, const B& b, SourceLine at = {}) const {
        const Value left = a;
        const Value right = b;
        const T value = apply(op(), left.value, right.value);
        r_->write(EventKind::combine, 0, at, left.node, right.node, bits(value));
        return {value, r_->new_node()};
    }
    __device__ Value shuffle_down(const Value& v, unsigned delta, SourceLine at = {}) const {
        r_->write(EventKind::shuffle, static_cast<unsigned>(ShuffleKind::down), at, delta, 32);
        return {__shfl_down_sync(0xFFFFFFFFU, v.value, delta), __shfl_down_sync(0xFFFFFFFFU, v.node, delta)};
    }

    __device__ void emit(Output out, const Value& v, SourceLine at = {}) const {
        if (r_->params.atomic) {
            atomic(out, v, at);
            return;
        }
        const auto b = static_cast<std::uint32_t>(block());
        r_->write(EventKind::output, 0, at, b, v.node, bits(v.value));
        static_cast<T*>(r_->params.output)[b] = v.value;
    }
    __device__ void atomic(Output, const Value& v, SourceLine at = {}) const {
        r_->write(EventKind::output, 1, at, 0, v.node, bits(v.value));
        T* total = static_cast<T*>(r_->params.output);
        visit_operator(op(), [&](auto o) { atomic_combine<decltype(o)>(total, v.value); });
    }

  private:
    __device__ Operator op() const { return static_cast<Operator>(r_->params.op); }
    __device__ static std::uint64_t bits(T value) {
        std::uint64_t b = 0;
        memcpy(&b, &value, sizeof(T));
        return b;
    }
    ThreadRecord* r_;
};

} // namespace warptree::cuda
