// How the partial results of all blocks become one in the same launch, in the block that arrives last.
#pragma once

#include "reduction.cuh"

__device__ unsigned arrived; // blocks whose partial result is there; the last one's makes it 0 for the next launch

// atomicInc between two fences: whoever sees the counter grow sees what the thread stored before. As one instruction it is
// sooner done than with __threadfence().
__device__ __forceinline__ unsigned arrive(unsigned* counter, unsigned last) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(last) : "memory");
    return before;
}

// All threads call it when thread 0 has stored the block's partial result in out[blockIdx.x]; thread 0 of the last block
// stores the total in out[0]. Takes a word of dynamic shared memory for each thread.
__device__ __forceinline__ void finish_in_last_block(T* out) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const bool is_last = tid == 0 && arrive(&arrived, gridDim.x - 1) == gridDim.x - 1;
    if (!__syncthreads_or(is_last))
        return;

    T v = identity; // past the L1 cache, which does not see what other blocks store
    if (tid < gridDim.x)
        v = __ldcg(out + tid); // step: partials: The last block to arrive loads the partial results of all.
    for (unsigned i = tid + blockDim.x; i < gridDim.x; i += blockDim.x)
        v = op(v, __ldcg(out + i));
    sdata[tid] = v;
    __syncthreads();

    // The largest power of two below the size of the block.
    const unsigned half = blockDim.x > 1 ? 1u << (31 - __clz(blockDim.x - 1)) : 0;
    for (unsigned s = half; s >= 32; s /= 2) {
        if (tid < s && tid + s < blockDim.x)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid < 32) { // one warp, in registers
        const unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xFFFFFFFF;
        v = sdata[tid];
        for (unsigned s = min(half, 16u); s > 0; s /= 2) {
            const T other = __shfl_down_sync(lanes, v, s);
            if (tid < s)
                v = op(v, other);
        }
    }
    if (tid == 0)
        out[0] = v; // step: total: The last block to arrive stores the total.
}
