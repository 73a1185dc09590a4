// title: The volatile tail of old
// family: what goes wrong
// launch: reduce<<<ceil(n / (2 * B)), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 64 to 1024
// block: 64
// expect: sum
// goes wrong: race between lanes
// result: Thread 0, in sdata[0], where lanes run in lockstep.
// lesson: How the last warp was unrolled before 2017: the shared array is declared volatile, so that every load and
//   store in the source happens, and the rest is left to the lockstep of the warp. With --order lockstep the sum is
//   right, as it was on the hardware of that time. In any other order it is wrong: volatile orders nothing between
//   lanes. Today: unroll-last-warp, with __syncwarp.
// hazard: volatile makes every access happen, but nothing orders the accesses of two lanes.
// on a GPU: Right up to compute capability 6.x, where the lanes of a warp ran in lockstep. From 7.0 on lanes are
//   scheduled independently and nothing guarantees it, although they often still run together.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + blockDim.x < n ? in[i + blockDim.x] : identity;
    sdata[tid] = op(first, second);
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid < 32) {
        volatile T* v = sdata;
        for (unsigned s = 32; s > 0; s /= 2)
            v[tid] = op(v[tid], v[tid + s]);
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
