// title: Two launches of one kernel
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n / B), 1024), B, 32 * sizeof(T)>>>(in, out, n)
// relaunch: 1024
// blocks: multiples of 32, 32 to 1024
// block: 512
// finish: relaunch
// expect: sum
// result: Thread 0, in a register.
// lesson: A grid-stride loop over at most 1024 blocks of 512 threads, block-shuffle in each, and then the same kernel
//   once more: a single block of 1024 threads reduces the at most 1024 partials. The end of the first launch is the
//   grid-wide barrier. A barrier inside the kernel is no answer: with more blocks than fit on the GPU, those that run
//   would wait for others that cannot start before one of them ends, a deadlock. Two launches are always enough,
//   whatever n.
#include "warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned grid_stride = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = i < n ? in[i] : identity;
    for (i += grid_stride; i < n; i += grid_stride)
        sum = op(sum, in[i]);
    const T v = block_reduce(sum, sdata);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
