// The tree of a block whose size is known when the kernel is compiled: steps that the size does not need are not there.
#pragma once

#include "reduction.cuh"

// A step of several warps.
template <unsigned s> __device__ __forceinline__ void block_step(T* sdata, unsigned tid) {
    if (tid < s)
        sdata[tid] = op(sdata[tid], sdata[tid + s]);
    __syncthreads();
}

// A step of the last warp, which all its lanes take.
template <unsigned s> __device__ __forceinline__ void warp_step(T* sdata, unsigned tid, T& v) {
    v = op(v, sdata[tid + s]);
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
}

// Reduces sdata[0] … sdata[B - 1], which the block's B threads have just written, to sdata[0], which thread 0 may then
// read. Blocks of 32 threads and fewer need twice the words, because the last lanes read past them.
template <unsigned B> __device__ __forceinline__ void block_tree(T* sdata, unsigned tid) {
    if constexpr (B <= 32 && B > 1)
        sdata[tid + B] = identity;
    __syncthreads();

    if constexpr (B >= 1024)
        block_step<512>(sdata, tid);
    if constexpr (B >= 512)
        block_step<256>(sdata, tid);
    if constexpr (B >= 256)
        block_step<128>(sdata, tid);
    if constexpr (B >= 128)
        block_step<64>(sdata, tid);

    if (B > 1 && tid < 32) {
        T v = sdata[tid];
        if constexpr (B >= 64)
            warp_step<32>(sdata, tid, v);
        if constexpr (B >= 32)
            warp_step<16>(sdata, tid, v);
        if constexpr (B >= 16)
            warp_step<8>(sdata, tid, v);
        if constexpr (B >= 8)
            warp_step<4>(sdata, tid, v);
        if constexpr (B >= 4)
            warp_step<2>(sdata, tid, v);
        if constexpr (B >= 2)
            warp_step<1>(sdata, tid, v);
    }
}
