// title: A branch on the block index
// family: what goes wrong
// launch: reduce<<<ceil(n / (2 * B)), B, 2 * B * sizeof(T)>>>(in, out, n)
// outputs: G * B
// blocks: powers of two, 32 to 1024
// block: 64
// finish: relaunch, host
// expect: sum
// result: Every thread, its own pair; the launches after it add those.
// lesson: if (blockIdx.x > 2): blocks 0, 1 and 2 take one side and all others the other. All lanes of a warp lie in
//   one block and so take the same side: no warp diverges, and each runs one side only. A branch is only costly where
//   it parts the lanes of one warp; a bound that is a multiple of 32 threads does not. Compare divergence-thread.
// hazard: Nothing goes wrong here: the branch parts blocks, not the lanes of a warp.
// on a GPU: Every warp issues one side.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    sdata[tid] = i < n ? in[i] : identity;
    sdata[tid + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : identity;

    if (blockIdx.x > 2)
        sdata[tid] = op(sdata[tid], sdata[tid + blockDim.x]); // step: if
    else
        sdata[tid] = op(sdata[tid + blockDim.x], sdata[tid]); // step: else

    out[blockIdx.x * blockDim.x + tid] = sdata[tid];
}
