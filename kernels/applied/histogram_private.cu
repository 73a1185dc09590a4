// title: Histogram, bins of the block's own
// family: applied reductions
// launch: histogram<<<min(ceil(n / B), 1024), B, bins * sizeof(unsigned)>>>(in, out, n, bins)
// blocks: multiples of 32, 32 to 1024
// block: 128
// parameter: bins = 16, 1 to 1024: values that are counted, from 0 on; others are left out
// types: i32, u32
// op: sum
// arg: in = random
// arg: out = zeros:bins
// outputs: bins
// expect: histogram
// result: No thread: the counts in global memory, once every block is done.
// lesson: Each block counts into bins of its own in shared memory, whose atomics are many times faster and are shared with
//   no other block, and at the end adds its counts to those of the grid: one global atomic for each bin and block
//   instead of one for each element.
#include "reduction.cuh"

__global__ void histogram(const T* in, unsigned* out, unsigned n, unsigned bins) {
    extern __shared__ unsigned own[];
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x)
        own[b] = 0;
    __syncthreads();

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] >= 0 && in[i] < T(bins))
            atomicAdd(own + in[i], 1u);
    __syncthreads();

    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x)
        if (own[b] > 0)
            atomicAdd(out + b, own[b]);
}
