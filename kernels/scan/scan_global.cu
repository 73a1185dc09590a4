// title: Scan in global memory
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// expect: block-scan
// result: Element t of the block's tile holds the combine of elements 0 to t of that tile.
// lesson: The prefix sums of each block, in place in global memory: at offset 1, 2, 4 … B/2 every thread t >= offset
//   adds the element offset places before its own. One barrier stands between reading and writing, so that no thread
//   reads what another has already replaced, and one before the next offset. Correct, but every stage goes to global
//   memory and back. Next: scan-shared does the same in shared memory.
#include "scan_load.cuh"

template <bool exclusive> __global__ void scan(const T* in, T* out, unsigned n) {
    const unsigned first = blockIdx.x * blockDim.x;
    const unsigned i = first + threadIdx.x;
    T v = scan_load<exclusive>(in, i, first, n);
    if (i < n)
        out[i] = v;
    __syncthreads();

    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        if (threadIdx.x >= offset && i < n)
            v = op(out[i - offset], v);
        __syncthreads();
        if (threadIdx.x >= offset && i < n)
            out[i] = v;
        __syncthreads();
    }
}
