// title: Unrolled last warp
// family: shared memory
// launch: reduce<<<ceil(n / (2 * B)), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 64 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Like first-add down to s = 64; then one warp is left and finishes alone, without block barriers and without
//   the test t < s. All 32 lanes add at every step: lanes past the stride do combines whose results nothing reads,
//   which costs nothing, because the warp issues the instruction anyway. The lanes of a warp are no longer guaranteed
//   to run in lockstep, so each step needs __syncwarp between its loads and its stores, and again before the next step.
//   Next: unroll-complete resolves the rest of the loop at compile time.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + blockDim.x < n ? in[i + blockDim.x] : identity;
    sdata[tid] = op(first, second);
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid < 32) {
        T v = sdata[tid];
        for (unsigned s = 32; s > 0; s /= 2) {
            v = op(v, sdata[tid + s]);
            __syncwarp();
            sdata[tid] = v;
            __syncwarp();
        }
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
