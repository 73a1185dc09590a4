// title: A tree without its barriers
// family: what goes wrong
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 128 to 1024
// block: 128
// expect: sum
// goes wrong: race
// result: Thread 0, in sdata[0], if the warps happened to run in a favourable order.
// lesson: Like sequential, but nothing separates one step from the next. At s = B/4 thread 0 reads a word that a
//   thread of another warp was to combine at s = B/2; whether it already has is a matter of luck. In order, warp 0 runs
//   first and reads values that are too old. In reverse order every value happens to be there and the sum is right: a
//   test that passes proves nothing about a race.
// hazard: Between two steps no __syncthreads orders the store of one thread before the load of another.
// on a GPU: Warps run in any order and at any pace. A block may give the right sum a million times and a wrong one
//   when the device is busy, the compiler changes or the block grows.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : identity;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        // Here a barrier is missing.
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
