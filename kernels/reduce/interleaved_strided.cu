// title: Interleaved addressing, strided index
// family: shared memory
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: The same tree as interleaved-modulo, but thread t combines the words 2st and 2st + s: the active threads
//   are the first ones, so whole warps retire instead of every warp running half empty. The price is paid in the banks:
//   lanes now touch words 2s apart, and words a power of two apart fall into the same few of the 32 banks, so a request
//   takes several wavefronts. Next: sequential addressing has neither fault.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : identity;
    __syncthreads();

    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned left = 2 * s * tid;
        if (left < blockDim.x)
            sdata[left] = op(sdata[left], sdata[left + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
