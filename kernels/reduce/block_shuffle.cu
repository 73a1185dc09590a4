// title: Block shuffle
// family: shuffles and atomics
// launch: reduce<<<ceil(n / B), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// expect: sum
// result: Thread 0, in a register.
// lesson: Each warp reduces its lanes with shuffles, lane 0 of each warp writes to one of 32 shared slots, and after
//   the only barrier the first warp reduces the slots with shuffles again. Two rounds of registers replace a tree of
//   shared-memory traffic and its barriers.
#include "warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const T v = block_reduce(i < n ? in[i] : identity, sdata);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
