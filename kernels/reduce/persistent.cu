// title: Persistent blocks
// family: shared memory
// launch: reduce<<<min(ceil(n / B), 2 * sms), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 1024
// parameter: sms = 2, 1 to 1024: multiprocessors to fill, with two blocks each
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: A grid that just fills the GPU, two blocks of 1024 threads on each of --sms multiprocessors (an H200 has
//   132), stays there: each thread keeps loading and combining until the input is exhausted, and the tree runs once, at
//   the end. Thousands of blocks, with their trees and barriers, are never launched; what is left is memory traffic.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned grid_stride = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + tid;
    T sum = i < n ? in[i] : identity;
    for (i += grid_stride; i < n; i += grid_stride)
        sum = op(sum, in[i]);
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
