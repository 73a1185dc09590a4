// title: Work-efficient scan (Blelloch)
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, (B + 1) * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Word t holds the combine of elements 0 to t - 1 of the block's tile, word B that of all.
// lesson: Two sweeps over a tree in shared memory. Up: the reduction with strides 1, 2, 4 …, which leaves sums of
//   pairs, fours, eights on the way. The total makes room for the identity, and down: each node hands what stands
//   before it to its left child, and that combined with the left child's sum to its right one. 2 (B - 1) combines
//   instead of B log B, for twice the steps; the strides are powers of two and collide in the banks. The result is an
//   exclusive scan; read one word further on, it is the inclusive one.
#include "reduction.cuh"

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x, B = blockDim.x;
    const unsigned i = blockIdx.x * B + tid;
    sdata[tid] = i < n ? in[i] : identity;
    __syncthreads();

    // step: up: The sums of neighbouring stretches.
    for (unsigned s = 1; s < B; s *= 2) {
        if (tid < B / (2 * s)) {
            const unsigned right = 2 * s * (tid + 1) - 1;
            sdata[right] = op(sdata[right - s], sdata[right]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        // step: root: The total makes room for the identity.
        sdata[B] = sdata[B - 1];
        sdata[B - 1] = identity;
    }
    __syncthreads();

    // step: down: Each stretch hands on what stands before it.
    for (unsigned s = B / 2; s > 0; s /= 2) {
        if (tid < B / (2 * s)) {
            const unsigned right = 2 * s * (tid + 1) - 1;
            const T before = sdata[right];
            const T left = sdata[right - s];
            sdata[right - s] = before;
            sdata[right] = op(before, left);
        }
        __syncthreads();
    }

    if (i < n)
        out[i] = sdata[exclusive ? tid : tid + 1];
}
