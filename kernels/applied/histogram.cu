// title: Histogram, atomics in global memory
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
// lesson: Counting is many reductions at once, and the data say which one an element belongs to. Here each element is one
//   atomic on its bin in global memory. Lanes that meet in a bin are served one after another, and all blocks meet
//   there: with few bins, or one frequent value, everybody waits.
#include "reduction.cuh"

__global__ void histogram(const T* in, unsigned* out, unsigned n, unsigned bins) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] >= 0 && in[i] < T(bins))
            atomicAdd(out + in[i], 1u);
}
