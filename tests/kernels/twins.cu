// Plain CUDA kernels as a textbook has them, and beside each the strategy with the probe off. zero_cost_test compiles
// this file and requires that each pair is the same machine code.
#include "kernels/cuda/instantiate.cuh"
#include "kernels/reduce/block_shuffle.hpp"
#include "kernels/reduce/interleaved_modulo.hpp"
#include "kernels/reduce/sequential.hpp"

using warptree::Index;

extern "C" __global__ void plain_interleaved_modulo(const int* in, int* out, Index n) {
    extern __shared__ __align__(16) unsigned char memory[];
    int* s = reinterpret_cast<int*>(memory);
    const unsigned t = threadIdx.x;
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) {
            s[t] = s[t] + s[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

extern "C" __global__ void plain_sequential(const int* in, int* out, Index n) {
    extern __shared__ __align__(16) unsigned char memory[];
    int* s = reinterpret_cast<int*>(memory);
    const unsigned B = blockDim.x;
    const unsigned t = threadIdx.x;
    const Index i = static_cast<Index>(blockIdx.x) * B + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = B / 2; stride > 0; stride /= 2) {
        if (t < stride) {
            s[t] = s[t] + s[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

extern "C" __global__ void plain_block_shuffle(const int* in, int* out, Index n) {
    extern __shared__ __align__(16) unsigned char memory[];
    int* s = reinterpret_cast<int*>(memory);
    const unsigned t = threadIdx.x;
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + t;
    int v = i < n ? in[i] : 0;
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        v += __shfl_down_sync(0xFFFFFFFFU, v, delta);
    }
    if (t % 32 == 0) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? s[t] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2) {
            v += __shfl_down_sync(0xFFFFFFFFU, v, delta);
        }
    }
    if (t == 0) {
        out[blockIdx.x] = v;
    }
}

using Off = warptree::simt::Off<int, warptree::Sum, false>;

extern "C" __global__ void off_interleaved_modulo(const int* in, int* out, Index n) {
    warptree::InterleavedModulo::run(Off{}, in, out, n);
}
extern "C" __global__ void off_sequential(const int* in, int* out, Index n) {
    warptree::Sequential::run(Off{}, in, out, n);
}
extern "C" __global__ void off_block_shuffle(const int* in, int* out, Index n) {
    warptree::BlockShuffle::run(Off{}, in, out, n);
}
