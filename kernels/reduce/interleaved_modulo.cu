// title: Interleaved addressing, modulo
// family: shared memory
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Each step doubles the stride s; every thread whose index is a multiple of 2s adds the value s words away.
//   Simple, and slow twice over: the active threads are spread over the warps, so every warp that adds has inactive
//   lanes from the first step, for which it issues every instruction, too, and the integer remainder is one of the
//   slowest operations of the machine. Next: interleaved-strided keeps the tree and packs the active threads together.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;
    if (i < n)
        sdata[tid] = in[i];
    else
        sdata[tid] = identity;
    __syncthreads();

    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
