// The probe that records nothing: every call is the CUDA it stands for, and the kernel is the one to time.
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/tile_states.cuh"
#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

#include <cstring>

namespace warptree::simt {

// Blocks of the running grid that have arrived at last_to_arrive(); the last puts it back to 0. One grid of a
// strategy that uses it may run at a time.
static __device__ unsigned arrived_blocks;
// Tiles drawn from the queue of the running grid. The same holds.
static __device__ unsigned drawn_tiles;
// What the blocks of the running grid have told, and whether; who hears a word puts its flag back to 0. The same holds.
inline constexpr unsigned kMostTold = 65536;
static __device__ ulonglong2 told_words[kMostTold];

template <class T, class Op, bool Atomic> struct Off {
    using Element = T;
    static constexpr unsigned kVector = 16 / sizeof(T);
    Arguments arguments{}; // the strategy's parameters
    using Value = T;
    using Input = const T*;
    using Output = T*;

    __device__ __forceinline__ unsigned thread() const { return threadIdx.x; }
    __device__ __forceinline__ unsigned lane() const { return threadIdx.x % 32; }
    __device__ __forceinline__ unsigned warp() const { return threadIdx.x / 32; }
    __device__ __forceinline__ Index block() const { return blockIdx.x; }
    __device__ __forceinline__ unsigned block_size() const { return blockDim.x; }
    __device__ __forceinline__ Index grid_size() const { return gridDim.x; }

    __device__ __forceinline__ T* shared(unsigned) const {
        extern __shared__ __align__(16) unsigned char warptree_shared[];
        return reinterpret_cast<T*>(warptree_shared);
    }
    __device__ __forceinline__ volatile T* volatile_shared(unsigned count) const { return shared(count); }
    __device__ __forceinline__ T* array(T* out, Index first, unsigned) const { return out + first; }
    struct Seen {
        T value;
        bool ends;
    };
    struct Tiles {
        cuda::TileStates<T> states;
        __device__ __forceinline__ Index ticket() { return states.ticket(); }
        __device__ __forceinline__ void publish_aggregate(Index tile, T v) const { states.publish(tile, false, v); }
        __device__ __forceinline__ void publish_prefix(Index tile, T v) const { states.publish(tile, true, v); }
        __device__ __forceinline__ Seen look_back(Index tile) const {
            const auto sight = states.look_back(tile);
            return {sight.reads() ? sight.value : Op::template identity<T>, sight.ends()};
        }
        using Peek = typename cuda::TileStates<T>::Peek;
        __device__ __forceinline__ Peek peek(Index from, Index to) const { return states.peek(from, to); }
        __device__ __forceinline__ T aggregates(const Peek& p) const { return states.template aggregates<Op>(p); }
        __device__ __forceinline__ void ask() { states.ask(); }
        __device__ __forceinline__ Index next() { return states.next(); }
    };
    __device__ __forceinline__ Tiles tiles(T* out, Index n, Index) const { return {{out, n, gridDim.x, gridDim.x}}; }
    __device__ __forceinline__ Tiles tiles(T* out, Index n, Index, Index count, Index draws) const {
        return {{out, n, static_cast<unsigned>(count), static_cast<unsigned>(draws)}};
    }

    class Queue {
      public:
        __device__ __forceinline__ explicit Queue(unsigned last) : last_(last) {}
        __device__ __forceinline__ void ask() {
            if (threadIdx.x == 0) {
                asked_ = atomicInc(&drawn_tiles, last_); // every tile asks once: the last puts it back to 0
            }
        }
        __device__ __forceinline__ Index next() {
            __shared__ unsigned got[2]; // in turns, so that one barrier does
            if (threadIdx.x == 0) {
                got[turn_] = asked_;
            }
            __syncthreads();
            const Index tile = Index{gridDim.x} + got[turn_];
            turn_ ^= 1U;
            return tile;
        }

      private:
        unsigned last_, asked_ = 0, turn_ = 0;
    };
    __device__ __forceinline__ Queue queue(Index tiles) const { return Queue(static_cast<unsigned>(tiles) - 1); }
    __device__ __forceinline__ void stage(unsigned, Phase = Phase::none) const {}
    __device__ __forceinline__ void store() const {}
    __device__ __forceinline__ bool branch(bool condition) const { return condition; }
    struct Loop {
        __device__ __forceinline__ bool again(bool condition) const { return condition; }
    };
    __device__ __forceinline__ Loop loop() const { return {}; }
    __device__ __forceinline__ void barrier() const { __syncthreads(); }
    __device__ __forceinline__ void meet() const { cuda::meet_block(); }
    __device__ __forceinline__ void warp_barrier() const { __syncwarp(); }

    __device__ __forceinline__ T load(const T* in, Index i, Index n) const {
        return i < n ? Op::map(in[i]) : identity();
    }
    __device__ __forceinline__ Vector<T, kVector> load_vector(const T* in, Index i) const {
        Vector<T, kVector> v;
        const int4 raw = __ldg(reinterpret_cast<const int4*>(in) + i);
        memcpy(&v, &raw, sizeof v);
        for (unsigned k = 0; k < kVector; ++k) {
            v[k] = Op::map(v[k]);
        }
        return v;
    }
    __device__ __forceinline__ Vector<T, kVector> load_vector(const T* in, Index i, Index n) const {
        const Index first = i * kVector;
        if (first + kVector <= n) {
            return load_vector(in, i);
        }
        Vector<T, kVector> v;
        for (unsigned k = 0; k < kVector; ++k) {
            v[k] = load(in, first + k, n);
        }
        return v;
    }
    __device__ __forceinline__ Vector<T, kVector> shared_vector(const T* s, Index k) const {
        Vector<T, kVector> v;
        const int4 raw = reinterpret_cast<const int4*>(s)[k];
        memcpy(&v, &raw, sizeof v);
        return v;
    }
    __device__ __forceinline__ void copy_vector(T* s, Index k, const T* in, Index i) const {
#if __CUDA_ARCH__ >= 800
        if constexpr (std::is_base_of_v<Unmapped, Op>) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             static_cast<unsigned>(__cvta_generic_to_shared(s + k * kVector))),
                         "l"(reinterpret_cast<const int4*>(in) + i)
                         : "memory");
            return;
        }
#endif
        put_shared(s, k, load_vector(in, i));
    }
    __device__ __forceinline__ void copy_vector(T* s, Index k, const T* in, Index i, Index n) const {
        if ((i + 1) * kVector <= n) {
            copy_vector(s, k, in, i);
        } else {
            put_shared(s, k, load_vector(in, i, n));
        }
    }
    __device__ __forceinline__ void copies_sent() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }
    template <unsigned N> __device__ __forceinline__ void copies_arrived() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
    }
    __device__ __forceinline__ void prefetch(const T* in, Index i, unsigned count, Index n) const {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0 && (i + count) * kVector <= n) {
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(reinterpret_cast<const int4*>(in) + i),
                         "r"(count * 16)
                         : "memory");
        }
#endif
    }
    __device__ __forceinline__ T identity() const { return Op::template identity<T>; }
    __device__ __forceinline__ T combine(T a, T b) const { return Op::apply(a, b); }
    __device__ __forceinline__ T multiply(T a, T b) const { return Product::apply(a, b); }
    __device__ __forceinline__ T shuffle_down(T v, unsigned delta, unsigned width = 32) const {
        return __shfl_down_sync(kAll, v, delta, width);
    }
    __device__ __forceinline__ T shuffle_up(T v, unsigned delta, unsigned width = 32) const {
        return __shfl_up_sync(kAll, v, delta, width);
    }
    __device__ __forceinline__ T shuffle_xor(T v, unsigned mask, unsigned width = 32) const {
        return __shfl_xor_sync(kAll, v, mask, width);
    }
    __device__ __forceinline__ T shuffle_index(T v, unsigned lane, unsigned width = 32) const {
        return __shfl_sync(kAll, v, lane, width);
    }
    // The instruction where the device has it (cc 8.0 and later) for the type and operator, else shuffles.
    __device__ __forceinline__ T reduce_lanes(T v) const {
#if __CUDA_ARCH__ >= 800
        if constexpr (std::is_integral_v<T> && sizeof(T) == 4 && Op::name != Operator::product) {
            if constexpr (Op::name == Operator::min) {
                return static_cast<T>(__reduce_min_sync(kAll, v));
            } else if constexpr (Op::name == Operator::max) {
                return static_cast<T>(__reduce_max_sync(kAll, v));
            } else if constexpr (Op::name == Operator::xor_) {
                return static_cast<T>(__reduce_xor_sync(kAll, static_cast<unsigned>(v)));
            } else {
                return static_cast<T>(__reduce_add_sync(kAll, v));
            }
        } else
#endif
        {
            for (unsigned mask = 16; mask > 0; mask /= 2) {
                v = Op::apply(v, shuffle_xor(v, mask));
            }
            return v;
        }
    }
    __device__ __forceinline__ std::uint32_t argument(unsigned k) const { return arguments[k]; }
    __device__ __forceinline__ void emit(T* out, T v) const {
        if constexpr (Atomic) {
            cuda::atomic_combine<Op>(out, v);
        } else {
            out[blockIdx.x] = v;
        }
    }
    __device__ __forceinline__ void put(T* out, Index i, T v) const { out[i] = v; }
    __device__ __forceinline__ void put_vector(T* out, Index i, const Vector<T, kVector>& v) const {
        int4 raw;
        memcpy(&raw, &v, sizeof raw);
        __stcs(reinterpret_cast<int4*>(out) + i, raw);
    }
    __device__ __forceinline__ void put_vector(T* out, Index i, const Vector<T, kVector>& v, Index n) const {
        const Index first = i * kVector;
        if (first + kVector <= n) {
            put_vector(out, i, v);
            return;
        }
        for (unsigned k = 0; k < kVector; ++k) {
            if (first + k < n) {
                out[first + k] = v[k];
            }
        }
    }
    __device__ __forceinline__ void atomic(T* out, T v) const { cuda::atomic_combine<Op>(out, v); }

    __device__ __forceinline__ bool last_to_arrive() const {
        bool last = false;
        if (threadIdx.x == 0) {
            // This block's partial before its ticket, and the others' partials after it.
            last = cuda::draw_in_order(&arrived_blocks, gridDim.x - 1) == gridDim.x - 1;
        }
        return __syncthreads_or(last ? 1 : 0) != 0;
    }
    __device__ __forceinline__ void gather() const {}
    __device__ __forceinline__ T load_partial(T* out, Index i, Index n) const {
        return i < n ? __ldcg(cuda::native(out + i)) : identity(); // past the first cache, which is not coherent
    }
    __device__ __forceinline__ void put_total(T* out, T v) const { out[0] = v; }
    __device__ __forceinline__ void tell(T*, T v) const {
        Word bits;
        memcpy(&bits, &v, sizeof bits);
        cuda::write_word(told_words, blockIdx.x, bits, 1);
    }
    __device__ __forceinline__ T hear(T*, Index i, Index n) const {
        if (i >= n) {
            return identity();
        }
        Word bits;
        std::uint32_t told;
        do {
            cuda::read_word(told_words, i, bits, told);
        } while (told == 0);
        cuda::write_word(told_words, i, Word{}, 0);
        T v;
        memcpy(&v, &bits, sizeof v);
        return v;
    }

  private:
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    __device__ __forceinline__ static void put_shared(T* s, Index k, const Vector<T, kVector>& v) {
        int4 raw;
        memcpy(&raw, &v, sizeof raw);
        reinterpret_cast<int4*>(s)[k] = raw;
    }
    static constexpr unsigned kAll = 0xFFFFFFFFU;
};

} // namespace warptree::simt
