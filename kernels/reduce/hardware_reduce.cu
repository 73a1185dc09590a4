// title: Reduction by one instruction
// family: shuffles and atomics
// launch: reduce<<<ceil(n / B), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// types: i32, u32
// op: sum, min, max, xor, sum-of-squares
// expect: sum
// result: Thread 0, in a register.
// lesson: Since compute capability 8.0 a warp's 32 lanes are combined by one instruction, __reduce_add_sync and its
//   siblings for min, max and xor, for 32-bit integers only: five shuffles and five combines become one. The rest is
//   block-shuffle: lane 0 of each warp writes to a shared slot, and the first warp reduces the slots. How the
//   instruction combines them is not documented; the tree drawn for it is one possible order.
#include "reduction.cuh"

__device__ __forceinline__ T reduce_lanes(T v) {
#if REDUCTION_OPERATOR == 0 || REDUCTION_OPERATOR == 5
    return __reduce_add_sync(0xFFFFFFFF, v);
#elif REDUCTION_OPERATOR == 2
    return __reduce_min_sync(0xFFFFFFFF, v);
#elif REDUCTION_OPERATOR == 3
    return __reduce_max_sync(0xFFFFFFFF, v);
#else
    return __reduce_xor_sync(0xFFFFFFFF, unsigned(v));
#endif
}

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = reduce_lanes(i < n ? in[i] : identity); // step: warps
    if (lane == 0)
        sdata[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < blockDim.x / 32 ? sdata[lane] : identity;
        v = reduce_lanes(v); // step: totals
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
