// title: Segments, a block each
// family: shared memory
// launch: reduce<<<segments, B, B * sizeof(T)>>>(in, out, n)
// outputs: segments
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: segments = 4, 1 to 65536: independent results
// expect: segments
// result: Thread 0 of each block, in sdata[0]: the result of the block's segment, the identity where it is empty.
// lesson: Many independent sums at once: the input is cut into --segments of equal length, each block strides through
//   its own and leaves its own result, and nothing is combined across blocks. The shape of batched work, rows of a
//   matrix for example; with few long segments most of the GPU is idle, with many short ones most of each block.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned length = (n + gridDim.x - 1) / gridDim.x;
    const unsigned begin = blockIdx.x * length;
    const unsigned end = begin + length < n ? begin + length : n;
    T sum = begin + tid < end ? in[begin + tid] : identity;
    for (unsigned i = begin + tid + blockDim.x; i < end; i += blockDim.x)
        sum = op(sum, in[i]);
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
