// title: Warp butterfly
// family: shuffles and atomics
// launch: reduce<<<ceil(n / B), B>>>(in, out, n)
// blocks: 32
// block: 32
// expect: sum
// result: Every lane of the warp, in a register; lane 0 stores it.
// lesson: Each lane exchanges with the lane whose index differs in one bit, 16, 8, 4, 2, 1, and combines: after five
//   steps every lane holds the total (an all-reduce), where warp-shuffle leaves it in lane 0 alone. All 32 lanes
//   combine in every step; when only one result is wanted, four fifths of that work is for nothing, but it costs no
//   time.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    const unsigned lane = threadIdx.x;
    const unsigned i = blockIdx.x * 32 + lane;
    T v = i < n ? in[i] : identity;
    for (unsigned mask = 16; mask > 0; mask /= 2)
        v = op(v, __shfl_xor_sync(0xFFFFFFFF, v, mask));
    if (lane == 0)
        out[blockIdx.x] = v;
}
