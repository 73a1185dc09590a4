// title: Hand off the last values
// family: shared memory
// launch: reduce<<<ceil(n / (2 * B)), B, B * sizeof(T)>>>(in, out, n, stop_at)
// outputs: G * stop_at
// blocks: powers of two, 32 to 1024
// block: 256
// parameter: stop-at = 32, powers of two, 32 to 128: values a block hands to the next launch
// needs: stop_at <= B: a block of fewer threads than the values it is to stop at; take a larger --block or a smaller
//   --stop-at
// finish: relaunch, host
// expect: sum
// result: Threads 0 to stop_at - 1, in sdata[tid]: each writes one partial.
// lesson: The tree of first-add, stopped early: when --stop-at partial values are left (32 by default, one warp's),
//   their threads write them all out and the next launch continues from there. No block runs with a single active lane,
//   and no block pays for the last five stages and their barriers; the price is that a launch leaves 32 partials a
//   block instead of one.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n, unsigned stop_at) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + blockDim.x < n ? in[i + blockDim.x] : identity;
    sdata[tid] = op(first, second);
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s >= stop_at; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid < stop_at)
        out[blockIdx.x * stop_at + tid] = sdata[tid];
}
