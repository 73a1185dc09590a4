// title: Converging threads
// family: shared memory
// launch: reduce<<<ceil(n / (2 * B)), B, 2 * B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: The textbook's better mapping: 2B elements in shared memory, the stride starts at B and halves, and thread t
//   < s combines the words t and t + s. Whole warps finish early: with 1024 threads the first six steps do not diverge
//   at all, only the last five, inside one warp, do.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    sdata[tid] = i < n ? in[i] : identity;
    sdata[tid + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : identity;

    for (unsigned s = blockDim.x; s > 0; s /= 2) {
        __syncthreads();
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
