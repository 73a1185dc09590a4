// title: Four at a time
// family: shared memory
// launch: reduce<<<ceil(n / (4 * B)), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Every thread loads four adjacent elements and combines them, and in each stage a thread whose index is a
//   multiple of 4s combines four words, s apart: a tree of base 4, with half as many stages and barriers as a binary
//   one. Fewer, wider steps; the active threads are as scattered as in interleaved-modulo, and the loads of
//   neighbouring lanes lie four elements apart, so that each request touches four times the sectors it needs.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = (blockIdx.x * blockDim.x + tid) * 4;
    T v = i < n ? in[i] : identity;
    for (unsigned k = 1; k < 4; ++k)
        v = op(v, i + k < n ? in[i + k] : identity);
    sdata[tid] = v;
    __syncthreads();

    for (unsigned s = 1; s < blockDim.x; s *= 4) {
        if (tid % (4 * s) == 0) {
            v = sdata[tid];
            for (unsigned k = 1; k < 4; ++k)
                if (tid + k * s < blockDim.x) // a block that is no power of four ends in pairs
                    v = op(v, sdata[tid + k * s]);
            sdata[tid] = v;
        }
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
