// title: Scan with two buffers
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, 2 * B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Thread t holds the combine of elements 0 to t of its block's tile.
// lesson: Like scan-shared, but a stage reads one array and writes another, and the next stage swaps them. What is
//   read is never overwritten in the same stage, so that one barrier a stage is enough; the price is twice the shared
//   memory, and that threads with nothing to add copy their word. Next: scan-warp leaves most of the traffic to
//   registers.
#include "scan_load.cuh"

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned first = blockIdx.x * blockDim.x;
    unsigned from = 0, to = blockDim.x; // where the two buffers begin
    T v = scan_load<exclusive>(in, first + tid, first, n);
    sdata[from + tid] = v;
    __syncthreads();

    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        if (tid >= offset)
            v = op(sdata[from + tid - offset], v);
        sdata[to + tid] = v;
        __syncthreads();
        from = blockDim.x - from;
        to = blockDim.x - to;
    }

    if (first + tid < n)
        out[first + tid] = v;
}
