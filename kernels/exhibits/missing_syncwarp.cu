// title: An unrolled tail without __syncwarp
// family: what goes wrong
// launch: reduce<<<ceil(n / (2 * B)), B, B * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 64 to 1024
// block: 64
// expect: sum
// goes wrong: race between lanes
// result: Thread 0, in sdata[0], if the lanes ran in lockstep.
// lesson: Like unroll-last-warp, but the lanes of the last warp neither wait for each other nor is the shared array
//   volatile. Lane 0 may read a word before lane 16 has stored it, or after it has stored too much. Only in lockstep is
//   the sum right. Compare unroll-last-warp, which puts __syncwarp between the loads and the stores of a step and
//   before the next.
// hazard: In the tail one lane reads what another lane of the same warp writes, with no __syncwarp between.
// on a GPU: Since compute capability 7.0 the lanes of a warp are scheduled independently. The compiler may also keep
//   sdata[t] in a register and store it late or once, because nothing says that others look. It often works, until the
//   compiler or the device changes.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + blockDim.x < n ? in[i + blockDim.x] : identity;
    sdata[tid] = op(first, second);
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s)
            sdata[tid] = op(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }

    if (tid < 32) {
        T v = sdata[tid];
        for (unsigned s = 32; s > 0; s /= 2) {
            v = op(v, sdata[tid + s]);
            sdata[tid] = v; // no __syncwarp before, none after
        }
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
