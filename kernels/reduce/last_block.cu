// title: The last block finishes
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n / B), 1024), B, B * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// finish: last-block
// expect: sum
// result: Thread 0 of the block that arrives last, in a register.
// lesson: One launch: each block writes its partial, makes it visible to the others with a fence and draws a ticket
//   from an atomic counter; the block that draws the last one knows that all partials are there, and reduces them. No
//   second launch, no barrier across blocks (no block ever waits for another), one atomic a block, and the order of
//   the sum does not depend on which block comes last.
#include "last_block.cuh"
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
    finish_in_last_block(out);
}
