// title: Softmax of rows, three passes
// family: applied reductions
// launch: softmax<<<ceil(n / columns), B, B * sizeof(T)>>>(in, out, n, columns)
// blocks: powers of two, 1 to 1024
// block: 64
// n: 256
// parameter: columns = 128, 1 to 65536: elements of a row; the last row may be shorter
// types: f32, f64
// op: sum
// arg: in = random
// outputs: n
// expect: softmax(columns)
// result: Every thread, its elements of the row, in out.
// lesson: A block for each row, which it reads three times: for the largest element, so that no power overflows; for the
//   sum of exp(x - largest); and to divide by that. Two reductions in which every thread needs the result, so each ends
//   in a barrier and a read of word 0 by all. softmax-online needs one pass less.
#include "reduction.cuh"

constexpr T nothing = -std::numeric_limits<T>::infinity();

__device__ __forceinline__ T larger(T a, T b) { return a < b ? b : a; }
__device__ __forceinline__ T total(T a, T b) { return a + b; }

// All threads of the block get the combine of their values.
template <T (*combine)(T, T)> __device__ __forceinline__ T reduced(T v, T* sdata) {
    sdata[threadIdx.x] = v;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            sdata[threadIdx.x] = combine(sdata[threadIdx.x], sdata[threadIdx.x + s]);
        __syncthreads();
    }
    v = sdata[0]; // step: for all
    __syncthreads(); // before the next reduction stores there
    return v;
}

__global__ void softmax(const T* in, T* out, unsigned n, unsigned columns) {
    extern __shared__ T sdata[];
    const unsigned first = blockIdx.x * columns, end = min(first + columns, n);

    T largest = nothing;
    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        largest = larger(largest, in[i]);
    largest = reduced<larger>(largest, sdata); // step: largest

    T sum = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        sum += exp(in[i] - largest);
    sum = reduced<total>(sum, sdata); // step: sum

    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        out[i] = exp(in[i] - largest) / sum;
}
