// title: A barrier inside the branch
// family: what goes wrong
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 2 to 1024
// block: 128
// expect: sum
// goes wrong: deadlock
// result: None: the block never gets there.
// lesson: Like sequential, but only the threads that add wait for each other: the barrier has moved inside the if.
//   The other half of the block skips it, leaves the loop and waits at the last barrier for the threads that wait in
//   the branch. Neither group can continue, and the block never completes. A barrier belongs where every thread of the
//   block arrives.
// hazard: __syncthreads stands where only some threads of the block arrive.
// on a GPU: Undefined: CUDA allows __syncthreads in a branch only if the whole block takes the same side. An H100 takes
//   the arrivals of whole warps at both barriers for one and continues, but hangs once lanes of one warp wait at both,
//   until a watchdog ends the kernel. The interpreter requires every thread to arrive at the same call, as the language
//   does.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : identity;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) {
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
            __syncthreads(); // only the threads that add come here
        }
    }

    __syncthreads(); // and the others wait here
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
