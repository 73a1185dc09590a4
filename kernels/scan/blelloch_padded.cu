// title: Work-efficient scan without conflicts
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, (B + B / 32) * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Word padded(t) holds the combine of elements 0 to t - 1 of the block's tile.
// lesson: scan-blelloch with one word left free after every 32. At a stride of 32 words all lanes of a request meet in one
//   bank, and a step takes 32 turns; with the free words word i moves by i / 32, so that such words lie side by side in
//   the banks. The inclusive result is not read one word further on, where a warp would meet one bank twice: each thread adds
//   its own element, B combines more.
#include "reduction.cuh"

__device__ __forceinline__ unsigned padded(unsigned word) { return word + word / 32; }

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x, B = blockDim.x;
    const unsigned i = blockIdx.x * B + tid;
    const T own = i < n ? in[i] : identity;
    sdata[padded(tid)] = own;
    __syncthreads();

    // step: up: The sums of neighbouring stretches.
    for (unsigned s = 1; s < B; s *= 2) {
        if (tid < B / (2 * s)) {
            const unsigned right = 2 * s * (tid + 1) - 1;
            sdata[padded(right)] = op(sdata[padded(right - s)], sdata[padded(right)]);
        }
        __syncthreads();
    }

    if (tid == 0)
        sdata[padded(B - 1)] = identity; // step: root: The total makes room for the identity.
    __syncthreads();

    // step: down: Each stretch hands on what stands before it.
    for (unsigned s = B / 2; s > 0; s /= 2) {
        if (tid < B / (2 * s)) {
            const unsigned right = 2 * s * (tid + 1) - 1;
            const T before = sdata[padded(right)];
            const T left = sdata[padded(right - s)];
            sdata[padded(right - s)] = before;
            sdata[padded(right)] = op(before, left);
        }
        __syncthreads();
    }

    if (i < n)
        out[i] = exclusive ? sdata[padded(tid)] : op(sdata[padded(tid)], own); // step: own
}
