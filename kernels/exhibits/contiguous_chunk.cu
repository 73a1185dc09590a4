// title: Each thread its own stretch: no coalescing
// family: what goes wrong
// launch: reduce<<<ceil(n / (chunk * B)), B, 32 * sizeof(T)>>>(in, out, n, chunk)
// parameter: chunk = 32, 1 to 65536: elements a thread sums, one after the other
// blocks: multiples of 32, 32 to 1024
// block: 256
// expect: sum
// result: Thread 0, in a register.
// lesson: Each thread sums a stretch of neighbouring elements, as one divides work among the cores of a CPU. In every
//   turn the 32 lanes of a warp then read words that lie chunk elements apart: with 8 or more elements of four bytes
//   each of them is in a sector of its own, and a request takes 32 sectors of which one word each is used at a time.
//   multiple-adds makes as many additions a thread with the stride of the whole grid, so that neighbouring lanes read
//   neighbouring words: 4 sectors a request.
// hazard: The result is right. Eight times the sectors are asked for, and the caches decide how often the memory pays.
// on a GPU: A sector that is still in the cache when the next turn asks for it costs no second trip to memory.
#include "reduce/warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n, unsigned chunk) {
    extern __shared__ T sdata[];
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    T sum = identity;
    for (unsigned k = 0; k < chunk; ++k)
        if (first + k < n)
            sum = op(sum, in[first + k]); // lanes read words chunk elements apart

    const T total = block_reduce(sum, sdata);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}
