// The scan of a block in registers: warps first, then their totals.
#pragma once

#include "reduction.cuh"

// Lane l < lanes gets op of lanes 0 … l; the warp's 32 lanes call it.
__device__ __forceinline__ T warp_scan(T v, unsigned lanes = 32) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned offset = 1; offset < lanes; offset *= 2) {
        const T below = __shfl_up_sync(0xFFFFFFFF, v, offset);
        if (lane >= offset && lane < lanes)
            v = op(below, v);
    }
    return v;
}

// Thread t gets op of threads 0 … t. All threads call it, with 32 words of shared memory; word w then holds op of warps
// 0 … w.
__device__ __forceinline__ T block_scan(T v, T* sdata) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    v = warp_scan(v); // step: A: Each warp scans its lanes.
    if (lane == 31)
        sdata[warp] = v; // step: B: The last lane of each warp leaves its total.
    __syncthreads();

    if (warp == 0) {
        T total = lane < warps ? sdata[lane] : v;
        total = warp_scan(total, warps); // step: C: One warp scans the totals.
        if (lane < warps)
            sdata[lane] = total;
    }
    __syncthreads();

    if (warp > 0)
        v = op(sdata[warp - 1], v); // step: D: Lanes add what stands before their warp.
    return v;
}
