// title: Three to one before the tree
// family: shared memory
// launch: reduce<<<ceil(n / (6 * B)), B, 6 * B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Makes use of the shared memory there is: six elements a thread fill 6B words (24 KB of floats for 1024
//   threads, so that two blocks fit in 48 KB), each thread first combines three words into one, twice, with every lane
//   busy, and only then the tree of converging begins on the 2B words that are left. One wide step does the work of the
//   first one and a half stages, and a block covers three times the data.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (6 * blockDim.x) + tid;
    for (unsigned k = 0; k < 6; ++k) {
        const unsigned at = k * blockDim.x;
        sdata[tid + at] = i + at < n ? in[i + at] : identity;
    }

    // Each thread reads words that it has written itself: no barrier yet.
    const unsigned third = 2 * blockDim.x;
    // step: three to one
    for (unsigned word = tid; word < third; word += blockDim.x)
        sdata[word] = op(op(sdata[word], sdata[word + third]), sdata[word + 2 * third]);

    for (unsigned s = blockDim.x; s > 0; s /= 2) {
        __syncthreads();
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
