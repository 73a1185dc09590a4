// title: Scan by warps
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Thread t holds the combine of elements 0 to t of its block's tile.
// lesson: A hierarchy in four phases. A: each warp scans its lanes with shuffles, in registers and without a barrier.
//   B: the last lane of each warp leaves the warp's total in shared memory. C: one warp scans the totals. D: every
//   lane adds what stands before its warp. Two barriers in all, whatever the block size. Next: scan-coarsened gives
//   each thread more than one element.
#include "block_scan.cuh"
#include "scan_load.cuh"

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned first = blockIdx.x * blockDim.x;
    const unsigned i = first + threadIdx.x;
    const T v = block_scan(scan_load<exclusive>(in, i, first, n), sdata);
    if (i < n)
        out[i] = v;
}
