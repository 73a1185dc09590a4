// title: Mean and variance in one pass
// family: applied reductions
// launch: moments<<<1, B>>>(in, out, n)
// blocks: powers of two, 1 to 512
// block: 256
// types: f32, f64
// op: sum
// arg: in = random
// arg: out = zeros:2
// outputs: 2
// expect: mean-and-variance
// result: Thread 0: part[0] has the number of elements, their mean and the sum of squared distances from it.
// lesson: A sum of squares less the square of the sum loses its digits when the spread is small beside the mean.
//   Welford's way keeps three numbers, how many, their mean, and the squared distances from that mean, and moves the mean
//   a little with each element. Two such records combine to the record of both (Chan, Golub and LeVeque), and so they
//   go up a tree: a combine has three parts, but it is one.
#include "reduction.cuh"

struct Moments {
    T count, mean, squares;
};

__device__ __forceinline__ Moments merged(const Moments& a, const Moments& b) {
    const T count = a.count + b.count, apart = b.mean - a.mean;
    return {count, a.mean + apart * b.count / count, a.squares + b.squares + apart * apart * a.count * b.count / count};
}

__global__ void moments(const T* in, T* out, unsigned n) {
    __shared__ Moments part[512];
    const unsigned tid = threadIdx.x;
    if (tid < n) {
        Moments own = {1, in[tid], 0};
        for (unsigned i = tid + blockDim.x; i < n; i += blockDim.x)
            own = merged(own, {1, in[i], 0}); // an element alone: no distance from its mean
        part[tid] = own;
    }
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s && tid + s < n)
            part[tid] = merged(part[tid], part[tid + s]);
        __syncthreads();
    }

    if (tid == 0) {
        out[0] = part[0].mean; // step: store
        out[1] = part[0].squares / part[0].count; // step: variance
    }
}
