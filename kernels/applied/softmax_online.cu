// title: Softmax of rows, online
// family: applied reductions
// where: rows = ceil(n / columns)
// launch: softmax<<<ceil(rows / (B / 32)), B>>>(in, out, n, columns)
// blocks: multiples of 32, 32 to 1024
// block: 64
// n: 256
// parameter: columns = 128, 1 to 65536: elements of a row; the last row may be shorter
// types: f32, f64
// op: sum
// arg: in = random
// outputs: n
// expect: softmax(columns)
// result: Every lane, its elements of the warp's row, in out.
// lesson: Largest and sum in one pass (Milakov and Gimelshein). The record is the largest so far and the sum of powers
//   relative to it; when a larger one comes, the sum is scaled down to it. Records combine in any order, so each lane
//   of a warp keeps one for its share of a row, and a butterfly of shuffles combines the 32: no shared memory, no barrier.
#include "reduction.cuh"

constexpr T lowest = std::numeric_limits<T>::lowest();

struct Powers {
    T largest, sum; // sum of exp(x - largest)
};

__device__ __forceinline__ Powers combined(const Powers& a, const Powers& b) {
    const T largest = a.largest < b.largest ? b.largest : a.largest;
    return {largest, a.sum * exp(a.largest - largest) + b.sum * exp(b.largest - largest)};
}

__global__ void softmax(const T* in, T* out, unsigned n, unsigned columns) {
    const unsigned lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const unsigned first = row * columns, end = min(first + columns, n);
    if (first >= n)
        return;

    Powers row_so_far = {lowest, 0};
    for (unsigned i = first + lane; i < end; i += 32)
        row_so_far = combined(row_so_far, {in[i], 1});
    // step: lanes: Each lane combines its record with that of the lane whose number differs in this bit.
    for (unsigned mask = 16; mask > 0; mask /= 2)
        row_so_far = combined(row_so_far, {__shfl_xor_sync(0xFFFFFFFF, row_so_far.largest, mask),
                                           __shfl_xor_sync(0xFFFFFFFF, row_so_far.sum, mask)});

    for (unsigned i = first + lane; i < end; i += 32)
        out[i] = exp(in[i] - row_so_far.largest) / row_so_far.sum;
}
