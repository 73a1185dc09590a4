// title: A sum that carries its error
// family: applied reductions
// launch: kahan<<<1, B>>>(in, out, n)
// blocks: powers of two, 1 to 512
// block: 256
// types: f32, f64
// op: sum
// arg: in = random
// arg: out = zeros:1
// outputs: 1
// expect: sum
// result: Thread 0: the sum and its error in part[0]; out gets both, added.
// lesson: An addition in floating point rounds, but what it rounds off can be computed and is itself a number (Knuth). So
//   a record goes up the tree, a sum and the error it has gathered, and at the end the error is paid back. The result is
//   about as good as one in twice the digits, whatever the order; exact-sum is the whole way.
#include "reduction.cuh"

struct Sum {
    T value, error; // what is meant is value + error
};

__device__ __forceinline__ Sum added(const Sum& a, const Sum& b) {
    const T value = a.value + b.value, of_b = value - a.value;
    const T rounded_off = (a.value - (value - of_b)) + (b.value - of_b);
    return {value, a.error + b.error + rounded_off};
}

__global__ void kahan(const T* in, T* out, unsigned n) {
    __shared__ Sum part[512];
    const unsigned tid = threadIdx.x;
    if (tid < n) {
        Sum own = {in[tid], 0};
        for (unsigned i = tid + blockDim.x; i < n; i += blockDim.x)
            own = added(own, {in[i], 0});
        part[tid] = own;
    }
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s && tid + s < n)
            part[tid] = added(part[tid], part[tid + s]);
        __syncthreads();
    }

    if (tid == 0)
        out[0] = part[0].value + part[0].error; // step: store
}
