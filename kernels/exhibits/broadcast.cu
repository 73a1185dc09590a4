// title: All lanes read one word
// family: what goes wrong
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 64
// expect: sum
// result: Every thread, in a register; thread 0 stores it.
// lesson: Like sequential, and then every thread reads the result from sdata[0]. All lanes of a warp ask one bank,
//   and yet the load takes one wavefront: a word that several lanes ask for is read once and sent to all of them. Only
//   different words in one bank conflict.
// hazard: Nothing goes wrong here; it is often taken for a 32-way bank conflict.
// on a GPU: One wavefront a warp; counted so on an H200 for 4-byte words.
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
        __syncthreads();
    }

    const T total = sdata[0]; // every lane reads the same word
    if (tid == 0)
        out[blockIdx.x] = total;
}
