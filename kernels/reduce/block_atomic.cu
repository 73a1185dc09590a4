// title: Block reduce, one atomic a block
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n / B), 1024), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// arg: out = identity:1
// finish: atomic
// expect: sum
// result: No thread: the total in global memory, once every block is done.
// lesson: Like warp-atomic, but the warps of a block first meet in shared memory (block-shuffle), so only one atomic
//   a block reaches the total: 32 times fewer at 1024 threads, for the price of one barrier.
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
        atomic_op(out, v);
}
