// Reductions over the lanes of a warp and the warps of a block, in registers.
#pragma once

#include "reduction.cuh"

// All 32 lanes call it; lane 0 gets the result.
__device__ __forceinline__ T warp_reduce(T v) {
    for (unsigned offset = 16; offset > 0; offset /= 2)
        v = op(v, __shfl_down_sync(0xFFFFFFFF, v, offset));
    return v;
}

// All threads of the block call it, with 32 words of shared memory; thread 0 gets the result. `lanes` reduces a warp.
template <T (*lanes)(T) = warp_reduce> __device__ __forceinline__ T block_reduce(T v, T* sdata) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = lanes(v);
    if (lane == 0)
        sdata[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < blockDim.x / 32 ? sdata[lane] : identity;
        v = lanes(v);
    }
    return v;
}
