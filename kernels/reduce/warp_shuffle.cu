// title: Warp shuffle
// family: shuffles and atomics
// launch: reduce<<<ceil(n / B), B>>>(in, out, n)
// blocks: 32
// block: 32
// expect: sum
// result: Lane 0 of the warp, in a register.
// lesson: One warp a block, no shared memory and no barrier: each lane takes the value of the lane 16, 8, 4, 2, 1
//   above it straight from its register and combines. A lane whose source would lie past lane 31 keeps its own value,
//   and its combines are useless but free. Lane 0 holds the result.
#include "warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    const unsigned lane = threadIdx.x;
    const unsigned i = blockIdx.x * 32 + lane;
    const T v = warp_reduce(i < n ? in[i] : identity);
    if (lane == 0)
        out[blockIdx.x] = v;
}
