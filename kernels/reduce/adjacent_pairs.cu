// title: Adjacent pairs
// family: shared memory
// launch: reduce<<<ceil(n / (2 * B)), B, 2 * B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: The textbook's first mapping: 2B elements lie in shared memory, and in the step of stride s every thread
//   whose index is a multiple of s combines the words 2t and 2t + s. Half of the threads stop after each step, spread
//   over all warps, so every warp keeps running with fewer and fewer lanes. Next: converging keeps the active threads
//   together.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    sdata[tid] = i < n ? in[i] : identity;
    sdata[tid + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : identity;

    T* const left = sdata + 2 * tid;
    for (unsigned s = 1; s <= blockDim.x; s *= 2) {
        __syncthreads();
        if (tid % s == 0)
            left[0] = op(left[0], left[s]);
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
