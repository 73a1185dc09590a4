// title: A branch on the thread index
// family: what goes wrong
// launch: reduce<<<ceil(n / (2 * B)), B, 2 * B * sizeof(T)>>>(in, out, n)
// outputs: G * B
// blocks: powers of two, 32 to 1024
// block: 64
// finish: relaunch, host
// expect: sum
// result: Every thread, its own pair; the launches after it add those.
// lesson: if (threadIdx.x > 2): threads 0, 1 and 2 of a block take one side and all others the other. Warp 0 holds
//   both kinds, so it diverges: it runs both sides one after the other, each with the other lanes inactive. In every
//   other warp all lanes agree, and it runs one side. Compare divergence-block, where the same branch costs nothing.
// hazard: Lanes of warp 0 take both sides of a branch.
// on a GPU: The result is right; warp 0 issues both sides. For bodies as short as these the compiler may drop the
//   branch and switch lanes off instruction by instruction instead.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    sdata[tid] = i < n ? in[i] : identity;
    sdata[tid + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : identity;

    if (tid > 2)
        sdata[tid] = op(sdata[tid], sdata[tid + blockDim.x]); // step: if
    else
        sdata[tid] = op(sdata[tid + blockDim.x], sdata[tid]); // step: else

    out[blockIdx.x * blockDim.x + tid] = sdata[tid];
}
