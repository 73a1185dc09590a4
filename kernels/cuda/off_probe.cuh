// The probe that records nothing: every call is the CUDA it stands for, and the kernel is the one to time.
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/simt/simt.hpp"

namespace warptree::simt {

template <class T, class Op, bool Atomic> struct Off {
    using Element = T;
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
    __device__ __forceinline__ void stage(unsigned) const {}
    __device__ __forceinline__ void store() const {}
    __device__ __forceinline__ bool branch(bool condition) const { return condition; }
    __device__ __forceinline__ void barrier() const { __syncthreads(); }
    __device__ __forceinline__ void warp_barrier() const { __syncwarp(); }

    __device__ __forceinline__ T load(const T* in, Index i, Index n) const { return i < n ? in[i] : identity(); }
    __device__ __forceinline__ T identity() const { return Op::template identity<T>; }
    __device__ __forceinline__ T combine(T a, T b) const { return Op::apply(a, b); }
    __device__ __forceinline__ T shuffle_down(T v, unsigned delta) const {
        return __shfl_down_sync(0xFFFFFFFFU, v, delta);
    }
    __device__ __forceinline__ void emit(T* out, T v) const {
        if constexpr (Atomic) {
            cuda::atomic_combine<Op>(out, v);
        } else {
            out[blockIdx.x] = v;
        }
    }
    __device__ __forceinline__ void atomic(T* out, T v) const { cuda::atomic_combine<Op>(out, v); }
};

} // namespace warptree::simt
