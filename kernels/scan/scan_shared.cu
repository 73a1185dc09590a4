// title: Scan in shared memory
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Thread t holds the combine of elements 0 to t of its block's tile.
// lesson: Each block scans its tile in shared memory (Hillis and Steele): at offset 1, 2, 4 … B/2 every thread t >=
//   offset adds the word offset places before its own. The depth is log B, but the work is B log B - B + 1 combines
//   where B - 1 would do one after another. Two barriers a stage keep reading and writing apart. Next:
//   scan-double-buffer needs one, scan-blelloch less work.
#include "scan_load.cuh"

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned first = blockIdx.x * blockDim.x;
    T v = scan_load<exclusive>(in, first + tid, first, n);
    sdata[tid] = v;
    __syncthreads();

    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        if (tid >= offset)
            v = op(sdata[tid - offset], v);
        __syncthreads();
        if (tid >= offset)
            sdata[tid] = v;
        __syncthreads();
    }

    if (first + tid < n)
        out[first + tid] = v;
}
