// title: First add while loading
// family: shared memory
// launch: reduce<<<ceil(n / (2 * B)), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Each thread loads two elements, a block apart, and combines them on the way into shared memory; then the
//   tree of sequential. The block covers twice the data, so half as many blocks are launched and no thread is idle in
//   the first combine. There is no reason to prefer sequential to it; the next cost is the instructions and barriers of
//   the loop itself.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + blockDim.x < n ? in[i + blockDim.x] : identity;
    sdata[tid] = op(first, second);
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
