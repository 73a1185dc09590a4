// title: Warp reduce, one atomic a warp
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n / B), 1024), B>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// arg: out = identity:1
// finish: atomic
// expect: sum
// result: No thread: the total in global memory, once every block is done.
// lesson: A grid-stride loop gives each thread its share, each warp reduces its lanes with shuffles, and lane 0 of
//   every warp adds its result to the total with an atomic. One launch, no shared memory, no barrier; the atomics of
//   all warps meet at one address and are served one after another. Compare block-atomic, which sends one atomic a
//   block.
#include "warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    const unsigned grid_stride = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = i < n ? in[i] : identity;
    for (i += grid_stride; i < n; i += grid_stride)
        sum = op(sum, in[i]);
    const T v = warp_reduce(sum);
    if (threadIdx.x % 32 == 0)
        atomic_op(out, v);
}
