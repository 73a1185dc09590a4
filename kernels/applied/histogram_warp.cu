// title: Histogram, lanes of a bin counted together
// family: applied reductions
// launch: histogram<<<min(ceil(n / B), 1024), B>>>(in, out, n, bins)
// blocks: multiples of 32, 32 to 1024
// block: 128
// parameter: bins = 16, 1 to 1024: values that are counted, from 0 on; others are left out
// types: i32, u32
// op: sum
// arg: in = random
// arg: out = zeros:bins
// outputs: bins
// expect: histogram
// result: No thread: the counts in global memory, once every block is done.
// lesson: Lanes of a warp that hold the same value find one another by a match, and the lowest of them adds their number:
//   one atomic for each value that occurs in the warp. It gains most where a few values are frequent, which is where the
//   other ways are slowest; where all differ it is as many atomics as before, and a match on top.
#include "reduction.cuh"

__global__ void histogram(const T* in, unsigned* out, unsigned n, unsigned bins) {
    const unsigned lane = threadIdx.x % 32, stride = gridDim.x * blockDim.x;
    for (unsigned first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < n; first += stride) { // of the warp
        const unsigned i = first + lane;
        const T value = i < n ? in[i] : T(0);
        const bool counts = i < n && value >= 0 && value < T(bins);
        const unsigned counting = __ballot_sync(0xFFFFFFFF, counts);
        if (counts) {
            const unsigned alike = __match_any_sync(counting, value);
            if (lane == __ffs(alike) - 1)
                atomicAdd(out + value, unsigned(__popc(alike)));
        }
    }
}
