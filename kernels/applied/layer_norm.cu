// title: Layer norm of rows
// family: applied reductions
// launch: layer_norm<<<ceil(n / columns), B, 32 * sizeof(T)>>>(in, out, n, columns)
// blocks: multiples of 32, 32 to 1024
// block: 64
// n: 256
// parameter: columns = 128, 1 to 65536: elements of a row; the last row may be shorter
// types: f32, f64
// op: sum
// arg: in = random
// outputs: n
// expect: layer-norm(columns)
// result: Every thread, its elements of the row, in out.
// lesson: Each row is moved and scaled to mean 0 and variance 1. A block for each row makes two sums, of the elements
//   and of the squared distances from their mean, by shuffles within the warps and 32 words between them. It reads the
//   row three times; after the first time it comes from the caches.
#include "reduction.cuh"

// All threads of the block get the sum of their values.
__device__ __forceinline__ T total(T v, T* sdata) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned mask = 16; mask > 0; mask /= 2)
        v += __shfl_xor_sync(0xFFFFFFFF, v, mask);
    if (lane == 0)
        sdata[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? sdata[lane] : T(0);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        v += __shfl_xor_sync(0xFFFFFFFF, v, mask);
    __syncthreads(); // before the next sum stores there
    return v;
}

__global__ void layer_norm(const T* in, T* out, unsigned n, unsigned columns) {
    extern __shared__ T sdata[];
    const unsigned first = blockIdx.x * columns, end = min(first + columns, n);

    T sum = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        sum += in[i];
    const T mean = total(sum, sdata) / T(end - first); // step: mean

    T squares = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        squares += (in[i] - mean) * (in[i] - mean);
    const T variance = total(squares, sdata) / T(end - first); // step: variance

    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        out[i] = (in[i] - mean) / sqrt(variance + T(1e-5));
}
