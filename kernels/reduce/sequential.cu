// title: Sequential addressing
// family: shared memory
// launch: reduce<<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: The stride starts at half the block and halves; thread t < s adds the word s away. Neighbouring lanes touch
//   neighbouring words, so there are no bank conflicts, and no warp diverges until fewer than 32 threads are left.
//   What remains is waste: half of the threads are idle from the very first step, having done nothing but load. Next:
//   first-add gives them work while loading.
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

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
